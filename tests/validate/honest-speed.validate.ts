import { readFile, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { Experiment } from '#analysis/documents/experiment'
import { listRuns } from '#journal/find-run'
import { runFiles } from '#journal/run-writer'
import { openPage, startChromium } from '../browser/chromium.ts'
import { runCli, startCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { startHogs, startProgram } from './program.ts'

const noisyRunCount = 10
const experimentCount = 10

interface Targets {
  readonly watched: string
  readonly unwatched: string
}

const home = await temporaryFolder()
const folder = home.path
let server: AsyncDisposable & { readonly said: Targets }
let browser: Browser
const hogs = startHogs()

beforeAll(async () => {
  server = await startProgram<Targets>('working-program', join(folder, 'service'))
  browser = await startChromium()
  const recordings = Object.fromEntries(
    Array.from({ length: 24 }, (_, index) => [`tone-${index + 5}`, 'the cat sat']),
  )
  await writeToneCorpus(join(folder, 'recordings'), recordings)
})
afterAll(async () => {
  await hogs[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
  await browser?.close()
  await home[Symbol.asyncDispose]()
})

async function writeConfig(name: string, kind: keyof Targets, models: readonly string[]): Promise<void> {
  const engine = kind === 'watched' ? 'scripted' : 'any'
  const config = {
    name,
    target: server.said[kind],
    corpus: join(folder, 'recordings/manifest.jsonl'),
    contenders: models.map((model) => ({ id: model, engine, model, language: 'en' })),
    rounds: 1,
    warmupRequests: 1,
    results: name,
  }
  await writeFile(join(folder, `${name}.json`), JSON.stringify(config))
}

/** When the other program runs, as a share of the time that a run takes on a quiet machine. */
const noises: readonly (readonly [on: number, off: number])[][] = [
  [[0, 0.5]],
  [[0.5, 1.5]],
  [[0.25, 0.75]],
  Array.from({ length: 8 }, (_, part) => [part / 4, part / 4 + 0.125] as const),
  Array.from({ length: 40 }, (_, part) => [part / 20, part / 20 + 0.025] as const),
]

/** Runs a command, with the other program at work during the given times, counted from when it begins to measure. */
async function runUnderNoise(
  args: readonly string[],
  noise: readonly (readonly [number, number])[],
  quietMs: number,
): Promise<{ readonly stdout: string; readonly tookMs: number }> {
  const run = startCli(args, { cwd: folder })
  await run.said(/plan/)
  const startedAtMs = performance.now()
  const ending = new AbortController()
  const ended = run.ended.finally(() => ending.abort())
  const until = async (share: number): Promise<void> => {
    const leftMs = startedAtMs + share * quietMs - performance.now()
    if (leftMs > 0) await sleep(leftMs, undefined, { signal: ending.signal })
  }
  const disturb = async (): Promise<void> => {
    for (const [on, off] of noise) {
      await until(on)
      hogs.turn('on')
      await until(off)
      hogs.turn('off')
    }
  }
  await disturb().catch(() => undefined)
  const { code, stdout, stderr } = await ended
  hogs.turn('off')
  expect([0, 5], stderr).toContain(code)
  return { stdout, tookMs: performance.now() - startedAtMs }
}

/** Who is said to be faster than whom, in any words of a screen or a page. */
function claimsIn(text: string): readonly (readonly [faster: string, slower: string])[] {
  const words = text.replaceAll(/\s+/g, ' ')
  const patterns = [
    /(light|twin|heavy) (?:was [\d.]+ times|is) faster (?:to answer )?than (light|twin|heavy)/g,
    /(light|twin|heavy) is beaten[^.]* by (light|twin|heavy)/g,
  ]
  const slower = /(light|twin|heavy) (?:was [\d.]+ times|is) slower (?:to answer )?than (light|twin|heavy)/g
  return [
    ...patterns.flatMap((pattern) =>
      [...words.matchAll(pattern)].map(([, a = '', b = '']) => [a, b] as const),
    ),
    ...[...words.matchAll(slower)].map(([, a = '', b = '']) => [b, a] as const),
  ]
}

/** The same of the document, which charts are drawn from. */
function claimsOf({ speeds }: Evaluation): readonly (readonly [faster: string, slower: string])[] {
  const pairs = (speeds?.pairs ?? [])
    .filter(({ verdict }) => verdict === 'faster')
    .map(({ faster, slower }) => [faster, slower] as const)
  const crossings = (speeds?.crossovers ?? []).flatMap(({ first, second, crossover }) => {
    if (crossover.kind === 'unresolved') return []
    const forward = [first, second] as const
    const backward = [second, first] as const
    // One that crosses claims both ways.
    if (crossover.kind === 'at') return [forward, backward]
    return [crossover.faster === 'first' ? forward : backward]
  })
  return [...pairs, ...crossings]
}

const isFalse = ([faster, slower]: readonly [string, string]): boolean =>
  slower !== 'heavy' || faster === 'heavy'

describe('a run of one round while another program takes 80 % of the machine for half of the time', () => {
  test.each(['watched', 'unwatched'] as const)(
    'claims nothing false about speed, of a server that is %s',
    async (kind) => {
      await writeConfig(kind, kind, ['heavy', 'light', 'twin'])
      const { tookMs: quietMs } = await runUnderNoise(['run', `${kind}.json`], [], 0)
      let [claimed, withheld] = [0, 0]
      for (let index = 0; index < noisyRunCount / 2; index += 1) {
        const noise = noises[index % noises.length] ?? []
        const { stdout } = await runUnderNoise(['run', `${kind}.json`], noise, quietMs)
        const run = (await listRuns(join(folder, kind))).at(-1) ?? ''
        const evaluation: Evaluation = JSON.parse(await readFile(join(run, runFiles.evaluation), 'utf8'))
        const { page, context } = await openPage(browser, pathToFileURL(join(run, 'report.html')).href)
        const [shown = ''] = await page.locator('body').allInnerTexts()
        await context.close()
        const claims = [...claimsIn(stdout), ...claimsIn(shown), ...claimsOf(evaluation)]
        expect(claims.filter(isFalse), `${stdout}\n${shown}`).toEqual([])
        claimed += claims.length > 0 ? 1 : 0
        withheld += evaluation.speeds?.withheld == null ? 0 : 1
      }
      process.stdout.write(
        `${kind}: no false claim of speed in ${noisyRunCount / 2} noisy runs; ${withheld} claimed nothing because the ` +
          `machine was busy, ${claimed} claimed what is true; load of the machine ${loadavg()[0]?.toFixed(2)}\n`,
      )
    },
  )
})

test('ten experiments of a build against itself find nothing better or worse', async () => {
  await writeConfig('equal', 'unwatched', ['light', 'twin'])
  const endings: string[] = []
  for (let index = 0; index < experimentCount; index += 1) {
    const flags = ['--cool-down', '0s', '--max-runs', '6', '--json']
    const { code, stdout, stderr } = await runCli(['experiment', 'equal.json', ...flags], { cwd: folder })
    expect(code, stderr).toBe(0)
    const { stopped, comparisons }: Experiment = JSON.parse(stdout)
    const verdicts = comparisons.flatMap(({ contenders }) =>
      contenders.flatMap(({ rates, speed, failures }) =>
        [...rates, ...speed, { ...failures, metric: 'failed' }].map(
          ({ metric, verdict }) => `${metric} ${verdict}`,
        ),
      ),
    )
    expect(verdicts.filter((verdict) => / (better|worse)$/.test(verdict))).toEqual([])
    endings.push(stopped)
  }
  const counts = [...Map.groupBy(endings, (ending) => ending)].map(
    ([ending, own]) => `${own.length} ${ending}`,
  )
  process.stdout.write(
    `A/A: no verdict in ${experimentCount} experiments (${counts.join(', ')}); load of the machine ${loadavg()[0]?.toFixed(2)}\n`,
  )
})
