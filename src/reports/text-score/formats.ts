import { escapeHtml, ownValue } from '#prelude'
import type { ScoredText, TextScore } from '#rates/documents'
import type { ScliteOptions } from '#scoring/alignment/networks'
import { errorCount, errorRate, leadingFirst } from '#scoring/counts'
import {
  type ReportNames,
  type SpokenAlignment,
  writeHtmlDiff,
  writePra,
  writeSgmlPath,
  writeSgmlSystem,
  writeTrnLine,
} from '#scoring/formats/sclite-reports'
import { speakerOf } from '#scoring/formats/trn'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { FileColumn } from '../layout/table.ts'
import { csvHeader, csvRows } from '../layout/table-files.ts'
import { counted, formatPercent, rateWords } from '../layout/units.ts'
import { shownRates } from './render-text-score.ts'

/**
 * One side of a scored text as a line of a NIST transcript file. Its words are those that were compared: normalised,
 * and with the chosen alternatives. From both sides, any other scorer gives the same counts.
 */
function trnLine({ id, steps }: ScoredText, side: 'reference' | 'hypothesis', { sclite }: RowFacts): string {
  // An optional word that was not said has no text on the other side.
  const words = (steps ?? []).flatMap((step) => step[side] || [])
  return `${writeTrnLine(words, trnId(id), sclite ?? {})}\n`
}

/** The JSON line that is kept of a row for sc_stats: its speaker decides its position. */
function sgmlLine({ id, speaker, steps }: ScoredText): string {
  const spoken: SpokenAlignment = { id: trnId(id), speaker: speaker ?? speakerOf(id), steps: steps ?? [] }
  return `${JSON.stringify(spoken)}\n`
}

/**
 * Scored texts as sclite's `-o sgml`, for sc_stats and other readers of it. They are grouped by speaker, so all of
 * them are held in memory. All words of an unanswered utterance are deletions.
 */
async function* writeSgmlRows(score: TextScore, kept: KeptRows, names: ReportNames): AsyncIterable<string> {
  const bySpeaker = new Map<string, string[]>()
  for await (const lines of kept.lines()) {
    for (const line of lines) {
      const { speaker } = JSON.parse(line) as SpokenAlignment
      const speakerLines = bySpeaker.get(speaker)
      if (speakerLines === undefined) bySpeaker.set(speaker, [line])
      else speakerLines.push(line)
    }
  }
  const system = writeSgmlSystem({ ...names, ...(score.sclite === null ? {} : { sclite: score.sclite }) })
  yield system.begin
  let sequence = 0
  for (const [speaker, lines] of bySpeaker) {
    yield system.beginSpeaker(speaker)
    for (const line of lines) {
      yield writeSgmlPath(JSON.parse(line) as SpokenAlignment, sequence)
      sequence += 1
    }
    yield system.endSpeaker
  }
  yield system.end
}

/** An id for a transcript file, where a parenthesis or a space would end it. */
function trnId(id: string): string {
  return id.replace(/[\s()%]/g, (mark) => encodeURIComponent(mark).replace('(', '%28').replace(')', '%29'))
}

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
 * Scored texts as a standalone page: every utterance with deletions struck out and insertions underlined, below the
 * rates and the rules that they were made by. Texts are escaped.
 */
