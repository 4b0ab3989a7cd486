import { errorRate, measureFlakiness, type Profile } from '#scoring'
import type { FlakinessAnalysis } from '../documents/error-analysis/answers.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import { utteranceShare } from './counted-rate.ts'

const listedIds = 100

/** Whether the same recording, sent again, gives the same text. Null where nothing was answered twice. */
export function flakinessOf({ requests }: ScoredContender, profile: Profile): FlakinessAnalysis | null {
  const texts = new Map<string, string[]>()
  for (const { resolved } of requests) {
    if (resolved.hypothesis === null) continue
    const known = texts.get(resolved.utterance.id)
    if (known === undefined) texts.set(resolved.utterance.id, [resolved.hypothesis])
    else known.push(resolved.hypothesis)
  }
  const repeated = [...texts].map(([id, answers]) => ({ id, texts: answers }))
  const { utteranceCount, unstableCount, unstableIds, betweenRepeats } = measureFlakiness(repeated, profile)
  if (utteranceCount === 0) return null
  return {
    rate: utteranceShare(unstableCount, utteranceCount),
    betweenRepeats,
    betweenRepeatsRate: errorRate(betweenRepeats),
    unstableIds: unstableIds.slice(0, listedIds),
  }
}
