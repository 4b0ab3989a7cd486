import type { BenchConfig } from '#config/bench-config'
import { fieldAt } from '#config/resolve-config'
import { programVersion } from '#installation/installation'
import type { RecordedRun } from '#journal/run-reader'
import type { RecordedContender, RecordedTarget } from '#journal/run-record'
import { reopenRun } from '#journal/run-writer'
import { BenchError, fingerprint, type Problem } from '#prelude'
import { describeHost } from '#telemetry/host'
import { anewCommand, resumeCommand } from './commands.ts'
import { checkRest } from './execute/billing.ts'
import { runErrors } from './execute/errors.ts'
import { findModel } from './execute/readiness.ts'
import { type OpenedCorpus, plannedUtterances } from './inputs.ts'
import { audioSecondsById, type MeasurePlan } from './plan/measure-plan.ts'
import { waitedOutContenders } from './plan/provider-terms.ts'
import { newRun, type RunOrigin } from './prepare-run.ts'
import { resumeRecord } from './record.ts'
import { nextSegment } from './segment.ts'
import { type AnyTarget, findBaseUrl } from './target/open-server.ts'
import { nameMachine, type RunTarget } from './target/run-targets.ts'

/**
 * Resumes a run in its folder: the rest of its plan is sent.
 *
 * @param config of the recorded run
 * @param given fields of this command by their paths; each must equal the recorded one, except those of
 * `changedFields`
 */
export function resumedRun(run: RecordedRun, config: BenchConfig, given: GivenFields): RunOrigin {
  const refuse = refusal(run, 'cannot be resumed: the rest would not be measured as the first part was')
  return {
    readLoad: async () => run.record.load,
    explain: (error) =>
      mayMove(run) && !given.has('target') ? explainMovedTarget(error, run.folder) : error,
    checkTargets: (corpus, targets) =>
      refuse([
        ...settingProblems(config, given),
        ...corpusProblems(run, corpus),
        ...targetProblems(run, targets, (contenders, before, target) => [
          ...modelProblems(contenders, before, target),
          ...serverProblems(before, target),
        ]),
        ...hostProblems(run),
      ]),
    readReuse: async () => () => run.reused,
    checkPlan(plan, targets) {
      refuse(planProblems(run, plan))
      const { maxBilledMinutes: maxMinutes } = changedFields(config, given)
      const waitedOutIds = waitedOutContenders(config, plan.load, targets)
      const cap = { maxMinutes, waitedOutIds, resume: resumeCommand(run.folder) }
      checkRest(plan, run, audioSecondsById(plan.corpus), cap)
    },
    readTimeBefore: async () => null,
    segment: nextSegment(run),
    openFolder: () => reopenRun(run.folder),
    async begin(writer, input) {
      const record = resumeRecord(run.record, input)
      await writer.writeRecord(record)
      return record
    },
  }
}

/** Sends the whole plan of a run again, as a separate run. */
export function replayedRun(run: RecordedRun, config: BenchConfig): RunOrigin {
  const refuse = refusal(run, 'cannot be replayed: it would not be the same plan')
  return {
    ...newRun(config),
    readLoad: async () => run.record.load,
    checkTargets: (corpus, targets) =>
      refuse([...corpusProblems(run, corpus), ...targetProblems(run, targets, modelProblems)]),
    checkPlan: (plan) => refuse(planProblems(run, plan)),
  }
}

/** Lists what differs in each target and its contenders. */
function targetProblems(
  { record }: RecordedRun,
  targets: readonly RunTarget[],
  compare: typeof modelProblems,
): Problem[] {
  return targets.flatMap(({ id, target }) => {
    const before = id === null ? record.target : record.targets?.find((recorded) => recorded.id === id)
    if (before === undefined) return [{ where: 'target', what: `${id} was not among the targets` }]
    const contenders = record.contenders.filter((contender) => (contender.target ?? null) === id)
    return compare(contenders, before, target)
  })
}

/** The plan is made again and compared with the recorded one, because another version may generate other arrivals. */
function planProblems(
  { record, requests: recorded }: RecordedRun,
  { contenders, requests }: MeasurePlan,
): Problem[] {
  const before = record.contenders.map(({ id }) => id).join(', ')
  const now = contenders.map(({ id }) => id).join(', ')
  if (before !== now) return [{ where: 'contenders', what: `${before} were ready then, ${now} are now` }]
  const isAlike =
    requests.length === recorded.length &&
    recorded.every((request, position) => fingerprint(requests.at(position)) === fingerprint(request))
  if (isAlike) return []
  const { programVersion: version } = record.host
  const what = `transcribench ${version} planned it otherwise than this one, ${programVersion()}, would`
  return [{ where: 'plan.jsonl', what }]
}

/** Whether a command may name another address: that of the one service of the run, which reports what it is. */
function mayMove({ record: { target, targets } }: RecordedRun): boolean {
  return targets === undefined && (target.kind === 'discovered' || target.kind === 'address')
}

/** Error codes of a target that may only have moved to another address. */
const movable: ReadonlySet<string> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_STALE',
  'TARGET_UNREACHABLE',
  'TARGET_NOT_THE_API',
  'TARGET_TOKEN_REFUSED',
])

/** Adds a hint to the error of a resumed run whose target has moved: how to name the new address. */
function explainMovedTarget(error: unknown, folder: string): unknown {
  if (!(error instanceof BenchError) || !movable.has(error.code)) return error
  const { code, exit, message, hint, problems } = error
  const elsewhere = `${resumeCommand(folder)} --target <its address now>`
  return new BenchError(code, exit, {
    message,
    hint: `${hint}; or, where the same service is at another address now: ${elsewhere}`,
    problems,
    cause: error,
  })
}