async function* writeHtmlPage(score: TextScore, kept: KeptRows): AsyncIterable<string> {
  const { profile, alignment, characterRule, characters, utteranceCount } = score
  const shown = shownRates(score)
  const rates = shown.map(({ level, rate }) => `${rateWords[level].short} ${formatPercent(rate.rate, 2)}`)
  const facts = [
    ...rates,
    ...shown.slice(0, 1).map(({ level, rate }) => counted(rate.referenceLength, rateWords[level].unit)),
    counted(utteranceCount, 'utterance'),
  ]
  const rules = `profile ${escapeHtml(profile.id)}, fingerprint <code>${profile.fingerprint}</code>; ${alignment} alignment`
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

function htmlSection({ id, steps, ...row }: ScoredText, { leads }: RowFacts): string {
  const counts = row[leads]
  if (counts === null || steps === null) return `<h2><bdi>${escapeHtml(id)}</bdi></h2>\n<p>not answered</p>\n`
  const value = errorRate(counts)
  const rate = `${counted(errorCount(counts), 'error')}${value === null ? '' : `, ${formatPercent(value, 2)}`}`
  return `<h2><bdi>${escapeHtml(id)}</bdi> · ${rate}</h2>\n${writeHtmlDiff(steps)}\n`
}

const kinds = ['hits', 'substitutions', 'deletions', 'insertions'] as const

/**
 * Scored texts as comma-separated values, a row per utterance, each with profile, fingerprint and alignment rule.
 * Tags are separate columns, as `tag_<name>`; the leading rate comes first.
 *
 * @param kept JSON lines, because the set of tags is only known after all rows
 */
async function* writeCsvRows(score: TextScore, kept: KeptRows): AsyncIterable<string> {
  const columns = scoreColumns(score)
  yield csvHeader(columns)
  for await (const lines of kept.lines()) {
    yield csvRows(
      columns,
      lines.map((line) => JSON.parse(line) as ScoredText),
    )
  }
}

function scoreColumns(score: TextScore): readonly FileColumn<ScoredText>[] {
  const levels = leadingFirst(score.profile.leads)
  const counts = levels.flatMap((tokens) =>
    kinds.map(
      (kind): FileColumn<ScoredText> => ({
        name: `${tokens}_${kind}`,
        value: (row) => row[tokens]?.[kind] ?? null,
      }),
    ),
  )
  return [
    { name: 'id', value: ({ id }) => id },
    { name: 'speaker', value: ({ speaker }) => speaker },
    ...score.tagNames.map(
      (tag): FileColumn<ScoredText> => ({
        name: `tag_${tag}`,
        value: (row) => ownValue(row.tags, tag) ?? null,
      }),
    ),
    ...levels.map(
      (level): FileColumn<ScoredText> => ({
        name: `${rateWords[level].unit}_error_rate`,
        value: ({ [level]: counts }) => (counts === null ? null : errorRate(counts)),
      }),
    ),
    ...counts,
    { name: 'profile', value: () => score.profile.id },
    { name: 'profile_fingerprint', value: () => score.profile.fingerprint },
    { name: 'alignment', value: () => score.alignment },
    { name: 'character_rule', value: () => score.characterRule },
    { name: 'reference', value: ({ reference }) => reference },
    { name: 'hypothesis', value: ({ hypothesis }) => hypothesis },
    { name: 'answered', value: ({ hypothesis }) => hypothesis !== null },
  ]
}

export type TextScoreFormatName =
  | 'json'
  | 'csv'
  | 'pra'
  | 'html'
  | 'sgml'
  | 'trn-reference'
  | 'trn-hypothesis'

export const textScoreFormats: Readonly<Record<TextScoreFormatName, TextScoreFormat>> = {
  json: { rows: 'counts', keep: jsonLine, write: writeJson },
  csv: { rows: 'counts', keep: jsonLine, write: writeCsvRows },
  pra: { rows: 'aligned', keep: praText, write: writePraText },
  html: { rows: 'aligned', keep: htmlSection, write: writeHtmlPage },
  sgml: { rows: 'aligned', keep: sgmlLine, write: writeSgmlRows },
  'trn-reference': {
    rows: 'aligned',

    keep: (row, facts) => trnLine(row, 'reference', facts),
    write: (_, kept) => kept.texts(),
  },
  'trn-hypothesis': {
    rows: 'aligned',

    keep: (row, facts) => trnLine(row, 'hypothesis', facts),
    write: (_, kept) => kept.texts(),
  },
}

function jsonLine(row: ScoredText): string {
  return `${JSON.stringify(row)}\n`
}

async function* writeJson(score: TextScore, kept: KeptRows): AsyncIterable<string> {
  yield `${JSON.stringify(score).slice(0, -1)},"rows":[`
  let isFirst = true
  for await (const lines of kept.lines()) {
    if (lines.length === 0) continue
    yield `${isFirst ? '' : ','}${lines.join(',')}`
    isFirst = false
  }
  yield ']}\n'
}

/** The alignment as sclite's `-o pra` writes it. An unanswered utterance is named in a remark. */
function praText({ id, words, steps }: ScoredText): string {
  const shownId = trnId(id)
  return words === null || steps === null
    ? `;; not answered: ${shownId}\n`
    : `${writePra({ id: shownId, steps })}\n`
}

async function* writePraText(score: TextScore, kept: KeptRows): AsyncIterable<string> {
  yield `;; profile ${score.profile.id} ${score.profile.fingerprint}\n;; alignment ${score.alignment}\n\n`
  yield* kept.texts()
}

/** Facts that apply to all rows and are known before the first one is counted. */
export interface RowFacts {
  readonly sclite: ScliteOptions | null
  readonly leads: ErrorLevel
}

export interface KeptRows {
  /** The kept texts, in pieces of any length. */
  texts(): AsyncIterable<string>
  /** The kept rows of formats with one line per row, without the line ends. */
  lines(): AsyncIterable<readonly string[]>
}

/**
 * A format of a score with its rows. Each row is converted to text and stored outside memory, so that memory does not
 * grow; the document around the rows is written after all are counted.
 */
export interface TextScoreFormat {
  /** Whether rows hold counts alone, or the aligned words as well. */
  readonly rows: 'counts' | 'aligned'
  /** The text of a row, or a JSON line if its text depends on other rows. */
  keep(row: ScoredText, facts: RowFacts): string
  write(score: TextScore, kept: KeptRows, names: ReportNames): AsyncIterable<string>
}
