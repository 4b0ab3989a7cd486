import { collectEvery } from '../garbage-collector.ts'
import { createLane, type Lane } from './lane.ts'

/** The memory of a service for what requests bring: one limit, of which each kind has a share. */
export interface Memory {
  /** For a body or a file: small ones never wait behind large ones. @param sizeBytes as announced; infinity for none */
  bodies(sizeBytes: number): Lane
  /** Counts a chunk of a body that was read and is not needed any more. */
  readonly read: (sizeBytes: number) => void
  /** Decoded, and waiting for an engine or under way. */
  readonly clips: Lane
  /** Long recordings as they came, until there is a process for them. */
  readonly waiting: Lane
  /** Long recordings that are cut into pieces, each in a separate process. */
  readonly recordings: Lane
}

const mebibyte = 2 ** 20

/** Bodies up to here are small: a few minutes of Opus, a minute of WAV. */
const smallBytes = 2 * mebibyte

/** What does not depend on how many recordings are cut at once. */
const shares = { small: 48 * mebibyte, large: 64 * mebibyte, clips: 144 * mebibyte, waiting: 128 * mebibyte }
const fixedBytes: number = Object.values(shares).reduce((sum, share) => sum + share, 0)

/** Memory of the process that cuts a recording, without the recording itself and its pieces. */
export const cuttingBytes: number = 100 * mebibyte

/** At least two recordings can be cut at once. */
export const minMemoryBytes: number = fixedBytes + 2 * cuttingBytes

/** Memory for one recording per slot of an engine. */
export function usualMemoryBytes(concurrency: number): number {
  return fixedBytes + Math.max(4, concurrency) * (cuttingBytes + 12 * mebibyte)
}

/** Chunks of bodies that may wait for the collector, which would let several bodies of 48 MiB come together. */
const maxReadBytes = 16 * mebibyte

/** @param limitBytes at least `minMemoryBytes` */
export function createMemory(limitBytes: number): Memory {
  const [small, large] = [createLane(shares.small), createLane(shares.large)]
  return {
    bodies: (sizeBytes) => (sizeBytes > smallBytes ? large : small),
    read: collectEvery(maxReadBytes),
    clips: createLane(shares.clips),
    waiting: createLane(shares.waiting),
    recordings: createLane(limitBytes - fixedBytes),
  }
}
