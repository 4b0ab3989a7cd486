import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Random, seededRandom } from '#prelude'
import { temporaryFolder } from '../temporary-folder.ts'
import { cancelDictations, hangUp, otherEngines, settled, spokenWav, stayDuring } from './leaving.ts'
import { describeWith, missingHere, modelsDir } from './real-speech.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

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

/**
 * Of each engine and recording, in each part: 1,008 hang-ups and 216 cancels in all. A recogniser keeps the memory of the
 * longest clips that it has had at once, so the whole answers come first. By the end of the second part caches have grown, too.
 * A leak goes on to grow in the third.
 */
const wholeAnswers = { count: 12, atOnce: 4 }
const ofPart = { hangUps: 42, cancels: 9 }
const parts = 3
const timeoutMs = 3_600_000
/** Clients leave within what a minute takes here and now, which is in the middle of everything; on a busy machine, sooner. */
const leavingMs = { min: 2_500, max: 5_000 }
/** Caches fill up, and the collector comes by when it likes. */
const mostGrowthBytes = 100e6

const minute = 'of a minute.wav'
/** For the client that does not leave. */
const short = 'short.wav'

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

async function serve(folder: string, enginesFile: string, microphoneFile: string): Promise<ServiceProcess> {
  return startServiceProcess({
    catalogue: null,
    dataDir: join(folder, 'data'),
    modelsDir,
    allowDirs: [folder],
    enginesFile,
    microphoneFile,
    warmUp: ['moonshine-tiny', 'moonshine-base'],
  })
}

async function chooseModel(service: ServiceProcess, model: string): Promise<void> {
  const { modes } = JSON.parse((await service.send('GET', '/modes')).text) as { modes: { id: string }[] }
  await service.send('PATCH', `/modes/${modes[0]?.id}`, { body: JSON.stringify({ model }) })
}

async function leaveAll(
  service: ServiceProcess,
  folder: string,
  name: string,
  { hangUps, cancels }: typeof ofPart,
  random: Random,
): Promise<void> {
  for (const [engine, model] of engines) {
    const file = join(folder, `${name}.wav`)
    const minuteMs = await answeredMs(service, { engine, model, file: join(folder, minute) })
    const withinMs = Math.min(Math.max(leavingMs.min, minuteMs), leavingMs.max)
    const leaving = hangUp(service, { engine, model, file }, { count: hangUps, withinMs, random })
    const stayed = await stayDuring(service, { engine, model, file: join(folder, short) }, leaving)
    const left = await leaving
    await chooseModel(service, model)
    const cancelled = await cancelDictations(service, { count: cancels, withinMs, random })
    process.stdout.write(
      `${model}, ${name}: ${hangUps} hang-ups (and ${left.answeredCount} answers), ` +
        `${cancels} cancels (and ${cancelled.answeredCount} transcripts), within ${withinMs.toFixed(0)} ms\n`,
    )
    expect([...left.faults, ...stayed, ...cancelled.faults]).toEqual([])
  }
}

describeWith(
  await missingHere('moonshine-tiny', 'moonshine-base', 'silero-vad', 'the quick corpus'),
  'clients that leave',
  () => {
    test.each(recordings)(
      'in the middle of %s end nothing but their own requests',
      async (name, seconds, rateHz) => {
        await using folder = await temporaryFolder()
        await using others = await otherEngines(folder.path)
        await spokenWav(join(folder.path, minute), 60, 16_000)
        await spokenWav(join(folder.path, short), 5, 16_000)
        await spokenWav(join(folder.path, `${name}.wav`), seconds, rateHz)
        await using service = await serve(folder.path, others.enginesFile, join(folder.path, `${name}.wav`))
        const random = seededRandom(20_261_122)
        const startedAtMs = performance.now()
        await answerWhole(service, folder.path)
        const memory: Awaited<ReturnType<typeof settled>>[] = []
        for (let part = 1; part <= parts; part += 1) {
          await leaveAll(service, folder.path, name, ofPart, random)
          const used = await settled(service)
          memory.push(used)
          process.stdout.write(
            `${name}: ${megabytes(used.nowBytes)} after part ${part} of ${parts} (${used.now}); ${used.processCount} processes; ` +
              `${((performance.now() - startedAtMs) / 60_000).toFixed(0)} min\n`,
          )
        }
        expect([service.child.exitCode, service.child.signalCode]).toEqual([null, null])
        const [before, after] = memory.slice(-2)
        // The service and its two recognisers, at least.
        expect(before?.processCount).toBeGreaterThanOrEqual(3)
        expect(after?.processCount).toBeLessThanOrEqual((before?.processCount ?? 0) + 1)
        expect((after?.nowBytes ?? 0) - (before?.nowBytes ?? 0)).toBeLessThan(mostGrowthBytes)
        for (const [engine, model] of engines) {
          await answeredMs(service, { engine, model, file: join(folder.path, short) })
        }
      },
      timeoutMs,
    )
  },
)

/** Brings every recogniser to the memory that it keeps. */
async function answerWhole(service: ServiceProcess, folder: string): Promise<void> {
  for (const [engine, model] of engines.slice(0, 2))
    for (let answered = 0; answered < wholeAnswers.count; answered += wholeAnswers.atOnce)
      await Promise.all(
        Array.from({ length: wholeAnswers.atOnce }, () =>
          answeredMs(service, { engine, model, file: join(folder, minute) }),
        ),
      )
  const { now, nowBytes } = await settled(service)
  process.stdout.write(`after whole answers ${megabytes(nowBytes)} (${now})\n`)
}

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
