import { failed, type Outcome, succeeded } from '#prelude'
import type { TimedText } from '#scoring/counting'

/** Labels of pauses and noises in the output of forced aligners. */
const silences: ReadonlySet<string> = new Set(['', 'sil', 'sp', 'spn', '<eps>', '<sil>', '<silence>', '#'])

interface Tier {
  readonly name: string
  readonly intervals: readonly TimedText[]
}

/**
 * The words of a TextGrid: the intervals of the tier whose name ends in “word” or “words”, or of the only tier of intervals.
 * Empty intervals and pauses are no words.
 *
 * @param text in Praat's long or short form
 * @see https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html
 */
export function readTextGrid(text: string): Outcome<readonly TimedText[], string> {
  const tiers = tiersOf(text)
  if (tiers === null) return failed('is no TextGrid of Praat')
  const ofWords = tiers.filter(({ name }) => /\bwords?$/i.test(name))
  const [tier, ...others] = ofWords.length > 0 ? ofWords : tiers
  if (tier === undefined) return failed('has no tier of intervals')
  if (others.length > 0) {
    const names = [tier, ...others].map(({ name }) => `“${name}”`).join(', ')
    return failed(`has the tiers ${names}: name the one with the words “words”, and no other`)
  }
  return succeeded(tier.intervals.filter((interval) => !silences.has(interval.text.toLowerCase())))
}

/** Both forms have the same values in the same order: numbers, flags and quoted texts. All else is for people. */
function tiersOf(text: string): readonly Tier[] | null {
  const values = valuesOf(text)
  if (values.next() !== 'ooTextFile' || values.next() !== 'TextGrid') return null
  values.skip(2)
  if (values.next() !== '<exists>') return null
  const tiers: Tier[] = []
  for (let left = Number(values.next()); left > 0; left -= 1) {
    const [kind, name] = [values.next(), values.next()]
    values.skip(2)
    const count = Number(values.next())
    const isIntervals = kind === 'IntervalTier'
    if (!(isIntervals || kind === 'TextTier') || name === undefined || !Number.isInteger(count)) return null
    const intervals: TimedText[] = []
    for (let at = 0; at < count; at += 1) {
      const startSeconds = Number(values.next())
      const endSeconds = isIntervals ? Number(values.next()) : startSeconds
      const label = values.next()
      if (label === undefined || !(endSeconds >= startSeconds)) return null
      intervals.push({ text: label.trim(), startSeconds, endSeconds })
    }
    if (isIntervals) tiers.push({ name, intervals })
  }
  return tiers
}

/** A quoted text, in which two quotes are one, a flag, or a number that is no part of a word and no number of an item. */
const value = /"((?:[^"]|"")*)"|(<\w+>)|(?<![^\s])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![^\s])/giu

function valuesOf(text: string): { next(): string | undefined; skip(count: number): void } {
  const all = text.replace(/^\ufeff/, '').matchAll(value)
  const next = (): string | undefined => {
    const found = all.next()
    if (found.done === true) return undefined
    const [, quoted, flag, number] = found.value
    return quoted?.replaceAll('""', '"') ?? flag ?? number
  }
  return {
    next,
    skip(count) {
      for (let at = 0; at < count; at += 1) next()
    },
  }
}
