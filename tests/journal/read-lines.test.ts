import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AttemptLine } from '#journal/attempt-line'
import { type PlannedRequest, phases } from '#journal/plan-line'
import { readRun } from '#journal/run-reader'
import { createRun, runFiles } from '#journal/run-writer'
import { temporaryFolder } from '../temporary-folder.ts'
import { anAttempt, anUtterance, aRecord, aRequest } from './a-run.ts'

async function writeRun(
  results: string,
  attempts: readonly AttemptLine[],
  requests: readonly PlannedRequest[] = [aRequest],
): Promise<string> {
  await using writer = await createRun(results, aRecord.id)
  await writer.writeRecord(aRecord)
  await writer.writePlan([anUtterance, ...requests])
  const lines = attempts.map((attempt) => `${JSON.stringify(attempt)}\n`).join('')
  await writeFile(join(writer.folder, runFiles.journal), lines)
  return writer.folder
}

const said = (text: string): AttemptLine => ({
  ...anAttempt,
  outcome: { ok: true, answer: { ...answer, text } },
})
const answer = anAttempt.outcome.ok ? anAttempt.outcome.answer : expect.fail('an answer was made')
const asWritten = (rows: Iterable<AttemptLine>): AttemptLine[] => JSON.parse(JSON.stringify([...rows]))

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\u2028', '\r', 'the cat sat'))
const time = fc.double({ noNaN: true, noDefaultInfinity: true }).map((ms) => (ms === 0 ? 0 : ms))
const place = {
  index: fc.nat(),
  phase: fc.constantFrom(...phases),
  round: fc.nat(9),
  block: fc.integer({ min: -1, max: 9 }),
  contenderId: text,
  utteranceId: text,
} as const

const during = fc.constantFrom('connecting' as const, 'waiting' as const, 'receiving' as const)

/** Any attempt that a run can write down. */
const anyAttempt: fc.Arbitrary<AttemptLine> = fc.record(
  {
    ...place,
    attempt: fc.integer({ min: 1, max: 3 }),
    segment: fc.nat(2),
    modeId: fc.option(text),
    transport: fc.constantFrom('path', 'staged', 'base64', 'multipart', 'text'),
    refusedTransport: fc.constantFrom('path', 'base64'),
    audioSeconds: time,
    bodyBytes: fc.maxSafeNat(),
    dueAtMs: time,
    sentAtMs: time,
    firstByteAtMs: fc.option(time),
    endedAtMs: time,
    socket: fc.record({ startedAtMs: time, connectMs: time, uploadedAtMs: fc.option(time) }),
    outcome: fc.oneof(
      fc.record({
        ok: fc.constant(true as const),
        answer: fc.record(
          {
            text,
            rawText: fc.option(text),
            engine: text,
            model: text,
            language: fc.option(text),
            serverLoadMs: fc.option(time),
            serverDecodeMs: fc.option(time),
            serverLatencyMs: fc.option(time),
            isPostProcessed: fc.boolean(),
          },
          {
            requiredKeys: [
              ...(['text', 'rawText', 'engine', 'model', 'language'] as const),
              ...(['serverLoadMs', 'serverDecodeMs', 'serverLatencyMs'] as const),
            ],
          },
        ),
      }),
      fc.record({
        ok: fc.constant(false as const),
        failure: fc.oneof(
          fc.record(
            {
              kind: fc.constant('refused' as const),
              code: text,
              message: text,
              hint: fc.option(text),
              httpStatus: fc.nat(599),
              retryAfterSeconds: fc.nat(),
            },
            { requiredKeys: ['kind', 'code', 'message', 'hint', 'httpStatus'] },
          ),
          fc.record({ kind: fc.constant('malformed' as const), httpStatus: fc.nat(599), excerpt: text }),
          fc.record({ kind: fc.constant('unsendable' as const), reason: text }),
          fc.record({ kind: fc.constant('timedOut' as const), afterMs: time, during }),
          fc.record({ kind: fc.constant('unreachable' as const), cause: text, during }),
          fc.record({ kind: fc.constant('dropped' as const) }),
        ),
      }),
    ),
  },
  {
    requiredKeys: [
      ...(['index', 'phase', 'round', 'block', 'contenderId', 'utteranceId', 'attempt', 'modeId'] as const),
      ...(['transport', 'audioSeconds', 'bodyBytes', 'dueAtMs', 'sentAtMs', 'firstByteAtMs'] as const),
      ...(['endedAtMs', 'outcome'] as const),
    ],
  },
)

const anyRequest: fc.Arbitrary<PlannedRequest> = fc.record({
  kind: fc.constant('request' as const),
  ...place,
  send: fc.option(
    fc.oneof(
      fc.record({ kind: fc.constant('due' as const), dueAtMs: time }),
      fc.record({ kind: fc.constant('next' as const) }),
      fc.record({ kind: fc.constant('spoken' as const), speaker: fc.nat(), pauseMs: time, speechMs: time }),
    ),
  ),
})

describe('the lines of a run', () => {
  test('whatever they hold, come back as they were written', async () => {
    await using results = await temporaryFolder()
    await fc.assert(
      fc.asyncProperty(fc.array(anyAttempt), fc.array(anyRequest), async (attempts, requests) => {
        const run = await readRun(await writeRun(results.path, attempts, requests))
        expect(asWritten(run.attempts)).toEqual(JSON.parse(JSON.stringify(attempts)))
        expect([...run.requests]).toEqual(requests)
      }),
      { numRuns: 60 },
    )
  })

  test('may be longer than what is read at once, and end anywhere in it', async () => {
    await using results = await temporaryFolder()
    const texts = [2 ** 16 - 1, 2 ** 20, 3, 2 ** 21 + 7, 2 ** 16].map((length) => 'ä'.repeat(length))
    const { attempts } = await readRun(await writeRun(results.path, texts.map(said)))
    expect(attempts.map(({ outcome }) => outcome.ok && outcome.answer.text)).toEqual(texts)
  })

  test('end with a line feed and nothing else that ends lines elsewhere', async () => {
    await using results = await temporaryFolder()
    const texts = ['a\u2028b', 'a\u2029b', 'a\u0085b']
    const folder = await writeRun(results.path, texts.map(said))
    const journal = join(folder, runFiles.journal)
    await writeFile(journal, (await readFile(journal, 'utf8')).replaceAll('\n', '\r\n'))
    const { attempts } = await readRun(folder)
    expect(attempts.map(({ outcome }) => outcome.ok && outcome.answer.text)).toEqual(texts)
  })

  test('are reported by their numbers, all at once', async () => {
    await using results = await temporaryFolder()
    const folder = await writeRun(
      results.path,
      Array.from({ length: 3000 }, (_, index) => ({ ...anAttempt, index })),
    )
    const journal = join(folder, runFiles.journal)
    await appendFile(journal, `${JSON.stringify({ ...anAttempt, attempt: 0 })}\nnonsense\n`)
    await appendFile(journal, `${JSON.stringify({ ...anAttempt, written: 'by a newer version' })}\n`)
    await expect(readRun(folder)).rejects.toMatchObject({
      code: 'RUN_UNREADABLE',
      problems: [
        { where: 'journal.jsonl:3001', what: expect.stringContaining('attempt: ') },
        { where: 'journal.jsonl:3002', what: 'not JSON' },
      ],
    })
  })

  test('lose what a newer version added to them', async () => {
    await using results = await temporaryFolder()
    const later = { ...anAttempt, written: 'later' }
    const { attempts } = await readRun(await writeRun(results.path, [later]))
    expect(asWritten(attempts)).toEqual([anAttempt])
  })
})
