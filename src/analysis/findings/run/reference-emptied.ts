import { referenceLength } from '#scoring'
import type { RunFacts, RunFinding } from '../run-facts.ts'
import { counted, named } from '../wording.ts'

export const referenceEmptied = {
  code: 'REFERENCE_EMPTIED',
  severity: 'warning',
  meaning:
    'The scoring profile leaves nothing of a reference that has text ("[laughter]", a lone filler). Whatever the ' +
    'engine answers there counts as insertions; correct the reference or leave the utterance out.',
  detect: (facts) => {
    const ids = emptiedIds(facts)
    if (ids.length === 0) return []
    return [
      {
        message: `${facts.scorer.profile.id} leaves no words of the reference of ${counted(ids.length, 'utterance')}: ${named(ids)}`,
        advice: `leave them out with --exclude ${ids.slice(0, 10).join(',')}`,
      },
    ]
  },
} satisfies RunFinding

function emptiedIds({ scorer, scored, material: { utterances } }: RunFacts): readonly string[] {
  /** 1 where an utterance was measured, 2 where its reference is known to hold words. */
  const known = new Uint8Array(utterances.length)
  for (const { requests } of scored) {
    for (const { resolved, score } of requests) {
      const { utterancePlace } = resolved
      const holdsWords = score !== null && referenceLength(score.words) > 0
      known[utterancePlace] = Math.max(known[utterancePlace] as number, holdsWords ? 2 : 1)
    }
  }
  return utterances
    .filter((utterance, place) => known[place] === 1 && scorer.empties(utterance))
    .map(({ id }) => id)
}
