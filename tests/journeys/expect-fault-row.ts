import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { failureLabel } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { RecordedRun } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
import type { FaultRow } from './fault-rows.ts'
import type { FaultWorld } from './fault-world.ts'

/** Makes the fault happen and holds the run against its row; then brings it to its end, where it had come to none. */
export async function expectRow(world: FaultWorld, row: FaultRow): Promise<void> {
  expect(await row.happens(world)).toBe(row.exit)
  world.front.spoil(() => null)
  const run = await world.recorded()
  const { status, ending, counts } = run.record
  expect({ status, ending: ending?.code ?? null }).toEqual({ status: row.status, ending: row.ending })
  const tally = expectNothingLost(run)
  expect(tally.failures).toEqual(row.failures)
  if (row.notSent !== undefined) expect(tally.notSent).toBe(row.notSent)
  if (counts !== null) {
    const { planned, answered, failed, dropped, notSent } = counts
    expect(answered + failed + dropped + notSent).toBe(planned)
    expect({ planned, answered, notSent }).toEqual({ ...tally.last, notSent: tally.notSent })
  }
  for (const { sentAtMs, endedAtMs, dueAtMs } of run.attempts) {
    expect(sentAtMs).toBeGreaterThanOrEqual(dueAtMs)
    expect(endedAtMs - sentAtMs).toBeGreaterThanOrEqual(0)
    expect(endedAtMs - sentAtMs).toBeLessThan(longestMs)
  }
  if (row.finding !== undefined) expect(await findingsOf(run)).toContain(row.finding)
  if (status === 'finished') return expect(await world.modes()).toEqual(world.before)
  if (ending !== null) expect(ending.hint).toContain('transcribench run --resume')
  if (row.isCleaned === true) await expectCleaned(world)
  if (row.isTorn === true) await appendFile(join(run.folder, runFiles.journal), '{"index":9,"atte')
  await expectResumed(world, run, row.resumedExit ?? 0)
}

/** What a dead run left on the server is found by its journal, once. */
async function expectCleaned(world: FaultWorld): Promise<void> {
  expect(await world.modes()).not.toEqual(world.before)
  const clean = ['modes', 'clean', '--target', world.target]
  expect((await world.cli(...clean)).stdout).toMatch(/deleted|restored/)
  expect(await world.modes()).toEqual(world.before)
  expect((await world.cli(...clean)).stdout).toContain('nothing was left behind')
}

/** No request of these runs takes so long, whatever a clock says. */
const longestMs = 180_000

/** Every planned request is answered, failed or not sent, and no attempt is in the journal twice. */
function expectNothingLost({ requests, attempts }: RecordedRun): {
  readonly last: { readonly planned: number; readonly answered: number }
  readonly notSent: number
  readonly failures: Readonly<Record<string, number>>
} {
  const names = attempts.map(({ index, attempt }) => `${index}/${attempt}`)
  expect(new Set(names).size).toBe(names.length)
  const planned = requests.filter(({ phase }) => phase === 'measure')
  const measured = attempts.filter(({ phase }) => phase === 'measure')
  const outcomes = new Map(measured.map(({ index, outcome }) => [index, outcome.ok]))
  expect([...outcomes.keys()].every((index) => planned.some((request) => request.index === index))).toBe(true)
  const failures: Record<string, number> = {}
  for (const { outcome } of measured) {
    if (outcome.ok) continue
    const label = failureLabel(outcome.failure)
    failures[label] = (failures[label] ?? 0) + 1
  }
  const answered = [...outcomes.values()].filter(Boolean).length
  return { last: { planned: planned.length, answered }, notSent: planned.length - outcomes.size, failures }
}

/** Goes on with a run: what was settled stays as it was, the rest is sent, and the Modes are as a person left them. */
async function expectResumed(world: FaultWorld, before: RecordedRun, exit: number): Promise<void> {
  const written = await readFile(join(before.folder, runFiles.journal), 'utf8')
  const resumed = await world.cli('run', '--resume', 'latest')
  expect(resumed, resumed.stderr).toMatchObject({ code: exit })
  await expectWhole(world, before, written)
}

/**
 * @param before the run before it was resumed
 * @param written what was in its journal then
 * @returns the attempts that were made since
 */
export async function expectWhole(
  world: FaultWorld,
  before: RecordedRun,
  written: string,
): Promise<readonly AttemptLine[]> {
  const after = await world.recorded()
  const now = await readFile(join(after.folder, runFiles.journal), 'utf8')
  expect(now.startsWith(written)).toBe(true)
  expect(after.record).toMatchObject({ status: 'finished', ending: null, counts: { dropped: 0, notSent: 0 } })
  const settled = before.attempts.filter(
    ({ phase, outcome }) => phase === 'measure' && (outcome.ok || outcome.failure.kind !== 'dropped'),
  )
  const again = [...after.attempts].slice(before.attempts.length).filter(({ phase }) => phase === 'measure')
  expect(again.filter(({ index }) => settled.some((line) => line.index === index))).toEqual([])
  const { last, notSent } = expectNothingLost(after)
  expect({ sent: again.length + settled.length, notSent }).toEqual({ sent: last.planned, notSent: 0 })
  expect(await world.modes()).toEqual(world.before)
  return again
}

async function findingsOf({ folder }: RecordedRun): Promise<readonly string[]> {
  const evaluation: { readonly findings: readonly { readonly code: string }[] } = JSON.parse(
    await readFile(join(folder, runFiles.evaluation), 'utf8'),
  )
  return evaluation.findings.map(({ code }) => code)
}
