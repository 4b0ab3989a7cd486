import type { TextScore } from '#analysis'
import { writePra } from '#scoring'

/**
 * Scored texts word under word, as sclite's `-o pra` writes them, after lines that name the rules. What was not
 * answered is listed by id at the end.
 *
 * @param score one with aligned rows; without them only the lines about the rules come out
 */
export function textScorePra(score: TextScore): string {
  const rows = score.rows ?? []
  const aligned = rows.flatMap(({ id, words, steps }) =>
    words === null || steps === null ? [] : [writePra({ id, steps })],
  )
  const unanswered = rows.filter(({ hypothesis }) => hypothesis === null).map(({ id }) => id)
  return [
    `;; profile ${score.profile.id} ${score.profile.fingerprint}`,
    `;; alignment ${score.alignment}`,
    '',
    ...aligned,
    ...(unanswered.length === 0 ? [] : [`;; not answered: ${unanswered.join(' ')}`]),
  ].join('\n')
}
