import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCli } from '../journeys/run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { runProgram, type Spent, spend } from './program.ts'

const utteranceCount = 100_000
const lineCount = 2_000_000
/** Processor time, which other work on the machine hardly changes. */
const limits = { processorSeconds: 5, megabytes: 600 }

const home = await temporaryFolder()
const folder = home.path
afterAll(() => home[Symbol.asyncDispose]())

async function writeCorpus(kind: 'files' | 'lines', count: number): Promise<string> {
  const corpus = join(folder, kind)
  await runProgram('large-corpus', kind, corpus, count)
  return corpus
}

/** What a process and its threads have computed so far. Linux counts it in hundredths of a second. */
async function processorSecondsOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user = 0, system = 0] = status.slice(status.lastIndexOf(')')).split(' ').slice(12, 14).map(Number)
  return (user + system) / 100
}

/** The most memory that a process has held so far. */
async function peakMegabytesOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  // What it calls kB are 1024 bytes.
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / 1e6
}

/** What `run` spends from its start to its first request, at which it is killed. */
async function untilFirstRequest(corpus: string): Promise<Spent> {
  const load = ['--rounds', '1']
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asked = new Promise<void>((resolve) => {
    server.on('request', (request, response) => {
      if (request.method !== 'POST') response.writeHead(404).end()
      else resolve()
    })
  })
  const target = `openai:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const startedAtMs = performance.now()
  const run = startCli(['run', '--target', target, '--contender', 'any:none', '--corpus', corpus, ...load], {
    cwd: folder,
  })
  const ended = run.ended.then(({ stderr }) => Promise.reject(new Error(stderr)))
  ended.catch(() => undefined)
  try {
    await Promise.race([asked, ended])
    const seconds = (performance.now() - startedAtMs) / 1000
    const { pid } = run.process
    return {
      seconds,
      processorSeconds: await processorSecondsOf(pid),
      peakMegabytes: await peakMegabytesOf(pid),
    }
  } finally {
    run.process.kill('SIGKILL')
    await run.ended
    server.closeAllConnections()
    server.close()
  }
}

function say(what: string, { seconds, processorSeconds, peakMegabytes }: Spent): void {
  process.stdout.write(
    `${what}: ${seconds.toFixed(1)} s, ${processorSeconds.toFixed(1)} s of processor time, peak ${peakMegabytes.toFixed(0)} MB\n`,
  )
}

test(`the second run over ${utteranceCount} recordings is at its first request within ${limits.processorSeconds} s of processor time and ${limits.megabytes} MB`, async () => {
  const corpus = await writeCorpus('files', utteranceCount)
  // What changed within two seconds before it was opened is not remembered.
  await new Promise((resolve) => setTimeout(resolve, 2500))
  say('first run', await untilFirstRequest(corpus))
  const second = await untilFirstRequest(corpus)
  say('second run', second)
  expect(second.processorSeconds).toBeLessThan(limits.processorSeconds)
  expect(second.peakMegabytes).toBeLessThan(limits.megabytes)
})

describe(`a manifest of ${lineCount} lines`, () => {
  let manifest = ''
  beforeAll(async () => {
    manifest = join(await writeCorpus('lines', lineCount), 'manifest.jsonl')
  })

  test('is described in bounded memory', async () => {
    const described = await spend(['corpus', 'show', manifest, '--json'], folder)
    say('described', described)
    expect(described.code, described.stderr).toBe(0)
    expect(JSON.parse(described.stdout)).toMatchObject({ utteranceCount: lineCount })
    expect(described.peakMegabytes).toBeLessThan(600)
  })

  test('is sampled in bounded memory', async () => {
    const sampled = await spend(['run', '--corpus', manifest, '--sample', '20'], folder)
    say('sampled', sampled)
    // The recordings are not there: what was drawn is missing, and nothing else.
    expect([sampled.code, sampled.stderr]).toEqual([2, expect.stringContaining('20 of 20 utterances')])
    expect(sampled.peakMegabytes).toBeLessThan(800)
  })
})
