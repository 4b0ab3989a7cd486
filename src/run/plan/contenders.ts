import { clientErrors } from '#client/errors'
import type { BenchConfig, ContenderConfig } from '#config/bench-config'
import { detectedLanguage } from '#config/contender-file'
import { configErrors } from '#config/errors'
import type { VerifiedCorpus } from '#corpus/utterance'
import { spokenLanguage } from '#corpus/words'
import { ownConditions, type RecordedContender } from '#journal/run-record'
import { systemClock } from '#load/clock'
import { asOneError, BenchError, shellWord, withoutUndefined } from '#prelude'
import { anewCommand, doctorCommand } from '../commands.ts'
import { runErrors } from '../execute/errors.ts'
import {
  editorUnreadiness,
  modelMissing,
  type NeededModel,
  unreadiness,
  unreadyReasons,
} from '../execute/readiness.ts'
import {
  type AnyTarget,
  type AnyTargetRequest,
  isServer,
  namesServer,
  type OpenServer,
  openAnyTarget,
} from '../target/open-server.ts'
import type { RunTarget } from '../target/run-targets.ts'
import type { PricedContender } from './provider-terms.ts'

/** A contender that the target cannot serve, skipped by --skip-unready. */
export interface SkippedContender {
  readonly id: string
  readonly reason: string
}

export interface ReadyContenders {
  readonly contenders: readonly ContenderConfig[]
  readonly skipped: readonly SkippedContender[]
}

/**
 * The contenders of a config that names none: for a server with one model, that model.
 *
 * @param command as typed, for the hint; empty if none was typed
 * @returns null if the defaults apply, which are models of the built-in service
 * @throws BenchError NOTHING_TO_MEASURE with the models of a server that has several; as `openAnyTarget`
 */
export async function defaultContenders(
  { target, keyFrom, workload }: Pick<BenchConfig, 'target' | 'keyFrom' | 'workload'>,
  { command, env }: { readonly command: readonly string[] } & Pick<AnyTargetRequest, 'env'>,
): Promise<readonly ContenderConfig[] | null> {
  if (workload === 'post-process' || !namesServer(target)) return null
  const place = { target, keyFrom, env, clock: systemClock, connections: 1, readableFolders: [] }
  await using opened = await openAnyTarget(place)
  if (!isServer(opened)) return null
  const [only, ...others] = opened.models
  if (only === undefined || others.length > 0 || opened.provider !== null) throw noneChosen(opened, command)
  return [
    {
      id: only.id,
      engine: 'openai',
      model: only.id,
      language: null,
      mode: null,
      settings: {},
      usdPerMinute: null,
      priceSource: null,
      priceDate: null,
    },
  ]
}

/**
 * Separates the contenders that one target can serve from the others.
 *
 * @throws BenchError TARGET_MODEL_MISSING, with every missing model at once, unless they may be skipped
 */
function readyContenders(config: BenchConfig, target: AnyTarget): ReadyContenders {
  if (isServer(target)) refuseModes(config)
  if (config.workload === 'post-process' && isServer(target)) {
    throw runErrors.make('WORKLOAD_UNFIT', {
      message: 'a transcription server has no post-processing',
      hint: 'name a service of the Local Transcription API: --target auto',
    })
  }
  // A server without a list of models may have any model of the config. The list of a provider may be outdated, so it
  // does not decide either.
  if (isServer(target) && (target.models.length === 0 || target.provider !== null)) {
    return { contenders: config.contenders, skipped: [] }
  }
  const judged = config.contenders.map((contender) => ({
    contender,
    reason:
      config.workload === 'post-process'
        ? editorUnreadiness(contender, target.health?.post_processing_providers ?? [])
        : unreadiness(
            modelOn(target, contender),
            target.models,
            target.health?.providers ?? [],
            isServer(target) ? null : target.engines,
          ),
  }))
  const contenders = judged.filter(({ reason }) => reason === null).map(({ contender }) => contender)
  const unready = judged.flatMap(({ contender, reason }) =>
    reason === null ? [] : [{ ...contender, reason }],
  )
  if (unready.length > 0 && !config.skipUnready) {
    throw modelMissing(unready, target.models, {
      description: target.description,
      isEmbedded: target.kind === 'embedded',
      readyCount: contenders.length,
      doctor: doctorCommand(config),
      engines: isServer(target) ? null : target.engines,
    })
  }
  return { contenders, skipped: unready.map(({ id, reason }) => ({ id, reason: unreadyReasons[reason] })) }
}

/**
 * Separates the contenders of all targets of a run.
 *
 * @throws BenchError with everything that any of them cannot serve
 */
export function readyOnAll(
  targets: readonly RunTarget[],
): readonly (ReadyContenders & { readonly target: RunTarget })[] {
  const failures: BenchError[] = []
  const ready = targets.flatMap((target) => {
    try {
      return [{ target, ...readyContenders(target.config, target.target) }]
    } catch (error) {
      if (!(error instanceof BenchError)) throw error
      failures.push(error)
      return []
    }
  })
  const [first, ...others] = failures
  if (first !== undefined) throw asOneError([first, ...others])
  if (ready.every(({ contenders }) => contenders.length === 0)) throw noneReady(targets)
  return ready
}

