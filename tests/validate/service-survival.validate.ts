import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '#prelude'
import { defaultModelsDir, listModels } from '#service'
import { temporaryFolder } from '../service/running-service.ts'
import { cancelDictations, hangUp, otherEngines, settled, spokenWav } from './leaving.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const modelsDir = defaultModelsDir(process.env)
const installed = (await listModels({ modelsDir })).filter((model) => model.installed).map(({ id }) => id)
const missing = [
  ...['moonshine-tiny', 'moonshine-base', 'silero-vad'].filter((id) => !installed.includes(id)),
  ...(existsSync(join(import.meta.dirname, '../../corpora/quick/audio')) ? [] : ['the quick corpus']),
]

const engines = [
  ['moonshine', 'moonshine-tiny'],
  ['moonshine', 'moonshine-base'],
  ['command', 'words'],
  ['elsewhere', 'remote'],
] as const
const recordings = [
  ['a minute', 60, 16_000],
  ['half an hour', 1_800, 8_000],
] as const

const hangUpsEach = 12
const cancelsEach = 3
/** Clients leave within what a minute takes here and now, which is in the middle of everything. */
const leastMs = 2_500
/** Caches fill up, and the collector comes by when it likes. */
const mostGrowthBytes = 100e6

const minute = 'of a minute.wav'

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

async function serve(folder: string, enginesFile: string, microphoneFile: string): Promise<ServiceProcess> {
  const options = {
    dataDir: join(folder, 'data'),
    modelsDir,
    allowDirs: [folder],
    enginesFile,
    microphoneFile,
    warmUp: ['moonshine-tiny', 'moonshine-base'],
  }
  // Null, unlike nothing, replaces the scripted catalogue of the process; the service takes its own then.
  return startServiceProcess(Object.assign({}, options, { catalogue: null as unknown as undefined }))
}

async function chooseModel(service: ServiceProcess, model: string): Promise<void> {
  const { modes } = JSON.parse((await service.send('GET', '/modes')).text) as { modes: { id: string }[] }
  await service.send('PATCH', `/modes/${modes[0]?.id}`, { body: JSON.stringify({ model }) })
}

async function leaveAll(
  service: ServiceProcess,
  folder: string,
  name: string,
  random: Random,
): Promise<void> {
  for (const [engine, model] of engines) {
    const file = join(folder, `${name}.wav`)
    const withinMs = Math.max(
      leastMs,
      await answeredMs(service, { engine, model, file: join(folder, minute) }),
    )
    const answered = await hangUp(service, { engine, model, file }, { count: hangUpsEach, withinMs, random })
    await chooseModel(service, model)
    await cancelDictations(service, { count: cancelsEach, withinMs, random })
    process.stdout.write(
      `${model}, ${name}: ${hangUpsEach - answered} hang-ups, ${cancelsEach} cancels, within ${withinMs.toFixed(0)} ms\n`,
    )
  }
}

describe.skipIf(missing.length > 0)(
  `clients that leave${missing.length === 0 ? '' : ` (not here: ${missing.join(', ')})`}`,
  () => {
    test.each(recordings)(
      'in the middle of %s end nothing but their own requests',
      async (name, seconds, rateHz) => {
        await using folder = await temporaryFolder()
        await using others = await otherEngines(folder.path)
        await spokenWav(join(folder.path, minute), 60, 16_000)
        await spokenWav(join(folder.path, `${name}.wav`), seconds, rateHz)
        await using service = await serve(folder.path, others.enginesFile, join(folder.path, `${name}.wav`))
        const random = seededRandom(20_261_122)
        // All models in memory, and what grows once has grown.
        await leaveAll(service, folder.path, name, random)
        const before = await settled(service)
        await leaveAll(service, folder.path, name, random)
        const after = await settled(service)
        process.stdout.write(
          `${name}: ${megabytes(before.residentBytes)} before, ${megabytes(after.residentBytes)} after; ` +
            `${before.processCount} and ${after.processCount} processes\n`,
        )
        expect(service.child.exitCode).toBe(null)
        // The service and its two recognisers, at least.
        expect(before.processCount).toBeGreaterThanOrEqual(3)
        expect(after.processCount).toBeLessThanOrEqual(before.processCount + 1)
        expect(after.residentBytes - before.residentBytes).toBeLessThan(mostGrowthBytes)
        await spokenWav(join(folder.path, 'short.wav'), 5, 16_000)
        for (const [engine, model] of engines) {
          await answeredMs(service, { engine, model, file: join(folder.path, 'short.wav') })
        }
      },
    )
  },
)

/** How long a whole answer takes, in milliseconds. */
async function answeredMs(
  service: ServiceProcess,
  asked: { readonly engine: string; readonly model: string; readonly file: string },
): Promise<number> {
  const startedAtMs = performance.now()
  const { text } = await service.send('POST', '/transcribe', { body: JSON.stringify(asked) })
  expect(JSON.parse(text)).toMatchObject({ ok: true })
  return performance.now() - startedAtMs
}
