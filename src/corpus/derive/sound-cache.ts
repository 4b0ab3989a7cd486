import type { Sound } from './sound.ts'

/** Samples that are kept: about 128 MB. */
const keptSamples = 32_000_000

/** Remembers the sounds that were read last, because every rung and every babble reads them again. */
export function soundCache(read: (path: string) => Promise<Sound>): (path: string) => Promise<Sound> {
  const kept = new Map<string, Sound>()
  let size = 0
  return async (path) => {
    const sound = kept.get(path) ?? (await read(path))
    if (kept.delete(path)) size -= sound.samples.length
    kept.set(path, sound)
    size += sound.samples.length
    for (const [oldest, { samples }] of kept) {
      if (size <= keptSamples || oldest === path) break
      kept.delete(oldest)
      size -= samples.length
    }
    return sound
  }
}
