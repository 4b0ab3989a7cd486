import { escapeHtml } from '#prelude'
import type { ScoredText, TextScore } from '#rates'
import { errorCount, errorRate } from '#scoring/counting'
import { writeHtmlDiff } from '#scoring/formats'
import { rateWords } from '../layout/rate-words.ts'
import { counted, formatPercent } from '../layout/units.ts'
import type { KeptRows, RowFacts } from './format.ts'
import { shownRates } from './shown-rates.ts'

const style = `
body { font: 16px/1.6 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.25rem; }
h1, h2, p { overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.5rem 0 0; }
p { margin: 0.25rem 0; }
del { color: #a40000; background: #fde8e8; }
ins { color: #00562b; background: #e3f5e9; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #161616; }
  del { color: #ffb3b3; background: #4a1d1d; }
  ins { color: #a8e6c0; background: #173d27; }
}`

/**
 * Scored texts as a page that needs nothing else: every utterance with what was deleted struck out and what was inserted
 * underlined, under the rates and the rules that they were made by. Texts are escaped.
 */
export async function* writeHtmlPage(score: TextScore, kept: KeptRows): AsyncIterable<string> {
  const { profile, alignment, characterRule, characters, utteranceCount } = score
  const shown = shownRates(score)
  const rates = shown.map(({ level, rate }) => `${rateWords[level].short} ${formatPercent(rate.rate, 2)}`)
  const facts = [
    ...rates,
    ...shown.slice(0, 1).map(({ level, rate }) => counted(rate.referenceLength, rateWords[level].unit)),
    counted(utteranceCount, 'utterance'),
  ]
  const rules = `profile ${profile.id}, fingerprint <code>${profile.fingerprint}</code>; ${alignment} alignment`
  yield [
    '<!doctype html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${rates[0]}</title><style>${style}</style></head>`,
    '<body>',
    `<h1>${facts.join(' · ')}</h1>`,
    `<p>${rules}${characters === null ? '' : `; characters: ${characterRule}`}</p>`,
    '',
  ].join('\n')
  yield* kept.texts()
  yield '</body></html>\n'
}

/** One utterance on the page, with its own leading rate. */
export function htmlSection({ id, steps, ...row }: ScoredText, { leads }: RowFacts): string {
  const counts = row[leads]
  if (counts === null || steps === null) return `<h2><bdi>${escapeHtml(id)}</bdi></h2>\n<p>not answered</p>\n`
  const own = errorRate(counts)
  const rate = `${counted(errorCount(counts), 'error')}${own === null ? '' : `, ${formatPercent(own, 2)}`}`
  return `<h2><bdi>${escapeHtml(id)}</bdi> · ${rate}</h2>\n${writeHtmlDiff(steps)}\n`
}
