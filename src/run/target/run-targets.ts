import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { realpath, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join, resolve, sep } from 'node:path'
import pLimit from 'p-limit'
import type { BenchConfig, ContenderConfig } from '#config/bench-config'
import { hostPlatform, isLoopbackHost } from '#contract/enums'
import type { VerifiedUtterance } from '#corpus/utterance'
import type { Clock } from '#load/clock'
import { asOneError, BenchError, counted } from '#prelude'
import { runErrors } from '../execute/errors.ts'
import type { TransportFacts } from '../execute/transport.ts'
import type { OpenedCorpus } from '../inputs.ts'
import { type AnyTarget, findBaseUrl, isServer, mayBill, openAnyTarget } from './open-server.ts'
import { listFolders, type OpenTarget, type TargetRequest } from './open-target.ts'
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
  readonly roundTrip: Awaited<ReturnType<typeof roundTripTo>>
}

export interface RunTargetsRequest
  extends Pick<TargetRequest, 'env' | 'connections' | 'embeddedConcurrency'> {
  readonly corpus: OpenedCorpus
  readonly clock: Clock
}

/**
 * Opens every target of a run, and finds out how audio can reach it.
 *
 * @returns them, and the contenders whose target could not be opened, left out by --skip-unready; disposing closes all of them
 * @throws BenchError with what keeps any of them from being opened, unless its contenders may be skipped and others are left
 */
export async function openRunTargets(config: BenchConfig, request: RunTargetsRequest) {
  const parts = splitByTarget(config)
  const { corpus, ...asked } = request
  const opening = { ...asked, readableFolders: listFolders(corpus.utterances) }
  const disposal = new AsyncDisposableStack()
  try {
    const opened: RunTarget[] = []
    const failures: { readonly ids: readonly string[]; readonly error: BenchError }[] = []
    for (const { id, config: own, threads } of parts) {
      const { target: named, keyFrom, engines: enginesFile } = own
      const target = await openAnyTarget({
        ...{ ...opening, target: named, keyFrom, enginesFile, embeddedThreads: threads },
      }).catch((error: unknown) => {
        if (!(error instanceof BenchError)) throw error
        failures.push({ ids: own.contenders.map((contender) => contender.id), error })
        return null
      })
      if (target === null) continue
      disposal.use(target)
      opened.push(await describeTarget(id, own, target, request))
    }
    const [first, ...others] = opened
    const [failure, ...further] = failures.map(({ error }) => error)
    if (failure !== undefined && (first === undefined || !config.skipUnready || parts.length === 1)) {
      throw asOneError([failure, ...further])
    }
    if (first === undefined) throw new TypeError('a run without a target')
    const held = disposal.move()
    return {
      opened: [first, ...others] as const,
      skipped: failures.flatMap(({ ids, error }) => ids.map((id) => ({ id, reason: error.message }))),
      [Symbol.asyncDispose]: () => held.disposeAsync(),
    }
  } finally {
    await disposal.disposeAsync()
  }
}

