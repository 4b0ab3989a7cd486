import type { BenchConfig, ContenderConfig } from '#config'
import { isLoopbackHost } from '#contract'
import type { Clock } from '#load'
import { asOneError, BenchError } from '#prelude'
import type { OpenedCorpus } from '../plan/open-corpus.ts'
import { type AnyTarget, baseUrlOf, isServer, mayBill, openAnyTarget } from './open-server.ts'
import { foldersOf, type TargetRequest } from './open-target.ts'
import { type RoundTrip, roundTripTo } from './round-trip.ts'
import { type AudioReach, audioReach } from './transport-facts.ts'
import { findAliases } from './try-models.ts'

/** The part of a run that one target answers. */
export interface RunTarget {
  /** As contenders name it; null where the run has one target. */
  readonly id: string | null
  readonly target: AnyTarget
  /** That of the run, with this target and its contenders alone. */
  readonly config: BenchConfig
  /** Null where no audio has to find its way: a server that takes forms only, or texts. */
  readonly reach: AudioReach | null
  /** Contenders with an equal one share their processors. */
  readonly machine: string
  /** To the host; null in a run with one target, and where it could not be measured. */
  readonly roundTrip: RoundTrip | null
}

/** Disposing closes all of them. */
export interface RunTargets extends AsyncDisposable {
  /** At least one. */
  readonly opened: readonly [RunTarget, ...RunTarget[]]
  /** Contenders whose target could not be opened, left out by --skip-unready. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[]
}

export interface RunTargetsRequest
  extends Pick<TargetRequest, 'env' | 'connections' | 'embeddedConcurrency'> {
  readonly corpus: OpenedCorpus
  readonly clock: Clock
}

/**
 * Opens every target of a run, and finds out how audio can reach it.
 *
 * @throws BenchError with what keeps any of them from being opened, unless its contenders may be skipped and others are left
 */
export async function openRunTargets(config: BenchConfig, request: RunTargetsRequest): Promise<RunTargets> {
  const parts = splitByTarget(config)
  const disposal = new AsyncDisposableStack()
  try {
    const opened: RunTarget[] = []
    const failures: { readonly ids: readonly string[]; readonly error: BenchError }[] = []
    for (const { id, config: own, threads } of parts) {
      const target = await openPart(own, { ...request, threads }).catch((error: unknown) => {
        if (!(error instanceof BenchError)) throw error
        failures.push({ ids: own.contenders.map((contender) => contender.id), error })
        return null
      })
      if (target === null) continue
      disposal.use(target)
      opened.push(await describeTarget(id, own, { target, request }))
    }
    const [first, ...others] = opened
    const [failure, ...further] = failures.map(({ error }) => error)
    if (failure !== undefined && (first === undefined || !config.skipUnready || parts.length === 1)) {
      throw asOneError([failure, ...further])
    }
    if (first === undefined) throw new TypeError('a run without a target')
    const held = disposal.move()
    return {
      opened: [first, ...others],
      skipped: failures.flatMap(({ ids, error }) => ids.map((id) => ({ id, reason: error.message }))),
      [Symbol.asyncDispose]: () => held.disposeAsync(),
    }
  } finally {
    await disposal.disposeAsync()
  }
}

/** A run for each target: one that is as it is, where no contender names one. */
function splitByTarget(
  config: BenchConfig,
): readonly { readonly id: string | null; readonly config: BenchConfig; readonly threads?: number }[] {
  const { contenders } = config
  const threadCounts = new Set(contenders.map(({ threads }) => threads))
  const [threads] = threadCounts
  if (contenders.every(({ target }) => target === undefined) && threadCounts.size === 1) {
    return [{ id: null, config, ...(threads === undefined ? {} : { threads }) }]
  }
  const byTarget = Map.groupBy(contenders, (contender) => targetIdOf(contender, config))
  return [...byTarget].map(([id, own]) => ({
    id,
    ...(own[0]?.threads === undefined ? {} : { threads: own[0].threads }),
    config: {
      ...config,
      target: own[0]?.target ?? config.target,
      keyFrom: own[0]?.target === undefined ? config.keyFrom : (own[0].keyFrom ?? null),
      engines: (own[0]?.target ?? config.target) === 'embedded' ? config.engines : null,
      contenders: own.map(({ target: _, keyFrom: __, ...contender }): ContenderConfig => contender),
    },
  }))
}

/** A service has one number of threads: contenders with several need as many services. */
function targetIdOf({ target, threads }: ContenderConfig, config: BenchConfig): string {
  const id = target ?? config.target
  return threads === undefined ? id : `${id}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`
}

function openPart(
  { target, keyFrom, engines }: BenchConfig,
  { corpus, threads, ...request }: RunTargetsRequest & { readonly threads: number | undefined },
): Promise<AnyTarget> {
  return openAnyTarget({
    ...request,
    target,
    keyFrom,
    enginesFile: engines,
    embeddedThreads: threads,
    readableFolders: foldersOf(corpus.utterances),
  })
}

/** Targets with the models that their contenders name and they do not list, where they answer to them. */
export async function withAliases(
  opened: readonly [RunTarget, ...RunTarget[]],
  corpus: OpenedCorpus,
): Promise<readonly [RunTarget, ...RunTarget[]]> {
  const [first, ...others] = opened
  const complete = async (part: RunTarget): Promise<RunTarget> => {
    const { target, config } = part
    const utterance = corpus.utterances.at(0)
    const isListed = isServer(target) && target.provider === null && target.models.length > 0
    if (!isListed || utterance === undefined || corpus.texts !== null) return part
    const { audioPath: path, sizeBytes, mimeType } = utterance
    const { models, warnings } = await findAliases(
      target,
      config.contenders.flatMap(({ model }) => model ?? []),
      { clip: { path, sizeBytes, mimeType }, isBilled: mayBill(target) },
    )
    const [all, warned] = [
      [...target.models, ...models],
      [...target.warnings, ...warnings],
    ]
    return models.length === 0 ? part : { ...part, target: { ...target, models: all, warnings: warned } }
  }
  return [await complete(first), ...(await Promise.all(others.map(complete)))]
}

async function describeTarget(
  id: string | null,
  config: BenchConfig,
  { target, request: { corpus, clock } }: { readonly target: AnyTarget; readonly request: RunTargetsRequest },
): Promise<RunTarget> {
  const takesForms = isServer(target) || corpus.texts !== null
  return {
    id,
    target,
    config,
    reach: takesForms ? null : await audioReach(config, corpus.utterances, target),
    machine: machineOf(baseUrlOf(target)),
    roundTrip: id === null ? null : await roundTripTo(baseUrlOf(target), clock),
  }
}

/** The machine of an address. One behind a forwarded port counts as this one: it may well be. */
export function machineOf(baseUrl: string): string {
  const { hostname } = new URL(baseUrl)
  return isLoopbackHost(hostname) ? 'this machine' : hostname
}
