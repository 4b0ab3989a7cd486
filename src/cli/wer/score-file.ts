import { readPairs, type TranscriptSource } from '#transcripts'
import { showReading } from '../progress/show-reading.ts'
import type { World } from '../world.ts'
import { type CountingPlan, startBlockCounter } from './block-counter.ts'
import { type ScoredFile, startCollector } from './collector.ts'

/**
 * Reads and scores one file of hypotheses, in memory that does not grow with the pairs unless systems are compared.
 *
 * @param name of the system
 * @throws BenchError TRANSCRIPTS_UNREADABLE, SCORING_PROFILE_UNKNOWN, GROUPING_UNKNOWN, ROWS_UNWRITABLE
 */
export async function scoreFile(
  world: World,
  { source, name }: { readonly source: TranscriptSource; readonly name: string },
  plan: CountingPlan,
): Promise<ScoredFile> {
  const collector = startCollector(plan, name)
  const progress = showReading(world)
  const events = { onProgress: progress.show, onNote: (note: string) => world.say(`  ~ ${note}`) }
  const count = await startBlockCounter(plan)
  try {
    for await (const pairs of readPairs(source, events)) await collector.add(pairs, count(pairs))
    return collector.result()
  } finally {
    progress.done()
  }
}
