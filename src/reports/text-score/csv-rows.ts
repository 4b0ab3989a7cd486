import type { ScoredText, TextScore } from '#rates'
import { errorRate, leadingFirst } from '#scoring'
import { csvHeader, csvRows, type FileColumn } from '../layout/csv.ts'
import { rateWords } from '../layout/rate-words.ts'
import type { KeptRows } from './format.ts'

const kinds = ['hits', 'substitutions', 'deletions', 'insertions'] as const

/**
 * Scored texts as comma-separated values, a row per utterance, each with profile, fingerprint and alignment rule.
 * Tags are columns of their own, as `tag_<name>`; the leading rate comes first.
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
        header: `${tokens}_${kind}`,
        value: (row) => row[tokens]?.[kind] ?? null,
      }),
    ),
  )
  return [
    { header: 'id', value: ({ id }) => id },
    { header: 'speaker', value: ({ speaker }) => speaker },
    ...score.tagNames.map(
      (tag): FileColumn<ScoredText> => ({ header: `tag_${tag}`, value: (row) => row.tags[tag] ?? null }),
    ),
    ...levels.map(
      (level): FileColumn<ScoredText> => ({
        header: `${rateWords[level].unit}_error_rate`,
        value: ({ [level]: counts }) => (counts === null ? null : errorRate(counts)),
      }),
    ),
    ...counts,
    { header: 'profile', value: () => score.profile.id },
    { header: 'profile_fingerprint', value: () => score.profile.fingerprint },
    { header: 'alignment', value: () => score.alignment },
    { header: 'character_rule', value: () => score.characterRule },
    { header: 'reference', value: ({ reference }) => reference },
    { header: 'hypothesis', value: ({ hypothesis }) => hypothesis },
    { header: 'answered', value: ({ hypothesis }) => hypothesis !== null },
  ]
}
