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

/** The part of a run that one target serves. */
export interface RunTarget {
  /** Name in contenders; null if the run has one target. */
  readonly id: string | null
  readonly target: AnyTarget
  /** Config of the run, reduced to this target and its contenders. */
  readonly config: BenchConfig
  /** Null if no audio route is needed: a server that takes only forms, or texts. */
  readonly reach: AudioReach | null
  /** Contenders with equal values share their processors. */
  readonly machine: string
  /** Round trip to the host; null in a run with one target, and if it could not be measured. */
  readonly roundTrip: Awaited<ReturnType<typeof roundTripTo>>
}

export interface RunTargetsRequest
  extends Pick<TargetRequest, 'env' | 'connections' | 'embeddedConcurrency'> {
  readonly corpus: Pick<OpenedCorpus, 'utterances' | 'texts'>
  readonly clock: Clock
}

/**
 * Opens every target of a run, and determines how audio can reach it.
 *
 * @returns the targets, and the contenders whose target --skip-unready skipped; disposing closes all
 * @throws BenchError with the reasons, unless the contenders may be skipped and others are left
 */
export async function openRunTargets(config: BenchConfig, request: RunTargetsRequest) {
  const parts = splitByTarget(config)
  const { corpus, ...targetRequest } = request
  const opening = { ...targetRequest, readableFolders: listFolders(corpus.utterances) }
  const disposal = new AsyncDisposableStack()
  try {
    const opened: RunTarget[] = []
    const failures: { readonly ids: readonly string[]; readonly error: BenchError }[] = []
    for (const { id, config: targetConfig, threads } of parts) {
      const { target: targetName, keyFrom, engines: enginesFile } = targetConfig
      const target = await openAnyTarget({
        ...opening,
        target: targetName,
        keyFrom,
        enginesFile,
        embeddedThreads: threads,
      }).catch((error: unknown) => {
        if (!(error instanceof BenchError)) throw error
        failures.push({ ids: targetConfig.contenders.map((contender) => contender.id), error })
        return null
      })
      if (target === null) continue
      disposal.use(target)
      opened.push(await describeTarget(id, targetConfig, target, request))
    }
    const [first, ...others] = opened
    const [failure, ...further] = failures.map(({ error }) => error)
    if (failure !== undefined && (first === undefined || !config.skipUnready || parts.length === 1)) {
      throw asOneError([failure, ...further])
    }
    if (first === undefined) throw new TypeError('a run without a target')
    const cleanUp = disposal.move()
    return {
      opened: [first, ...others] as const,
      skipped: failures.flatMap(({ ids, error }) => ids.map((id) => ({ id, reason: error.message }))),
      [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
    }
  } finally {
    await disposal.disposeAsync()
  }
}

/** The config split by target; unchanged if no contender names a target. */
function splitByTarget(config: BenchConfig) {
  const { contenders } = config
  const threadCounts = new Set(contenders.map(({ threads }) => threads))
  const [threads] = threadCounts
  if (contenders.every(({ target }) => target === undefined) && threadCounts.size === 1) {
    return [{ id: null, config, threads }]
  }
  const byTarget = Map.groupBy(contenders, (contender) => nameTarget(contender, config))
  return [...byTarget].map(([id, members]) => ({
    id,
    threads: members[0]?.threads,
    config: {
      ...config,
      target: members[0]?.target ?? config.target,
      keyFrom: members[0]?.target === undefined ? config.keyFrom : (members[0].keyFrom ?? null),
      engines: (members[0]?.target ?? config.target) === 'embedded' ? config.engines : null,
      contenders: members.map(({ target: _, keyFrom: __, ...contender }): ContenderConfig => contender),
    },
  }))
}

/** The name of a target. A service has one number of threads, so contenders with different numbers need several. */
function nameTarget({ target, threads }: ContenderConfig, config: BenchConfig): string {
  const id = target ?? config.target
  return threads === undefined ? id : `${id}, ${counted(threads, 'thread')}`
}

/** Adds to each target the unlisted models that its contenders name and that it answers to. */
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
    const modelNames = config.contenders.flatMap(({ model }) => model ?? [])
    const clip = { path, sizeBytes, mimeType }
    const { models, warnings } = await findAliases(target, modelNames, clip, mayBill(target))
    if (models.length === 0) return part
    const extended = { models: [...target.models, ...models], warnings: [...target.warnings, ...warnings] }
    return { ...part, target: { ...target, ...extended } }
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

/** The machine of an address. A forwarded port counts as this machine, because it cannot be distinguished. */
export function nameMachine(baseUrl: string): string {
  const { hostname } = new URL(baseUrl)
  return isLoopbackHost(hostname) ? 'this machine' : hostname
}

/** The ways in which audio can reach a target. */
interface AudioReach extends TransportFacts {
  /** Absolute path of the folder for staged copies; null without staging. */
  readonly stagingFolder: string | null
}

type ServiceReach = Pick<OpenTarget, 'kind' | 'connection' | 'serverPid' | 'discoveryPath'>

/**
 * Determines which files the target may read. The built-in service may read the corpus. For a service on this
 * machine, the recordings folder is known: next to its discovery file, or the folder of its past recordings.
 *
 * @throws BenchError STAGING_FOLDER_UNKNOWN if copies are requested and there is no folder for them
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

/** Number of recordings to request when searching for their folder. */
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
  // Paths that a service reports may exist only on another machine.
  const real = await realpath(path).catch(() => null)
  return real !== null && (await stat(real)).isDirectory() ? real : null
}

/** The paths whose real path is in one of the folders, because the service resolves symbolic links too. */
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
  const [readable] = folders
  if (wanted === 'auto' && readable !== undefined) return readable
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
 * Round-trip time to a host, measured by the time of a few TCP connects, without sending anything. The address is
 * resolved before.
 *
 * @returns null if no connect succeeded
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
      // The requests will show whether the host can be reached at all.
      break
    } finally {
      socket.on('error', () => undefined)
      socket.destroy()
    }
  }
  const medianMs = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]
  return medianMs === undefined ? null : { medianMs }
}