function refusal({ record }: RecordedRun, what: string): (problems: readonly Problem[]) => void {
  return (problems) => {
    if (problems.length === 0) return
    throw runErrors.make('RUN_DIFFERS', {
      message: `${record.id} ${what}`,
      hint: `put back what has changed, or measure anew: ${anewCommand(record)}`,
      problems,
    })
  }
}

/** What a resumed run takes from its own command: the address of the same service, and how much may be billed. */
export function changedFields(
  config: BenchConfig,
  given: GivenFields,
): Pick<BenchConfig, 'target' | 'maxBilledMinutes'> {
  return {
    target: String(given.get('target') ?? config.target),
    maxBilledMinutes: Number(given.get('maxBilledMinutes') ?? config.maxBilledMinutes),
  }
}

type GivenFields = ReadonlyMap<string, unknown>

/** Settings that differ, but for those that do not affect a measurement; a single target is checked separately. */
function settingProblems(config: BenchConfig, given: GivenFields): Problem[] {
  return [...given].flatMap(([key, value]) => {
    const before = fieldAt(config, key)
    const isFree = key === 'results' || key in changedFields(config, given)
    if (isFree && !(key === 'target' && config.contenders.some(({ target }) => target !== undefined)))
      return []
    if (fingerprint(before ?? null) === fingerprint(value ?? null)) return []
    return [{ where: key, what: `is ${shown(value)} now and was ${shown(before)}` }]
  })
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

function corpusProblems({ record, utterances }: RecordedRun, corpus: OpenedCorpus): Problem[] {
  const now = new Map(Array.from(plannedUtterances(corpus), (utterance) => [utterance.id, utterance]))
  const before = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const inBoth = utterances.filter(({ id }) => now.has(id))
  const differing = (key: 'sha256' | 'reference'): readonly string[] =>
    inBoth.filter((utterance) => now.get(utterance.id)?.[key] !== utterance[key]).map(({ id }) => id)
  const problems = [
    {
      what: 'utterances that are not there any more',
      ids: [...before.keys()].filter((id) => !now.has(id)),
    },
    { what: 'utterances that were not there', ids: [...now.keys()].filter((id) => !before.has(id)) },
    { what: 'other recordings than then', ids: differing('sha256') },
    { what: 'other references than then', ids: differing('reference') },
  ]
    .filter(({ ids }) => ids.length > 0)
    .map(({ what, ids }) => ({
      where: 'corpus',
      what: `${what}: ${ids.slice(0, 10).join(', ')}${ids.length > 10 ? ', …' : ''}`,
    }))
  if (problems.length > 0 || record.corpus.fingerprint === corpus.fingerprint) return problems
  return [{ where: 'corpus', what: 'its manifest has been changed since' }]
}

function modelProblems(
  contenders: readonly RecordedContender[],
  recorded: RecordedTarget,
  target: AnyTarget,
): Problem[] {
  return contenders.flatMap(({ id, engine, model }) => {
    const before = findModel({ engine, model }, recorded.models)
    if (before === undefined) return []
    const now = findModel({ engine, model }, target.models)
    if (now === undefined || !now.installed) {
      return [{ where: id, what: `the model ${before.id} is not on ${target.description} any more` }]
    }
    const differences = differingKeys(before, now)
    if (differences === '') return []
    return [{ where: id, what: `the model ${before.id} is another one: ${differences}` }]
  })
}

/** The changed keys of two entries: `size_mb is 120 and was 80`; empty if they are equal. */
function differingKeys(before: object, now: object): string {
  const [then, present] = [new Map(Object.entries(before)), new Map(Object.entries(now))]
  const keys = [...new Set([...then.keys(), ...present.keys()])]
  return keys
    .filter((key) => fingerprint(then.get(key) ?? null) !== fingerprint(present.get(key) ?? null))
    .map((key) => `${key} is ${shown(present.get(key))} and was ${shown(then.get(key))}`)
    .join(', ')
}

/**
 * A service may have a new address, but its kind, machine and version must be the recorded ones. A transcription server
 * reports no version, and a provider is known by its name, so another address is another server for the first alone.
 */
function serverProblems(recorded: RecordedTarget, target: AnyTarget): Problem[] {
  const [kindThen, kindNow] = [kindInWords[recorded.kind], kindInWords[target.kind]]
  if (kindThen !== kindNow) return [{ where: 'target', what: `is ${kindNow} now and was ${kindThen}` }]
  const placeOf = (baseUrl: string): string => (target.kind === 'openai' ? baseUrl : nameMachine(baseUrl))
  const [placeThen, placeNow] = [placeOf(recorded.baseUrl), placeOf(findBaseUrl(target))]
  const before = recorded.health?.app_version ?? null
  const now = target.health?.app_version ?? null
  return [
    ...(placeThen === placeNow
      ? []
      : [{ where: 'target', what: `is on ${placeNow} now and was on ${placeThen}` }]),
    ...(before === now ? [] : [{ where: 'target', what: `has version ${now} now and had ${before}` }]),
  ]
}

const service = 'a service of the Local Transcription API'
const kindInWords: Readonly<Record<RecordedTarget['kind'], string>> = {
  embedded: 'the built-in service',
  discovered: service,
  address: service,
  openai: 'a transcription server',
  provider: 'a provider',
}

function hostProblems({ record }: RecordedRun): Problem[] {
  const now = describeHost(programVersion())
  const keys = ['platform', 'architecture', 'cpuModel', 'cpuCount', 'memoryBytes'] as const
  return keys.flatMap((key) =>
    record.host[key] === now[key]
      ? []
      : [{ where: 'this machine', what: `has ${key} ${now[key]}, and the run had ${record.host[key]}` }],
  )
}
