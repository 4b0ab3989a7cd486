import type { NumberedPair } from './column-bits.ts'

// Characters of one code unit below this have the numbers of their codes.
const plainCodes = 128

/** Numbers the tokens of a pair, so that the alignment compares whole numbers. */
export function numberTokens(reference: readonly string[], hypothesis: readonly string[]): NumberedPair {
  return numberPlainCharacters(reference, hypothesis) ?? numberByAppearance(reference, hypothesis)
}

/** Null where a token is anything but an ASCII character. */
function numberPlainCharacters(
  reference: readonly string[],
  hypothesis: readonly string[],
): NumberedPair | null {
  const codes = [codesOf(reference), codesOf(hypothesis)]
  const [said, heard] = codes
  if (said === null || said === undefined || heard === null || heard === undefined) return null
  return { reference: said, hypothesis: heard, vocabularySize: plainCodes }
}

function codesOf(tokens: readonly string[]): Int32Array | null {
  // Nearly every list of words shows at its first token that it is none of characters.
  if ((tokens[0]?.length ?? 1) > 1) return null
  const codes = new Int32Array(tokens.length)
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as string
    const code = token.charCodeAt(0)
    if (token.length !== 1 || code >= plainCodes) return null
    codes[index] = code
  }
  return codes
}

/** So many tokens are looked for one by one: that takes less time than a table does. */
const few = 24

/** Numbers in order of appearance. */
function numberByAppearance(reference: readonly string[], hypothesis: readonly string[]): NumberedPair {
  const ids = reference.length + hypothesis.length <= few ? idsOfFew() : idsOfMany()
  const number = (tokens: readonly string[]): Int32Array => {
    const numbered = new Int32Array(tokens.length)
    for (let index = 0; index < tokens.length; index += 1) numbered[index] = ids.of(tokens[index] as string)
    return numbered
  }
  const numberedReference = number(reference)
  const numberedHypothesis = number(hypothesis)
  return { reference: numberedReference, hypothesis: numberedHypothesis, vocabularySize: ids.size() }
}

/** Numbers for tokens, from 0. */
interface TokenIds {
  of(token: string): number
  size(): number
}

function idsOfFew(): TokenIds {
  const known: string[] = []
  return {
    of(token) {
      const at = known.indexOf(token)
      return at < 0 ? known.push(token) - 1 : at
    },
    size: () => known.length,
  }
}

function idsOfMany(): TokenIds {
  const ids = new Map<string, number>()
  return {
    of(token) {
      const known = ids.get(token)
      if (known !== undefined) return known
      ids.set(token, ids.size)
      return ids.size - 1
    },
    size: () => ids.size,
  }
}
