import { isDeepStrictEqual } from 'node:util'
import { hiddenSettings } from '#analysis'
import type { RecordedContender, RunRecord } from '#journal'
import type { Problem } from '#prelude'
import { sessionErrors } from '../errors.ts'

/** A run with the name of the host that measured it. */
export interface HostRun {
  readonly host: string
  readonly record: RunRecord
}

/** What must be equal in all runs, with its name for people and the value that is shown. */
const facts: readonly {
  readonly name: string
  value(record: RunRecord): unknown
  show(record: RunRecord): string
}[] = [
  {
    name: 'corpus',
    value: ({ corpus }) => corpus.fingerprint,
    show: ({ corpus }) => `${corpus.name} (${corpus.fingerprint.slice(0, 12)})`,
  },
  {
    name: 'normalisation',
    value: ({ scoringProfile, scoringRules, noSpeech }) => ({ scoringProfile, scoringRules, noSpeech }),
    show: ({ scoringProfile, scoringRules }) =>
      `${scoringProfile}${scoringRules === undefined ? '' : ' with rules of the config'}`,
  },
  { name: 'load', value: ({ load }) => load, show: ({ load }) => JSON.stringify(load) },
  { name: 'rounds', value: ({ rounds }) => rounds, show: ({ rounds }) => String(rounds) },
  {
    name: 'workload',
    value: ({ workload = 'transcribe' }) => workload,
    show: ({ workload = 'transcribe' }) => workload,
  },
  {
    name: 'contenders',
    value: ({ contenders }) => contenders.map(identityOf),
    show: ({ contenders }) =>
      contenders.map(({ id, engine, model }) => `${id} (${engine}, ${model})`).join(', '),
  },
]

function identityOf({ id, engine, model, language }: RecordedContender): object {
  return { id, engine, model, language }
}

/**
 * Looks whether runs are one measurement on several hosts. Every run is compared with the first.
 *
 * @throws BenchError MERGE_MISMATCH with everything that differs
 */
export function refuseUnlike(
  runs: readonly [HostRun, ...HostRun[]],
  { mayBeOneHost = false }: { readonly mayBeOneHost?: boolean } = {},
): void {
  const [first] = runs
  const problems = [...runs.flatMap(ownProblems), ...hostProblems(runs, mayBeOneHost)]
  for (const run of runs.slice(1)) {
    for (const { name, value, show } of facts) {
      if (isDeepStrictEqual(value(run.record), value(first.record))) continue
      problems.push({
        where: run.record.id,
        what: `${name}: ${show(run.record)}; ${first.record.id} has ${show(first.record)}`,
      })
    }
    for (const { key, base, run: own } of hiddenSettings([first.record], [run.record])) {
      // What a service reports of itself belongs to its host.
      if (key.startsWith('service.')) continue
      problems.push({ where: run.record.id, what: `${key}: ${own}; ${first.record.id} has ${base}` })
    }
  }
  if (problems.length === 0) return
  throw sessionErrors.make('MERGE_MISMATCH', {
    message: 'these runs are not one measurement on several hosts; nothing was written',
    hint: 'measure with the same config and corpus on every host: transcribench run <config>',
    problems,
  })
}

function ownProblems({ record }: HostRun): readonly Problem[] {
  const { id, status, targets, hosts } = record
  const what = [
    ...(status === 'finished' ? [] : [`has the status ${status}: its plan is not complete`]),
    ...(hosts === undefined ? [] : ['is merged already: name the runs that it was made of']),
    ...(targets === undefined || hosts !== undefined ? [] : ['has several targets itself']),
  ]
  return what.map((each) => ({ where: id, what: each }))
}

function hostProblems(runs: readonly HostRun[], mayBeOneHost: boolean): readonly Problem[] {
  const ids = runs.map(({ record }) => record.id)
  const repeated = [...new Set(ids.filter((id, place) => ids.indexOf(id) !== place))]
  const hosts = new Set(runs.map(({ host }) => host))
  return [
    ...repeated.map((id) => ({ where: id, what: 'is named more than once' })),
    ...(hosts.size > 1 || mayBeOneHost
      ? []
      : [{ where: null, what: 'there is one host: a merge needs two or more' }]),
  ]
}