/** A run for each target: one that is as it is, where no contender names one. */
function splitByTarget(config: BenchConfig) {
  const { contenders } = config
  const threadCounts = new Set(contenders.map(({ threads }) => threads))
  const [threads] = threadCounts
  if (contenders.every(({ target }) => target === undefined) && threadCounts.size === 1) {
    return [{ id: null, config, threads }]
  }
  const byTarget = Map.groupBy(contenders, (contender) => nameTarget(contender, config))
  return [...byTarget].map(([id, own]) => ({
    id,
    threads: own[0]?.threads,
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
function nameTarget({ target, threads }: ContenderConfig, config: BenchConfig): string {
  const id = target ?? config.target
  return threads === undefined ? id : `${id}, ${counted(threads, 'thread')}`
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
    const named = config.contenders.flatMap(({ model }) => model ?? [])
    const clip = { path, sizeBytes, mimeType }
    const { models, warnings } = await findAliases(target, named, clip, mayBill(target))
    if (models.length === 0) return part
    const known = { models: [...target.models, ...models], warnings: [...target.warnings, ...warnings] }
    return { ...part, target: { ...target, ...known } }
  }
  return [await complete(first), ...(await Promise.all(others.map(complete)))]
}

async function describeTarget(
  id: string | null,
  config: BenchConfig,
  target: AnyTarget,
  { corpus, clock }: RunTargetsRequest,
): Promise<RunTarget> {
  const takesForms = isServer(target) || corpus.texts !== null
  return {
    id,
    target,
    config,
    reach: takesForms ? null : await audioReach(config, corpus.utterances, target),
    machine: nameMachine(findBaseUrl(target)),
    roundTrip: id === null ? null : await roundTripTo(findBaseUrl(target), clock),
  }
}

/** The machine of an address. One behind a forwarded port counts as this one: it may well be. */
export function nameMachine(baseUrl: string): string {
  const { hostname } = new URL(baseUrl)
  return isLoopbackHost(hostname) ? 'this machine' : hostname
}

/** What is known of how audio can reach a target. */
interface AudioReach extends TransportFacts {
  /** Absolute path of the folder for staged copies; null where none are made. */
  readonly stagingFolder: string | null
}

type ServiceReach = Pick<OpenTarget, 'kind' | 'connection' | 'serverPid' | 'discoveryPath'>

/**
 * Finds out which files the target may read. The built-in service may read the corpus. Of a service on
 * this machine the recordings folder is known: next to its discovery file, or where its past recordings are.
 *
 * @throws BenchError STAGING_FOLDER_UNKNOWN where copies are asked for and there is no place for them
 */
export async function audioReach(
  config: Pick<BenchConfig, 'platform' | 'stage'>,
  utterances: readonly Pick<VerifiedUtterance, 'audioPath'>[],
  target: ServiceReach,
): Promise<AudioReach> {
  if (target.kind === 'embedded') {
    const platform = hostPlatform(process.platform)
    return { platform, mayRead: () => true, canStage: false, stagingFolder: null }
  }
  const isHere = target.serverPid !== null
  const folders = isHere ? await readableFolders(target) : []
  const readable = await pathsInside(
    utterances.map(({ audioPath }) => audioPath),
    folders,
  )
  const stagingFolder = config.stage === null ? null : await findStagingFolder(config.stage, folders)
  return {
    platform: config.platform ?? (isHere ? hostPlatform(process.platform) : null),
    mayRead: (path) => readable.has(path),
    canStage: stagingFolder !== null,
    stagingFolder,
  }
}

/** Recordings that are asked for, in the search for the folder they lie in. */
const fewRecordings = 20

async function readableFolders({ connection, discoveryPath }: ServiceReach): Promise<readonly string[]> {
  const searched = await connection.searchRecordings({ limit: fewRecordings })
  const recordings = searched.ok ? searched.value.recordings : []
  const candidates = [
    ...(discoveryPath === null ? [] : [join(dirname(discoveryPath), 'recordings')]),
    ...recordings
      .map(({ audioFilePath }) => audioFilePath)
      .filter((path) => path !== '')
      .map((path) => dirname(path)),
  ]
  const real = await Promise.all([...new Set(candidates)].map(realFolder))
  return [...new Set(real.filter((folder) => folder !== null))]
}

async function realFolder(path: string): Promise<string | null> {
  // What a service says of its files may be true on another machine only.
  const real = await realpath(path).catch(() => null)
  return real !== null && (await stat(real)).isDirectory() ? real : null
}

/** The paths that lie, with every symbolic link resolved, in one of the folders: the service looks likewise. */
async function pathsInside(
  paths: readonly string[],
  folders: readonly string[],
): Promise<ReadonlySet<string>> {
  if (folders.length === 0) return new Set()
  const limited = pLimit(16)
  const inside = await Promise.all(
    paths.map((path) =>
      limited(async () => {
        const real = await realpath(path)
        return folders.some((folder) => real.startsWith(folder + sep))
      }),
    ),
  )
  return new Set(paths.filter((_, index) => inside[index]))
}

async function findStagingFolder(wanted: string, folders: readonly string[]): Promise<string> {
  const [known] = folders
  if (wanted === 'auto' && known !== undefined) return known
  const folder = wanted === 'auto' ? null : await realFolder(resolve(wanted))
  if (folder !== null) return folder
  throw runErrors.make('STAGING_FOLDER_UNKNOWN', {
    message:
      wanted === 'auto'
        ? 'it is not known which folder the target may read: it runs elsewhere, or has no recordings yet'
        : `there is no folder ${wanted} to put copies of recordings in`,
    hint: 'name the recordings folder of the application, as its settings show it: --stage <folder>',
  })
}

const tries = 7
const maxTryMs = 2000

/**
 * How long a packet is on its way to a host and back, by the time that TCP takes to connect: it connects a few times, without
 * sending anything. The address is looked up before.
 *
 * @returns null where no try succeeded
 */
async function roundTripTo(baseUrl: string, clock: Clock) {
  const { hostname, port, protocol } = new URL(baseUrl)
  const found = await lookup(hostname.replace(/^\[|\]$/g, '')).catch(() => null)
  if (found === null) return null
  const place = { host: found.address, port: Number(port) || (protocol === 'https:' ? 443 : 80) }
  const times: number[] = []
  for (let number = 0; number < tries; number += 1) {
    const startedAtMs = clock.nowMs()
    const socket = connect(place)
    socket.setNoDelay(true)
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(maxTryMs) })
      times.push(clock.nowMs() - startedAtMs)
    } catch {
      // Whether the host can be reached at all is found out by the requests.
      break
    } finally {
      socket.on('error', () => undefined)
      socket.destroy()
    }
  }
  const medianMs = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]
  return medianMs === undefined ? null : { medianMs, count: times.length }
}
