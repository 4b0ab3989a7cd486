/** Accents, points and the like; not the vowel signs of scripts that write vowels with marks. */
const diacritics = /(?=\p{M})[\p{Script=Inherited}\p{Diacritic}]/gu

/** Equal for texts that differ in case or diacritics only. Composed at the end, so that half a syllable matches none. */
export function searchKey(text: string): string {
  const bare = text.normalize('NFD').replaceAll(diacritics, '')
  // Upper case comes first because it unfolds what lower case keeps apart: `ß` and `SS`, both sigmas.
  return bare.toUpperCase().toLowerCase().normalize('NFC')
}
