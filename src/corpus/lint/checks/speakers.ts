import type { LintCheck } from '../lint-check.ts'

const leastSpeakers = 4
const largestShare = 0.5

export const speakers: LintCheck = {
  name: 'speaker-imbalance',
  meaning:
    'Of at least four speakers one has more than half of the audio: the figures are mostly about one voice.',
  find: ({ heard }) => {
    const seconds = new Map<string, number>()
    for (const { utterance } of heard) {
      if (utterance.speaker === null) continue
      seconds.set(utterance.speaker, (seconds.get(utterance.speaker) ?? 0) + utterance.durationSeconds)
    }
    const total = [...seconds.values()].reduce((sum, value) => sum + value, 0)
    const [first] = [...seconds].sort(([, left], [, right]) => right - left)
    if (first === undefined || seconds.size < leastSpeakers || first[1] <= largestShare * total) return []
    const share = Math.round((100 * first[1]) / total)
    return [
      {
        utteranceId: null,
        what: `speaker ${first[0]} has ${share}% of the audio of ${seconds.size} speakers`,
        suggestion: 'choose a balanced part: transcribench corpus select --balance speaker',
      },
    ]
  },
}