function noneReady(targets: readonly RunTarget[]): Error {
  const count = targets.reduce((sum, { config }) => sum + config.contenders.length, 0)
  return runErrors.make('NOTHING_TO_MEASURE', {
    message: `none of the ${count} contenders is ready on ${targets.map(({ target }) => target.description).join(' or ')}`,
    hint: `see what the target has: ${targets.map(({ config }) => doctorCommand(config)).join('; ')}`,
  })
}

/** A transcription server has no engines, so the part of the name before the colon is ignored. */
function modelOn(target: AnyTarget, contender: ContenderConfig): NeededModel {
  return isServer(target) ? { ...contender, engine: null } : contender
}

function noneChosen({ description, models }: OpenServer, command: readonly string[]): Error {
  const ids = models.map(({ id }) => id)
  const typed = anewCommand({ command })
  const contender = `openai:${ids[0] ?? '<model>'}`
  // `experiment` and `calibrate` take their contenders from configs alone.
  const isOfConfig = command.some((word) => word === 'experiment' || word === 'calibrate')
  return runErrors.make('NOTHING_TO_MEASURE', {
    message: `no contender is named for ${description}${ids.length === 0 ? ', which does not list its models' : `; its models: ${ids.join(', ')}`}`,
    hint: isOfConfig
      ? `name one in the config: contenders: ["${contender}"]`
      : `${typed} --contender ${shellWord(contender)}`,
  })
}

function refuseModes({ contenders }: BenchConfig): void {
  const problems = contenders.flatMap(({ id, mode, model, settings }) => [
    ...(mode === null && model !== null ? [] : [{ where: id, what: 'names a Mode instead of a model' }]),
    ...Object.keys(settings).map((field) => ({ where: id, what: `sets ${field}` })),
  ])
  if (problems.length === 0) return
  throw clientErrors.make('TARGET_HAS_NO_MODES', {
    message: 'a transcription server has models and no Modes',
    hint: 'name a model for each contender; settings of a provider\'s API are "options": docs/providers.md',
    problems,
  })
}

/**
 * A contender with the values that it takes from the corpus. These are the language, unless a named Mode keeps its
 * own, and the keywords for an option such as `hotwords=@keywords`.
 *
 * @throws BenchError CONFIG_INVALID for keywords of a corpus that has none
 */
export function withCorpus(contender: ContenderConfig, corpus: VerifiedCorpus): ContenderConfig {
  const filled = withKeywords(contender, corpus)
  if (filled.language !== null || filled.mode !== null) return filled
  return { ...filled, language: spokenLanguage(corpus.utterances) ?? detectedLanguage }
}

const corpusKeywords = '@keywords'

function withKeywords(contender: ContenderConfig, { name, utterances }: VerifiedCorpus): ContenderConfig {
  const asking = Object.entries(contender.options ?? {}).filter(([, value]) =>
    [value].flat().includes(corpusKeywords),
  )
  if (asking.length === 0) return contender
  const keywords = [...new Set(utterances.flatMap((utterance) => utterance.keywords))]
  if (keywords.length === 0) {
    throw configErrors.make('CONFIG_INVALID', {
      message: `${asking.map(([option]) => option).join(', ')} of ${contender.id} is ${corpusKeywords}, and the corpus ${name} has no keywords`,
      hint: 'give utterances "keywords" in the manifest (corpora/README.md), or write the words out',
    })
  }
  // In a list, each keyword is an element; in a text, keywords are joined by commas, as prompts are written.
  const filled = asking.map(([option, value]) => [
    option,
    Array.isArray(value)
      ? value.flatMap((text: string) => (text === corpusKeywords ? keywords : [text]))
      : keywords.join(', '),
  ])
  return { ...contender, options: { ...contender.options, ...Object.fromEntries(filled) } }
}

/** Settings that a record has in separate fields, or only in its config. */
type NoCondition =
  | 'id'
  | 'target'
  | 'keyFrom'
  | 'engine'
  | 'model'
  | 'language'
  | 'mode'
  | 'settings'
  | 'requestsPerMinute'
  | 'usdPerMinute'
  | 'priceSource'
  | 'priceDate'

/** Every other setting is a condition. A new setting without a field in the record does not compile. */
const conditions: Readonly<Record<Exclude<keyof ContenderConfig, NoCondition>, unknown>> = ownConditions

/** A contender as written to `run.json`. */
export function recordedContender(contender: PricedContender): RecordedContender {
  const { id, target, engine, model, language, mode, usdPerMinute, priceSource, priceDate, billing } =
    contender
  const recordedConditions = Object.entries(contender).filter(([key]) => Object.hasOwn(conditions, key))
  return {
    id,
    ...withoutUndefined({ target }),
    engine,
    model,
    language,
    patchedMode: mode,
    ...withoutUndefined(Object.fromEntries(recordedConditions)),
    usdPerMinute,
    priceSource,
    priceDate,
    ...(billing === null ? {} : { billing }),
  }
}
