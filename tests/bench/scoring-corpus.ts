import { type Random, seededRandom } from '#prelude'

const vocabularySize = 20_000

/** Words by Zipf's law: the n-th most frequent of 20,000 is drawn in proportion to 1 / n. */
function zipfWords(random: Random): (count: number) => string[] {
  const cumulative = new Float64Array(vocabularySize)
  let sum = 0
  for (let rank = 0; rank < vocabularySize; rank += 1) {
    sum += 1 / (rank + 1)
    cumulative[rank] = sum
  }
  const draw = (): string => {
    const aim = random.unit() * sum
    let low = 0
    let high = vocabularySize - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((cumulative[middle] as number) < aim) low = middle + 1
      else high = middle
    }
    return `w${low.toString(36)}`
  }
  return (count) => Array.from({ length: count }, draw)
}

/** A hypothesis: of every ten errors six words replaced, two left out, two put in. */
function withErrors(
  words: readonly string[],
  rate: number,
  random: Random,
  draw: (count: number) => string[],
): string[] {
  return words.flatMap((word) => {
    const dice = random.unit()
    if (dice < rate * 0.6) return draw(1)
    if (dice < rate * 0.8) return []
    return dice < rate ? [word, ...draw(1)] : [word]
  })
}

export interface TextLine {
  readonly reference: string
  readonly hypothesis: string
}

/** Utterances of 12 to 28 words with 10 % errors. */
export function utterances(count: number): TextLine[] {
  const random = seededRandom(20_240_607)
  const draw = zipfWords(random)
  return Array.from({ length: count }, () => {
    const words = draw(12 + random.below(17))
    return { reference: words.join(' '), hypothesis: withErrors(words, 0.1, random, draw).join(' ') }
  })
}

/** One pair of a given length: with an error rate, or of unrelated texts where the rate is null. */
export function longPair(words: number, rate: number | null): { reference: string[]; hypothesis: string[] } {
  const random = seededRandom(words)
  const draw = zipfWords(random)
  const reference = draw(words)
  const hypothesis = rate === null ? draw(words) : withErrors(reference, rate, random, draw)
  return { reference, hypothesis }
}
