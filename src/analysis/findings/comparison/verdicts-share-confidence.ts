import type { ComparisonFinding } from '../comparison-facts.ts'

export const verdictsShareConfidence = {
  code: 'VERDICTS_SHARE_CONFIDENCE',
  severity: 'note',
  meaning:
    'Of 48 comparisons of equals, some would look different at 95% in nine of ten cases. The verdicts of one ' +
    'comparison are therefore adjusted for multiple comparisons (Holm, family-wise 95%): an interval that lies beyond its margin by itself may still ' +
    'be called unresolved. Compare fewer contenders, or measure more runs.',
  detect: ({ base, run, comparisonCount }) =>
    comparisonCount > 1 && Math.min(base.length, run.length) > 1
      ? [
          {
            message: `the intervals and verdicts of ${comparisonCount} differences are adjusted for multiple comparisons: a single one would have a narrower interval`,
          },
        ]
      : [],
} satisfies ComparisonFinding
