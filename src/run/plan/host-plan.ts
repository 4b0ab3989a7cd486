import type { BenchConfig } from '#config/bench-config'
import type { RunRecord } from '#journal/run-record'
import type { Problem } from '#prelude'
import { runErrors } from '../execute/errors.ts'
import { type OpenCorpusOptions, type OpenedCorpus, openCorpusFor } from '../inputs.ts'
import { readLoad } from '../read-load.ts'
import { type RecordedPlan, recordedPlan } from '../record.ts'
import { withCorpus } from './contenders.ts'
import { audioSecondsById, averageAudioSeconds, cutPlan, type PlanPart, planLoad } from './measure-plan.ts'
import { mayBeBilled } from './provider-terms.ts'

/** A plan that was made without a target, in parts that any host can measure. */
export interface HostPlan {
  /** Config for the hosts, in which settings that depend on the whole corpus are resolved. */
  readonly config: BenchConfig
  readonly corpus: OpenedCorpus
  readonly parts: readonly PlanPart[]
  /** Whether requests are sent at planned times, so that hosts have to start together. */
  readonly isOpen: boolean
  /** The plan's part of the record of every host. */
  readonly recorded: RecordedPlan
}

export interface HostPlanOptions extends OpenCorpusOptions {
  readonly maxAudioSeconds: number
  readonly settingSources: RunRecord['settingSources']
  readonly command: readonly string[] | undefined
}

/**
 * Plans the work of several hosts, and cuts it into parts. With an open load each block is a part, because hosts
 * start each part together.
 *
 * @throws BenchError FLEET_UNFIT with everything that a fleet cannot measure; as `previewRun`
 */
export async function planForHosts(config: BenchConfig, options: HostPlanOptions): Promise<HostPlan> {
  refuseUnfit(config)
  const { maxAudioSeconds, settingSources, command = [] } = options
  const [load, corpus] = await openCorpusFor(readLoad(config.load), config, options)
  if (load === null)
    throw unfit([{ where: 'load', what: 'the history of a target is different on every host' }])
  const contenderIds = config.contenders.map(({ id }) => id)
  const contenderCount = contenderIds.length
  const allSeconds = config.rounds * contenderCount * corpus.audioSeconds
  const minTurns = 2 * Math.ceil(allSeconds / maxAudioSeconds)
  const { requests, schedule } = planLoad(config, { corpus, load, contenderIds, minTurns })
  const isOpen = schedule.latencyCountsFrom === 'due'
  const secondsById = audioSecondsById(corpus)
  const audioSecondsOf = (id: string): number => secondsById.get(id) ?? 0
  const parts = cutPlan(requests, { contenderCount, audioSecondsOf, maxAudioSeconds, isByBlock: isOpen })
  const meanAudioSeconds = averageAudioSeconds(corpus)
  return {
    config: {
      ...config,
      contenders: config.contenders.map((contender) => withCorpus(contender, corpus)),
      exclude: [],
      sample: null,
      thresholds: [],
    },
    corpus,
    parts: parts.map((part) => ({ ...part, meanAudioSeconds })),
    isOpen,
    recorded: recordedPlan({ config, settingSources, command }, { corpus, load, requests }),
  }
}

function refuseUnfit(config: BenchConfig): void {
  const problems: Problem[] = []
  if (config.workload !== 'transcribe') {
    problems.push({ where: 'workload', what: `"${config.workload}" sends no recordings` })
  }
  if (config.contenders.some(({ target }) => target !== undefined)) {
    problems.push({ where: 'contenders', what: 'have separate targets: a host has one' })
  }
  if (new Set(config.contenders.map(({ threads }) => threads)).size > 1) {
    problems.push({ where: 'threads', what: 'differ: each number of threads needs a separate service' })
  }
  const billed = config.contenders.filter((contender) => mayBeBilled(contender, config)).map(({ id }) => id)
  if (billed.length > 0) {
    problems.push({
      where: billed.join(', '),
      what: 'billed audio has a limit on each host, and none over all',
    })
  }
  if (config.reuseSeconds !== null) {
    problems.push({ where: 'reuse', what: 'answers of earlier runs are of one host' })
  }
  if (problems.length > 0) throw unfit(problems)
}

function unfit(problems: readonly Problem[]): Error {
  return runErrors.make('FLEET_UNFIT', {
    message: 'a fleet cannot measure this config; nothing was sent',
    hint: 'correct the config, or measure on each host and merge: transcribench merge <host>=<run> …',
    problems,
  })
}
