import { findRecordedTarget, type RunRecord } from '#journal/run-record'
import { counted, shellWord } from '#prelude'
import { isPriceUnsourced } from '../../figures/costs.ts'
import { evaluatedTargets } from '../../requests/evaluated-load.ts'
import { onlyGivenUp, runFinding } from '../run-facts.ts'

export const runFailed = runFinding('RUN_FAILED', 'invalid', (facts) => {
  const { status, ending } = facts.material.record
  if (status !== 'failed' || onlyGivenUp(facts)) return []
  const { code, message, hint } = ending ?? {
    code: 'unknown',
    message: 'no reason was recorded',
    hint: null,
  }
  return [{ message: `the run failed: ${message} (${code})`, advice: hint }]
})

function resumeCommand({ resume, id }: RunRecord): string {
  return resume ?? `transcribench run --resume ${shellWord(id)}`
}

export const runInterrupted = runFinding('RUN_INTERRUPTED', 'warning', ({ material: { record } }) => {
  if (record.status !== 'interrupted') return []
  const message = 'the run was interrupted; its figures cover a part of the plan'
  return [{ message, advice: `go on with it: ${resumeCommand(record)}` }]
})

export const runUnfinished = runFinding('RUN_UNFINISHED', 'warning', ({ material: { record } }) => {
  if (record.status !== 'started') return []
  const message = 'the run has not recorded its ending: it was killed, or is still going on'
  return [{ message, advice: `where it was killed, go on with it: ${resumeCommand(record)}` }]
})

export const journalOutsidePlan = runFinding(
  'JOURNAL_OUTSIDE_PLAN',
  'invalid',
  ({ resolved: { strayAttemptCount } }) => {
    if (strayAttemptCount === 0) return []
    const strays = `${counted(strayAttemptCount, 'attempt')} in the journal ${strayAttemptCount === 1 ? 'is' : 'are'}`
    return [{ message: `${strays} not in the plan, and not scored`, advice: 'restore the run folder' }]
  },
)

export const severalTargets = runFinding('SEVERAL_TARGETS', 'note', ({ material: { record } }) => {
  const targets = evaluatedTargets(record) ?? []
  const machines = new Set(targets.map(({ machine }) => machine))
  // Several built-in services on this machine differ only in their threads.
  if (targets.every(({ kind }) => kind === 'embedded')) return []
  const where = targets.map(
    ({ machine, contenderIds, roundTripMs }) =>
      `${contenderIds.join(', ')} on ${machine}${roundTripMs === null ? '' : ` (round trip ${roundTripMs.toFixed(1)} ms)`}`,
  )
  const scope =
    machines.size === 1
      ? 'accuracy, latency and speed are those of one machine'
      : 'accuracy compares; latency includes the network; speed is that of each machine'
  return [{ message: `${where.join('; ')}: ${scope}` }]
})

export const priceUnknown = runFinding('PRICE_UNKNOWN', 'note', ({ material: { record } }) => {
  const ids = record.contenders
    .filter(
      (contender) =>
        contender.usdPerMinute == null && findRecordedTarget(record, contender).kind === 'provider',
    )
    .map(({ id }) => id)
  if (ids.length === 0) return []
  return {
    message: `the price of ${ids.join(', ')} is not known: the report has no cost of it`,
    advice: 'add usdPerMinute, priceSource and priceDate to the contender, or name a list: --prices',
  }
})

export const priceUnsourced = runFinding('PRICE_UNSOURCED', 'note', ({ material: { record } }) => {
  const ids = record.contenders.filter(isPriceUnsourced).map(({ id }) => id)
  if (ids.length === 0) return []
  return {
    message: `no cost is claimed for ${ids.join(', ')}: the config does not name the source of the price and the date when it was read`,
    advice: 'add priceSource and priceDate to the contender',
  }
})
