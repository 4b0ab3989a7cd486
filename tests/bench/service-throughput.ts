import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { probeAudio } from '#audio/probing'
import { defaultModelsDir } from '#service/settings'
import type { BenchRow } from './bench-row.ts'
import { shareOf } from './null-service.ts'
import type { Question } from './service-throughput-server.ts'

const audioFolder = fileURLToPath(import.meta.resolve('../../corpora/quick/audio'))
const rounds = 6
/** How often each clip is in a pass, so that its beginning and its end weigh little. */
const copies = 3
/** While one clip is decoded, the next one is on its way. */
const inFlight = 2
const blockGoalMs = 50

type Carrying = 'path' | 'base64'

/** Seconds of audio that a service transcribes in a second, beside its recogniser called in a bare loop. */
export async function benchService(): Promise<BenchRow[]> {
  const files = (await readdir(audioFolder)).map((name) => join(audioFolder, name)).toSorted()
  const clips = Array.from({ length: copies }, () => files).flat()
  const audioSeconds = await totalSeconds(clips)
  const dataDir = await mkdtemp(join(tmpdir(), 'transcribench-bench-'))
  const server = fork(fileURLToPath(import.meta.resolve('./service-throughput-server.ts')), [
    dataDir,
    defaultModelsDir(process.env),
    audioFolder,
    ...clips,
  ])
  try {
    const [{ port, token }] = (await once(server, 'message')) as [{ port: number; token: string }]
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: inFlight })
    const serve = (carrying: Carrying): Promise<number> => passMs(pool, token, clips, carrying)
    // Once each for warming up; then in turn, so that what else the machine does meets all of them.
    await Promise.all([ask(server, 'bare'), serve('path'), serve('base64')])
    await ask(server, 'lag')
    const times = { bare: [] as number[], path: [] as number[], base64: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      times.bare.push(await ask(server, 'bare'))
      times.path.push(await serve('path'))
      times.base64.push(await serve('base64'))
    }
    const longestBlockMs = await ask(server, 'lag')
    await pool.close()
    const speed = (passes: readonly number[]): number => (audioSeconds * 1000) / shareOf(passes, 0.5)
    return [
      speedRow('path', speed(times.path), speed(times.bare), 0.95),
      speedRow('base64', speed(times.base64), speed(times.bare), 0.9),
      {
        name: 'event loop of the service meanwhile, longest block',
        value: `${longestBlockMs.toFixed(1)} ms`,
        baseline: '',
        ratio: null,
        goal: `under ${blockGoalMs} ms`,
        met: longestBlockMs < blockGoalMs,
      },
    ]
  } finally {
    const exited = once(server, 'exit')
    server.disconnect()
    await exited
    await rm(dataDir, { recursive: true, force: true })
  }
}

function speedRow(carrying: Carrying, ours: number, bare: number, goal: number): BenchRow {
  return {
    name: `/transcribe with Moonshine Tiny, one instance, by ${carrying}`,
    value: `${ours.toFixed(1)} times real time`,
    baseline: `${bare.toFixed(1)}, the recogniser in a loop`,
    ratio: ours / bare,
    goal: `ratio at least ${goal}`,
    met: ours / bare >= goal,
  }
}

async function totalSeconds(clips: readonly string[]): Promise<number> {
  let seconds = 0
  for (const path of clips) {
    const probe = await probeAudio(await readFile(path))
    seconds += probe.ok ? probe.value.durationSeconds : 0
  }
  return seconds
}

async function ask(server: ChildProcess, question: Question): Promise<number> {
  const answered = once(server, 'message')
  server.send(question)
  const [{ ms }] = (await answered) as [{ ms: number }]
  return ms
}

/** Sends every clip once, and says how long all of them took. */
async function passMs(
  pool: Pool,
  token: string,
  clips: readonly string[],
  carrying: Carrying,
): Promise<number> {
  const startedAtMs = performance.now()
  const waiting = [...clips]
  const worker = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const audio =
        carrying === 'path' ? { file: path } : { audio_base64: (await readFile(path)).toString('base64') }
      const answer = await pool.request({
        method: 'POST',
        path: '/transcribe',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ engine: 'moonshine', model: 'moonshine-tiny', ...audio }),
      })
      const { ok } = (await answer.body.json()) as { ok: boolean }
      if (!ok) throw new Error(`the service did not transcribe ${path}`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return performance.now() - startedAtMs
}
