import type { NumberedPair } from './column-bits.ts'

/** Numbers the tokens of a pair in order of appearance, so that the alignment compares whole numbers. */
export function numberTokens(reference: readonly string[], hypothesis: readonly string[]): NumberedPair {
  const ids = new Map<string, number>()
  const number = (tokens: readonly string[]): Int32Array => {
    const numbered = new Int32Array(tokens.length)
    for (let index = 0; index < tokens.length; index += 1) {
      const token = tokens[index] as string
      let id = ids.get(token)
      if (id === undefined) {
        id = ids.size
        ids.set(token, id)
      }
      numbered[index] = id
    }
    return numbered
  }
  const numberedReference = number(reference)
  const numberedHypothesis = number(hypothesis)
  return { reference: numberedReference, hypothesis: numberedHypothesis, vocabularySize: ids.size }
}
