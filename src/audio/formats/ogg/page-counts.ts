import type { OggPage } from './ogg-pages.ts'

/**
 * Samples of each channel that come out of a packet, after those before it; NaN where that is not known.
 *
 * @param isWhole false for the first part of a packet that goes on in the next page
 */
export type PacketLength = (packet: Uint8Array, isWhole: boolean) => number

/** Compares what the pages of a stream count with what their packets come to. */
export interface PageCounts {
  add(page: OggPage): void
  /** How many samples a decoder gives, with those before the sound begins; null where only decoding shows it. */
  exact(): number | null
}

/**
 * The count of the last page is exact where every page before it counts exactly the samples of the packets so far, and the
 * last one is marked as the end and counts no more than its packets hold: the rest is cut away.
 *
 *   packets   960 960 960 | 960 960 960 | 960 960
 *   counts           2880 |        5760 |    7000, the end: 7000 samples
 *
 * Streams that were cut, joined or not written to their end differ, and decoders differ about them.
 *
 * @see RFC 7845 section 4, and appendix A.2 of the Vorbis I specification
 */
export function comparePageCounts(lengthOf: PacketLength): PageCounts {
  let [samples, pending, counted] = [0, 0, 0]
  let [isExact, isEnded] = [true, false]
  return {
    add({ packets, granule, isLast }) {
      isExact &&= !isEnded
      for (const { bytes, begins, ends } of packets) {
        if (begins) pending = lengthOf(bytes, ends)
        if (ends) samples += pending
      }
      if (granule >= 0) {
        isExact &&= isLast ? counted <= granule && granule <= samples : granule === samples
        counted = granule
      }
      isEnded = isLast && granule >= 0
    },
    exact: () => (isExact && isEnded ? counted : null),
  }
}
