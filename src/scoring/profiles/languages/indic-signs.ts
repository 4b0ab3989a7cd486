import type { FigureSigns } from '../language-rules/written-figures.ts'

/** Figures as the languages of India write them: 12,34,567.50. */
export function indicSigns(words: {
  readonly rupee: string
  readonly dollar: string
  readonly euro: string
  readonly pound: string
  readonly yen: string
  /** Of a country besides India: `৳ টাকা`. */
  readonly ownCurrency?: string
  readonly percent: string
  readonly degrees: string
  readonly celsius: string
  /** What is written after ° instead of C. */
  readonly celsiusLetters?: string
  readonly minus: string
  readonly to: string
  readonly and: string
  readonly forms?: FigureSigns['forms']
}): FigureSigns {
  const { rupee, dollar, euro, pound, yen, percent, degrees, celsius, celsiusLetters, minus, to, and } = words
  return {
    decimal: '.',
    group: ',',
    currencies: `₹ ${rupee}; rs ${rupee}; $ ${dollar}; € ${euro}; £ ${pound}; ¥ ${yen}; ${words.ownCurrency ?? ''}`,
    percent,
    degrees,
    celsius,
    minus,
    to,
    and,
    hour: null,
    forms: [
      [/(?<=\d),(?=(?:\d{2},)*\d{3}(?!\d))/g, ''],
      ...(celsiusLetters === undefined
        ? []
        : [[new RegExp(`° ?${celsiusLetters}(?![\\p{L}\\p{M}])`, 'gu'), '°c'] as const]),
      ...(words.forms ?? []),
    ],
  }
}
