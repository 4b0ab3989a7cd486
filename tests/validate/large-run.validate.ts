import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listRuns } from '#journal/find-run'
import { readRun } from '#journal/run-reader'
import { createRun, runFiles } from '#journal/run-writer'
import { anAttempt, anUtterance, aRecord, aRequest } from '../journal/a-run.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import type { LargeRunFigures } from './large-run.ts'
import { runProgram } from './program.ts'
import { runAgainstNothing } from './run-against-nothing.ts'

const measuredTime = async (way: 'score' | 'evaluate', folder: string): Promise<LargeRunFigures> =>
  JSON.parse(await runProgram('large-run', way, folder))

/** Answers that all differ, with errors in them: several times the work of a server that always says the same. */
test.each([
  ['100,000 requests of 50,000 utterances', 50_000, 1, 20],
  ['a million requests of 100,000 utterances', 100_000, 5, 100],
])('%s are evaluated, and every document is written', async (_name, utteranceCount, rounds, goalSeconds) => {
  await using home = await temporaryFolder()
  await runProgram('large-run', 'make', home.path, utteranceCount, rounds)
  const folder = join(home.path, 'large')
  const evaluated = await measuredTime('evaluate', folder)
  const scored = await measuredTime('score', folder)
  const sizes = await Promise.all(
    [runFiles.evaluation, runFiles.utteranceTable, runFiles.page].map(
      async (file) => `${file} ${((await stat(join(folder, file))).size / 1e6).toFixed(0)} MB`,
    ),
  )
  process.stdout.write(
    `${scored.attemptCount} requests: evaluated in ${evaluated.seconds.toFixed(1)} s, peak ` +
      `${evaluated.peakMegabytes.toFixed(0)} MB; read, evaluated and written in ${scored.seconds.toFixed(1)} s, ` +
      `peak ${scored.peakMegabytes.toFixed(0)} MB; ${sizes.join(', ')}\n`,
  )
  expect(scored.attemptCount).toBe(utteranceCount * rounds * 2)
  expect(evaluated.seconds).toBeLessThan(goalSeconds)
})

test('a line of 72 MiB is read in time that grows with its length', async () => {
  await using home = await temporaryFolder()
  await using writer = await createRun(home.path, aRecord.id)
  await writer.writeRecord(aRecord)
  await writer.writePlan([anUtterance, aRequest])
  const { outcome } = anAttempt
  if (!outcome.ok) expect.fail('an answer was made')
  const text = '\u2028word\r'.repeat(2 ** 23)
  const long = { ...anAttempt, outcome: { ...outcome, answer: { ...outcome.answer, text } } }
  const lines = [long, anAttempt].map((line) => `${JSON.stringify(line)}\n`).join('')
  await writeFile(join(writer.folder, runFiles.journal), lines)
  const startedAtMs = performance.now()
  const { attempts } = await readRun(writer.folder)
  const seconds = (performance.now() - startedAtMs) / 1000
  process.stdout.write(
    `a line of ${(Buffer.byteLength(lines) / 2 ** 20).toFixed(0)} MiB: ${seconds.toFixed(1)} s\n`,
  )
  expect(attempts).toHaveLength(2)
  expect(seconds).toBeLessThan(10)
})

const requestCount = 100_000

test(`a run of ${requestCount} requests holds its memory after the first minute, and loses none of them`, async () => {
  await using home = await temporaryFolder()
  const long = await runAgainstNothing(home.path, requestCount)
  expect(long.code, long.stderr).toBe(0)
  const [runFolder = ''] = await listRuns(join(home.path, 'results'))
  const { record, attempts } = await readRun(runFolder)
  const measured = attempts.filter(({ phase }) => phase === 'measure')
  const evaluated = await measuredTime('evaluate', runFolder)
  const after = long.memory.filter(({ seconds }) => seconds > 60)
  const [early, late] = [after.slice(0, after.length / 3), after.slice((-after.length / 3) | 0)].map(
    (samples) => samples.reduce((sum, { residentMegabytes }) => sum + residentMegabytes, 0) / samples.length,
  )
  process.stdout.write(
    `${requestCount} requests in ${long.sendingSeconds.toFixed(0)} s; memory ${early?.toFixed(0)} MB after the ` +
      `first minute, ${late?.toFixed(0)} MB at the end (${long.memory
        .map(({ residentMegabytes }) => residentMegabytes.toFixed(0))
        .filter((_, index) => index % 10 === 0)
        .join(' ')}); ` +
      `scored and written in ${long.scoringSeconds.toFixed(1)} s, of which evaluated ${evaluated.seconds.toFixed(1)} s\n`,
  )
  expect(record.counts).toEqual({
    planned: requestCount,
    answered: requestCount,
    failed: 0,
    dropped: 0,
    notSent: 0,
  })
  expect(new Set(measured.map(({ index }) => index)).size).toBe(requestCount)
  expect(measured).toHaveLength(requestCount)
  expect(after.length).toBeGreaterThan(30)
  expect(late).toBeLessThan(1.1 * (early ?? 0))
  expect(evaluated.seconds).toBeLessThan(10)
})
