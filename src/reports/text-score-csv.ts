import type { ScoredText, TextScore } from '#analysis'
import { errorRate } from '#scoring'
import { type FileColumn, renderCsv } from './csv.ts'

const kinds = ['hits', 'substitutions', 'deletions', 'insertions'] as const

/**
 * Scored texts as comma-separated values, a row per utterance, each with profile, fingerprint and alignment rule.
 * Tags are columns of their own, as `tag_<name>`. A score without rows gives the header alone.
 */
export function textScoreCsv(score: TextScore): string {
  const rows = score.rows ?? []
  const tags = [...new Set(rows.flatMap(({ tags }) => Object.keys(tags)))].sort()
  const counts = (['words', 'characters'] as const).flatMap((tokens) =>
    kinds.map(
      (kind): FileColumn<ScoredText> => ({
        header: `${tokens}_${kind}`,
        value: (row) => row[tokens]?.[kind] ?? null,
      }),
    ),
  )
  const columns: readonly FileColumn<ScoredText>[] = [
    { header: 'id', value: ({ id }) => id },
    { header: 'speaker', value: ({ speaker }) => speaker },
    ...tags.map(
      (tag): FileColumn<ScoredText> => ({ header: `tag_${tag}`, value: (row) => row.tags[tag] ?? null }),
    ),
    { header: 'word_error_rate', value: ({ wordErrorRate }) => wordErrorRate },
    {
      header: 'character_error_rate',
      value: ({ characters }) => (characters === null ? null : errorRate(characters)),
    },
    ...counts,
    { header: 'profile', value: () => score.profile.id },
    { header: 'profile_fingerprint', value: () => score.profile.fingerprint },
    { header: 'alignment', value: () => score.alignment },
    { header: 'character_rule', value: () => score.characterRule },
    { header: 'reference', value: ({ reference }) => reference },
    { header: 'hypothesis', value: ({ hypothesis }) => hypothesis },
    { header: 'answered', value: ({ hypothesis }) => hypothesis !== null },
  ]
  return renderCsv(columns, rows)
}
