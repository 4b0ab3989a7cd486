/** A group of words that is said several times in a row. */
export interface Loop {
  readonly words: readonly string[]
  readonly repeats: number
}

const maxGroupLength = 8

/**
 * The immediate repetition that covers the most words: groups of one to eight words, at least twice in a row;
 * the shorter group where several cover as many.
 *
 * @returns null where nothing is repeated. Time O(8 · words).
 */
export function longestLoop(words: readonly string[]): Loop | null {
  let best: Loop | null = null
  for (let length = 1; length <= maxGroupLength; length += 1) {
    let equal = 0
    for (let index = length; index <= words.length; index += 1) {
      if (index < words.length && words[index] === words[index - length]) {
        equal += 1
        continue
      }
      // A run of `equal` words that each repeat the word `length` before them.
      const repeats = Math.floor(equal / length) + 1
      const covered = best === null ? 0 : best.words.length * best.repeats
      if (repeats >= 2 && repeats * length > covered) {
        const start = index - equal - length
        best = { words: words.slice(start, start + length), repeats }
      }
      equal = 0
    }
  }
  return best
}

/** How often a group of words is said in a row at most; 0 where it is not said. */
export function repeatsOf(group: readonly string[], words: readonly string[]): number {
  const text = ` ${words.join(' ')} `
  const once = `${group.join(' ')} `
  let repeats = 0
  while (text.includes(` ${once.repeat(repeats + 1)}`)) repeats += 1
  return repeats
}
