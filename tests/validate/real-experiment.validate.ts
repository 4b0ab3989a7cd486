import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import sherpa, { type OfflineRecognizer } from 'sherpa-onnx-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Comparison } from '#analysis'
import { readRun } from '#journal'
import { runCli, startCli } from '../journeys/run-cli.ts'
import { env, modelsDir, quickClips, quickConfig } from './real-engine.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'asrbench-real-'))
})
afterAll(async () => rm(folder, { recursive: true, force: true }))

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const report = (text: string): void => {
  process.stdout.write(`${text}; load of the machine ${loadavg()[0]?.toFixed(2)}\n`)
}

async function recogniser(threads: number): Promise<OfflineRecognizer> {
  const at = (file: string): string => join(modelsDir, 'moonshine-tiny', file)
  const moonshine = { encoder: at('encoder_model.onnx'), mergedDecoder: at('decoder_model_merged.onnx') }
  return await sherpa.OfflineRecognizer.createAsync({
    modelConfig: { moonshine, tokens: at('tokens.txt'), numThreads: threads, provider: 'cpu', debug: 0 },
  })
}

async function decodeMs(recognizer: OfflineRecognizer, samples: Float32Array): Promise<number> {
  const startedAt = performance.now()
  const stream = recognizer.createStream()
  stream.acceptWaveform({ samples, sampleRate: 16_000 })
  await recognizer.decodeAsync(stream)
  return performance.now() - startedAt
}

/** What two threads take of one thread's time, less 1: mean of logarithms over clips and rounds, in ABBA order. */
async function bareChange(rounds: number): Promise<number> {
  const clips = await quickClips()
  const [one, two] = [await recogniser(1), await recogniser(2)]
  for (const clip of clips) for (const each of [one, two]) await decodeMs(each, clip)
  let sum = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const clip of clips) {
      const order = round % 2 === 0 ? [one, two] : [two, one]
      for (const each of order) sum += (each === two ? 1 : -1) * Math.log(await decodeMs(each, clip))
    }
  }
  return Math.expm1(sum / rounds / clips.length)
}

/** The same of what the service's own recogniser took, request by request, while the experiment measured it. */
async function servedChange(sides: readonly { readonly folders: readonly string[] }[]): Promise<number> {
  const [one = Number.NaN, two = Number.NaN] = await Promise.all(
    sides.map(async ({ folders }) => {
      const runs = await Promise.all(folders.map((each) => readRun(each)))
      const logs = runs.flatMap(({ attempts }) =>
        attempts.flatMap(({ phase, outcome }) =>
          phase === 'measure' && outcome.ok ? [Math.log(outcome.answer.serverDecodeMs ?? Number.NaN)] : [],
        ),
      )
      return logs.reduce((sum, each) => sum + each, 0) / logs.length
    }),
  )
  return Math.expm1(two - one)
}

test('two threads against one: the interval of the experiment holds what the bare recogniser gains', async () => {
  const before = await bareChange(10)
  const services = await Promise.all(
    [1, 2].map(async (threads) => {
      const data = join(folder, `threads-${threads}`)
      const options = ['--data-dir', data, '--models-dir', modelsDir, '--threads', String(threads)]
      const service = startCli(['serve', ...options], { cwd: folder, env })
      await service.said(/Ctrl-C stops it/)
      const target = join(data, 'local-api.json')
      const name = `threads-${threads}`
      const config = quickConfig({ name, target, models: ['moonshine-tiny'], rounds: 4 })
      await writeFile(join(folder, `${name}.yaml`), config)
      return service
    }),
  )
  const startedAt = performance.now()
  const { code, stdout, stderr } = await runCli(
    ['experiment', 'threads-1.yaml', 'threads-2.yaml', '--budget', '6min', '--cool-down', '500ms', '--json'],
    { cwd: folder, env },
  )
  const minutes = (performance.now() - startedAt) / 60_000
  for (const service of services) service.process.kill('SIGINT')
  await Promise.all(services.map(({ ended }) => ended))
  expect(code, stderr).toBe(0)
  const after = await bareChange(10)
  const { stopped, sides, comparisons } = JSON.parse(stdout)
  const served = await servedChange(sides)
  const latency = latencyOf(comparisons[0])
  report(
    `two threads against one: ${percent(latency.relativeChange ?? 0)} (${percent(latency.interval?.low ?? 0)} to ` +
      `${percent(latency.interval?.high ?? 0)}), ${latency.verdict}, ${stopped} after ${sides[0].folders.length} passes and ` +
      `${minutes.toFixed(1)} min; the recogniser by itself ${percent(before)} before and ${percent(after)} after, ` +
      `by its own clock while it was measured ${percent(served)}`,
  )
  expect(minutes).toBeLessThan(10)
  const bare = (before + after) / 2
  expect(latency.interval?.low).toBeLessThanOrEqual(bare)
  expect(latency.interval?.high).toBeGreaterThanOrEqual(bare)
})

test('moonshine-base against moonshine-tiny: slower beyond doubt, and which is faster at which length is told', async () => {
  const config = quickConfig({
    name: 'sizes',
    target: 'embedded',
    models: ['moonshine-tiny', 'moonshine-base'],
    rounds: 2,
  })
  await writeFile(join(folder, 'sizes.yaml'), config)
  const { code, stdout, stderr } = await runCli(
    ['experiment', 'sizes.yaml', '--budget', '6min', '--cool-down', '500ms', '--json'],
    { cwd: folder, env },
  )
  expect(code, stderr).toBe(0)
  const { stopped, comparisons } = JSON.parse(stdout)
  const [contender] = (comparisons[0] as Comparison).contenders
  const latency = latencyOf(comparisons[0])
  const wer = contender?.rates.find(({ metric }) => metric === 'wer')
  report(
    `base against tiny: latency ${percent(latency.relativeChange ?? 0)} (${percent(latency.interval?.low ?? 0)} to ` +
      `${percent(latency.interval?.high ?? 0)}) ${latency.verdict}; WER ${percent(wer?.difference ?? 0)} ` +
      `(${percent(wer?.interval?.low ?? 0)} to ${percent(wer?.interval?.high ?? 0)}) ${wer?.verdict}; ` +
      `crossover ${JSON.stringify(contender?.crossover)}; ${stopped}`,
  )
  expect(latency.verdict).toBe('worse')
  expect(['better', 'unresolved', 'equivalent']).toContain(wer?.verdict)
  expect(contender?.crossover).not.toMatchObject({ kind: 'none', faster: 'second' })
})

function latencyOf({ contenders }: Comparison): Comparison['contenders'][number]['speed'][number] {
  const latency = contenders[0]?.speed.find(({ metric }) => metric === 'latency')
  if (latency === undefined) throw new Error('no latency was compared')
  return latency
}
