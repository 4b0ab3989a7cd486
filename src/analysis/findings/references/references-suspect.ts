import { shellWord } from '#prelude'
import type { ReferenceFinding } from '../reference-facts.ts'
import { named } from '../wording.ts'

export const referencesSuspect = {
  code: 'REFERENCES_SUSPECT',
  severity: 'note',
  meaning:
    'At least two contenders answered, all in the same words, and the reference says otherwise: often it is the ' +
    'reference that is wrong. They are listed in evaluation.json under audit.suspects, the most errors first.',
  detect: ({ audit: { suspectCount, suspects }, runId }) => {
    if (suspectCount === null || suspectCount === 0) return []
    const ids = suspects.map(({ id }) => id)
    const what = suspectCount === 1 ? 'reference is' : 'references are'
    return [
      {
        message: `${suspectCount} ${what} contradicted by all contenders in the same words: ${named(ids)}`,
        advice: `listen and decide which is right: transcribench review ${shellWord(runId)}`,
        utteranceIds: ids,
      },
    ]
  },
} satisfies ReferenceFinding
