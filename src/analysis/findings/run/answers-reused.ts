import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

/** Old answers say how accurate a provider was, and nothing of how fast it is. */
export const answersReused = {
  code: 'ANSWERS_REUSED',
  severity: 'note',
  meaning:
    'With --reuse, answers of earlier runs are scored again instead of being paid for once more: answers to the same ' +
    'recording, by the same target, model and settings, within the age that was asked for. They are in the error rates. They ' +
    'are in no latency, no speed and no cost. A provider may have changed its model since.',
  detect: ({ contenders }) =>
    contenders.flatMap(({ contender: { id }, counts, reused }) =>
      reused === undefined
        ? []
        : [
            {
              message:
                `${id}: ${counted(reused.count, 'answer')} of ${counts.planned} from earlier runs, the oldest of ` +
                `${reused.oldestAt.slice(0, 10)}; for accuracy alone`,
              advice: 'measure speed without --reuse',
            },
          ],
    ),
} satisfies RunFinding
