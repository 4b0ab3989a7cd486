import type { BenchConfig } from '#config/bench-config'
import type { VerifiedUtterance } from '#corpus/utterance'
import type { PlanPart } from '#run/plan/measure-plan'
import type { SketchBins } from '#statistics/quantiles'

/** Body of a job: a part of the plan of a run, on one host or on any. */
export interface BlockJob {
  readonly run: string
  /** Number of the part in the plan, from 0. */
  readonly part: number
  readonly partCount: number
  /** Null where any host may take it. */
  readonly host: string | null
  /** SHA-256 of the `BlockDocument`, which the coordinator sends. */
  readonly documentSha256: string
}

/** All that an agent needs to measure a block, but for the recordings. */
export interface BlockDocument {
  readonly config: BenchConfig
  readonly part: PlanPart
  /** Of the block; the paths of their files are those of the coordinator. */
  readonly utterances: readonly VerifiedUtterance[]
  /** Hosts start together. */
  readonly isSynchronised: boolean
}

/** The clock of a host when it measured a block. */
export interface HostClock {
  /** Clock of Redis minus the wall clock of the host, in milliseconds. */
  readonly offsetMs: number
  /** Half the shortest round trip to Redis, in milliseconds. */
  readonly uncertaintyMs: number
  /** How far from the common start the host began, in milliseconds; null where there was none. */
  readonly startErrorMs: number | null
}

/** What was measured of a block, as a host says. */
export interface BlockResult {
  readonly run: string
  readonly part: number
  readonly host: string
  /** Of this measurement of the block: it may be measured more than once. */
  readonly execution: string
  readonly answeredCount: number
  /** Sketches of the latencies by contender, for display while the run goes. */
  readonly latencies: Readonly<Record<string, SketchBins>>
  readonly sha256: string
  readonly sizeBytes: number
  readonly clock: HostClock
}

/** A block that a host did not measure to its end. */
export interface HostFault {
  readonly host: string
  readonly part: number
  /** It said that it could not, or its agent fell silent. */
  readonly kind: 'failed' | 'silent'
  /** In the words of the host; null where it said nothing. */
  readonly reason: string | null
}

/** What agents ask, with the answers. */
export interface Asks {
  /** A piece of a file by the hash of its content. */
  fetch: {
    ask: { readonly sha256: string; readonly offset: number }
    answer: { readonly base64: string; readonly sizeBytes: number }
  }
  /** Whether a result is still needed. */
  offer: { ask: BlockResult; answer: { readonly isWanted: boolean } }
  /** A piece of a result; answered when it is on the disk. */
  chunk: {
    ask: { readonly execution: string; readonly offset: number; readonly base64: string }
    answer: object
  }
  /** The result is a file of the shared folder. The coordinator has copied it to its disk, or finds no such file. */
  collect: { ask: BlockResult; answer: { readonly isThere: boolean } }
  /** The coordinator has all of the result. */
  complete: { ask: BlockResult; answer: { readonly isCounted: boolean } }
  /** The host has warmed up, and asks when all start, by the clock of Redis; null while others are waited for. */
  ready: { ask: Pick<BlockResult, 'part' | 'host'>; answer: { readonly startAtMs: number | null } }
}

export type AskKind = keyof Asks

/** In one message: of a file that is fetched, and of a result. */
export const pieceBytes = 512 * 1024

/** An older message is void. */
export const validMs = 24 * 3_600_000

/** Names of the queues and keys of a fleet. */

/** Blocks for one host, or for any. */
export function blockQueue(host: string | null): string {
  return host === null ? 'blocks' : `blocks-${host}`
}

/** What agents ask the coordinator of a run. */
export function askQueue(run: string): string {
  return `asks-${run}`
}

/** Where a message is valid: the queue and the job that it was signed for. */
export function jobPlace(queue: string, jobId: string): string {
  return `${queue}/${jobId}`
}

/** Is there as long as the coordinator of a run wants answers, also while it is away. */
export function openKey(prefix: string, run: string): string {
  return `${prefix}:open:${run}`
}
