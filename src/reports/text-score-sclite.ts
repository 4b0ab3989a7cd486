import type { ScoredText, TextScore } from '#analysis'
import {
  countSpeakers,
  type ReportNames,
  speakerOf,
  writeSgml,
  writeSpeakerTable,
  writeTrnLine,
} from '#scoring'

/**
 * Scored texts as sclite's `-o sgml`, for sc_stats and for whoever reads that. What was not answered is there with all
 * of its words missing.
 *
 * @param score one with aligned rows
 */
export function textScoreSgml(score: TextScore, names: ReportNames): string {
  const spoken = (score.rows ?? []).map((row) => ({
    id: trnId(row.id),
    speaker: speakerOfRow(row),
    steps: row.steps ?? [],
  }))
  return writeSgml(spoken, score.sclite === null ? names : { ...names, sclite: score.sclite })
}

/**
 * One side of scored texts as a NIST transcript file, in the words that were compared: normalised, and in the reading
 * that was taken. Both sides so written give any other scorer what was counted here.
 *
 * @param score one with aligned rows
 */
export function textScoreTrn(score: TextScore, side: 'reference' | 'hypothesis'): string {
  const lines = (score.rows ?? []).map(({ id, steps }) =>
    writeTrnLine(
      // An optional word that was not said has no text on the other side.
      (steps ?? []).flatMap((step) => step[side] || []),
      trnId(id),
      score.sclite ?? {},
    ),
  )
  return `${lines.join('\n')}\n`
}

/**
 * The tables by speaker as sclite's `-o sum rsum`: percentages, then counts.
 *
 * @param score one with rows; of what was not answered nothing is counted, as sclite does
 */
export function textScoreSys(score: TextScore, title: string): string {
  const speakers = countSpeakers(
    (score.rows ?? []).flatMap((row) =>
      row.words === null ? [] : [{ speaker: speakerOfRow(row), words: row.words }],
    ),
  )
  return [writeSpeakerTable(speakers, title), writeSpeakerTable(speakers, title, 'counts')].join('\n')
}

function speakerOfRow({ speaker, id }: ScoredText): string {
  return speaker ?? speakerOf(id)
}

/** An id ends at a parenthesis or a space there. */
function trnId(id: string): string {
  return id.replace(/[\s()%]/g, (mark) => encodeURIComponent(mark).replace('(', '%28').replace(')', '%29'))
}
