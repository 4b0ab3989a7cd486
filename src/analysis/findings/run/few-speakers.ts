import { largestContender } from '../largest-contender.ts'
import type { RunFinding } from '../run-facts.ts'

const enoughSpeakers = 20

export const fewSpeakers = {
  code: 'FEW_SPEAKERS',
  severity: 'warning',
  meaning:
    'The utterances of one speaker share their errors, so intervals resample speakers. With fewer than 20 that ' +
    'tends to give too narrow an interval, and says little about other voices. With fewer than ten, utterances ' +
    'are resampled as well and the wider interval is shown.',
  detect: (facts) => {
    const speakerCount = largestContender(facts)?.speakerCount ?? null
    if (speakerCount === null || speakerCount < 2 || speakerCount >= enoughSpeakers) return []
    return [{ message: `the intervals are based on ${speakerCount} speakers and may be too narrow` }]
  },
} satisfies RunFinding
