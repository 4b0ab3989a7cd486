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

/** Numbers in order of appearance. */
function numberByAppearance(reference: readonly string[], hypothesis: readonly string[]): NumberedPair {
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
