import type { FigureSigns } from '../language-rules/written-figures.ts'

/** Figures as the languages of India write them: 12,34,567.50. */
export function indicSigns(words: {
  readonly rupee: string
  readonly dollar: string
  readonly percent: string
  readonly degrees: string
  readonly minus: string
  readonly to: string
  readonly and: string
}): FigureSigns {
  const { rupee, dollar, percent, degrees, minus, to, and } = words
  return {
    decimal: '.',
    group: ',',
    currencies: `₹ ${rupee}; $ ${dollar}`,
    percent,
    degrees,
    celsius: degrees,
    minus,
    to,
    and,
    hour: null,
    forms: [[/(?<=\d),(?=(?:\d{2},)*\d{3}(?!\d))/g, '']],
  }
}
