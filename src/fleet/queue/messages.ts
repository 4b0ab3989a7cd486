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
  /** Null if any host may take it. */
  readonly host: string | null
  /** SHA-256 of the `BlockDocument`, which the coordinator sends. */
  readonly documentSha256: string
}

/** Everything that an agent needs to measure a block, except the recordings. */
export interface BlockDocument {
  readonly config: BenchConfig
  readonly part: PlanPart
  /** Utterances of the block, with file paths of the coordinator. */
  readonly utterances: readonly VerifiedUtterance[]
  /** Whether all hosts start together. */
  readonly isSynchronised: boolean
}

/** The clock of a host when it measured a block. */
export interface HostClock {
  /** Clock of Redis minus the wall clock of the host, in milliseconds. */
  readonly offsetMs: number
  /** Half the shortest round trip to Redis, in milliseconds. */
  readonly uncertaintyMs: number
  /** Deviation from the common start in milliseconds; null without a common start. */
  readonly startErrorMs: number | null
}

/** Result of a block as reported by a host. */
export interface BlockResult {
  readonly run: string
  readonly part: number
  readonly host: string
  /** Id of this measurement of the block, which may be measured more than once. */
  readonly execution: string
  readonly answeredCount: number
  /** Sketches of the latencies by contender, for display during the run. */
  readonly latencies: Readonly<Record<string, SketchBins>>
  readonly sha256: string
  readonly sizeBytes: number
  readonly clock: HostClock
}

/** A block that a host did not complete. */
export interface HostFault {
  readonly host: string
  readonly part: number
  /** `failed` if the host reported it, `silent` if its agent stopped responding. */
  readonly kind: 'failed' | 'silent'
  readonly reason: string | null
}

/** Questions of agents, with their answers. */
export interface Asks {
  /** Requests a piece of a file by the hash of its content. */
  fetch: {
    ask: { readonly sha256: string; readonly offset: number }
    answer: { readonly base64: string; readonly sizeBytes: number }
  }
  /** Asks whether a result is still needed; it may count already, if its agent died before the answer arrived. */
  offer: { ask: BlockResult; answer: { readonly isWanted: boolean; readonly isCounted: boolean } }
  /** Sends a piece of a result; answered after it is on the disk. */
  chunk: {
    ask: { readonly execution: string; readonly offset: number; readonly base64: string }
    answer: object
  }
  /** Reports a result in the shared folder. The coordinator copies it to its disk, or finds no such file. */
  collect: { ask: BlockResult; answer: { readonly isThere: boolean } }
  /** Reports that the coordinator has the whole result. */
  complete: { ask: BlockResult; answer: { readonly isCounted: boolean } }
  /** Asks for the common start by the clock of Redis, after warming up; null while other hosts are not ready. */
  ready: { ask: Pick<BlockResult, 'part' | 'host'>; answer: { readonly startAtMs: number | null } }
}

export type AskKind = keyof Asks

/** Maximum bytes in one message, of a fetched file or of a result. */
export const pieceBytes = 512 * 1024

/** Maximum age of a valid message in milliseconds. */
export const validMs = 24 * 3_600_000

/** Blocks for one host, or for any. */
export function blockQueue(host: string | null): string {
  return host === null ? 'blocks' : `blocks-${host}`
}

/** Queue of agents' questions to the coordinator of a run. */
export function askQueue(run: string): string {
  return `asks-${run}`
}

/** The place for which a message is signed and valid: a queue and a job. */
export function jobPlace(queue: string, jobId: string): string {
  return `${queue}/${jobId}`
}

/** Key that exists while the coordinator of a run wants answers, even if it is away. */
export function openKey(prefix: string, run: string): string {
  return `${prefix}:open:${run}`
}
