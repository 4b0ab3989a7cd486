import { type Stage, wordStage } from '../profile.ts'

export interface FillerRules {
  readonly words: readonly string[]
  /** Those that are units after a figure, and then stay: `10 mm`. */
  readonly units: readonly string[]
  /** Words that are numbers, before which a unit stays too: ten mm. */
  readonly isNumber?: (word: string) => boolean
}

/** A stage that drops words that only fill a pause. */
export function fillerStage(
  { words: fillers, units, isNumber = () => false }: FillerRules,
  example: Stage['example'],
): Stage {
  const isFiller = new Set(fillers)
  const isUnit = new Set(units)
  const isCount = (word: string): boolean => /\d$/.test(word) || isNumber(word)
  return wordStage({
    name: 'fillers',
    does: `These words go: ${fillers.join(', ')}; but ${units.join(', ')} after a figure is a unit.`,
    example,
    settings: { fillers, units },
    applyToWords(words) {
      if (!words.some((word) => isFiller.has(word))) return words
      const isKept = (word: string, index: number): boolean =>
        !isFiller.has(word) || (isUnit.has(word) && isCount(words[index - 1] ?? ''))
      return words.filter(isKept)
    },
  })
}
