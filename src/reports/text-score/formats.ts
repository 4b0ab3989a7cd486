import type { ScoredText, TextScore } from '#rates'
import { writePra } from '#scoring/formats'
import { writeCsvRows } from './csv-rows.ts'
import type { KeptRows, TextScoreFormat } from './format.ts'
import { htmlSection, writeHtmlPage } from './html-rows.ts'
import { sgmlLine, trnLine, writeSgmlRows } from './sclite-rows.ts'

/** The names of the ways to write a score with its rows. */
export type TextScoreFormatName =
  | 'json'
  | 'csv'
  | 'pra'
  | 'html'
  | 'sgml'
  | 'trn-reference'
  | 'trn-hypothesis'

/** Every way to write a score with its rows. */
export const textScoreFormats: Readonly<Record<TextScoreFormatName, TextScoreFormat>> = {
  json: { rows: 'counts', showsCharacters: true, keep: jsonLine, write: writeJson },
  csv: { rows: 'counts', showsCharacters: true, keep: jsonLine, write: writeCsvRows },
  pra: { rows: 'aligned', showsCharacters: false, keep: praText, write: writePraText },
  html: { rows: 'aligned', showsCharacters: true, keep: htmlSection, write: writeHtmlPage },
  sgml: { rows: 'aligned', showsCharacters: false, keep: sgmlLine, write: writeSgmlRows },
  'trn-reference': {
    rows: 'aligned',
    showsCharacters: false,
    keep: (row, facts) => trnLine(row, 'reference', facts),
    write: (_, kept) => kept.texts(),
  },
  'trn-hypothesis': {
    rows: 'aligned',
    showsCharacters: false,
    keep: (row, facts) => trnLine(row, 'hypothesis', facts),
    write: (_, kept) => kept.texts(),
  },
}

function jsonLine(row: ScoredText): string {
  return `${JSON.stringify(row)}\n`
}

/** The score as one JSON document, its rows last. */
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

/** Word under word, as sclite's `-o pra` writes it. What was not answered is named in a remark. */
function praText({ id, words, steps }: ScoredText): string {
  return words === null || steps === null ? `;; not answered: ${id}\n` : `${writePra({ id, steps })}\n`
}

async function* writePraText(score: TextScore, kept: KeptRows): AsyncIterable<string> {
  yield `;; profile ${score.profile.id} ${score.profile.fingerprint}\n;; alignment ${score.alignment}\n\n`
  yield* kept.texts()
}
