import type { ComparisonFinding } from '../comparison-facts.ts'
import { named } from '../wording.ts'

export const utterancesLeftOut = {
  code: 'UTTERANCES_LEFT_OUT',
  severity: 'warning',
  meaning:
    'Utterances with different audio or another reference under the same id were excluded from the comparison, as ' +
    'asked. They are counted and named.',
  detect: ({ leftOutIds }) =>
    leftOutIds.length === 0
      ? []
      : [
          {
            message: `${leftOutIds.length} with different audio or references excluded: ${named(leftOutIds)}`,
            advice: 'transcribench corpus verify',
          },
        ],
} satisfies ComparisonFinding
