import type { ScoredText, TextScore } from '#rates'
import { errorRate, leadingFirst } from '#scoring/counting'
import type { FileColumn } from '../layout/column.ts'
import { csvHeader, csvRows } from '../layout/csv.ts'
import { rateWords } from '../layout/rate-words.ts'
import type { KeptRows } from './format.ts'

const kinds = ['hits', 'substitutions', 'deletions', 'insertions'] as const

/**
 * Scored texts as comma-separated values, a row per utterance, each with profile, fingerprint and alignment rule.
 * Tags are separate columns, as `tag_<name>`; the leading rate comes first.
 *
 * @param kept JSON lines: which tags there are is known when all rows are
 */
export async function* writeCsvRows(score: TextScore, kept: KeptRows): AsyncIterable<string> {
  const columns = columnsOf(score)
  yield csvHeader(columns)
  for await (const lines of kept.lines()) {
    yield csvRows(
      columns,
      lines.map((line) => JSON.parse(line) as ScoredText),
    )
  }
}

function columnsOf(score: TextScore): readonly FileColumn<ScoredText>[] {
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
      (tag): FileColumn<ScoredText> => ({ name: `tag_${tag}`, value: (row) => row.tags[tag] ?? null }),
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
