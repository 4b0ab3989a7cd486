import { type TextScoreOptions, writtenText } from '#rates'
import { type Profile, plainProfile, type Utterance } from '#scoring/counting'
import { readPairs, type TranscriptSource } from '#transcripts'
import type { CommandContext } from '../command-context.ts'
import { showReading } from '../progress/show-reading.ts'
import { type CountingPlan, startBlockCounter } from './block-counter.ts'
import { type ScoredFile, startCollector } from './collector.ts'

/**
 * Reads and scores one file of hypotheses, in memory that does not grow with the pairs unless systems are compared.
 *
 * @param name of the system
 * @throws BenchError TRANSCRIPTS_UNREADABLE, SCORING_PROFILE_UNKNOWN, GROUPING_UNKNOWN, ROWS_UNWRITABLE
 */
export async function scoreFile(
  context: CommandContext,
  { source, name }: { readonly source: TranscriptSource; readonly name: string },
  plan: CountingPlan,
): Promise<ScoredFile> {
  // What is wrong with the options is reported before anything is read.
  await chooseProfile(plan.options)
  const progress = showReading(context)
  const events = { onProgress: progress.show, onNote: (note: string) => context.say(`  ~ ${note}`) }
  let opened: Awaited<ReturnType<typeof openPlan>> | null = null
  try {
    for await (const pairs of readPairs(source, events)) {
      opened ??= await openPlan(plan, name, pairs)
      await opened.collector.add(pairs, opened.count(pairs))
    }
    opened ??= await openPlan(plan, name, [])
    return opened.collector.result()
  } finally {
    progress.done()
  }
}

/** So many references show in which script a set of texts is written. */
const textsForScript = 100

async function openPlan(
  plan: CountingPlan,
  name: string,
  first: readonly Utterance[],
): Promise<{
  readonly collector: ReturnType<typeof startCollector>
  readonly count: Awaited<ReturnType<typeof startBlockCounter>>
}> {
  const texts = first.slice(0, textsForScript).map(({ reference }) => writtenText(reference))
  const namesLanguages = first.some(({ tags }) => tags?.['language'] !== undefined)
  const own = { ...plan, options: { ...plan.options, texts, namesLanguages } }
  const profile = await chooseProfile(own.options)
  return { collector: startCollector(own, profile, name), count: await startBlockCounter(own, profile) }
}

/** The rules of all languages take longer to load than most files to score: they are loaded where a language or a profile is named. */
async function chooseProfile(options: TextScoreOptions): Promise<Profile> {
  const { profile, language, namesLanguages = false, alignment, texts } = options
  if (profile === undefined && language === undefined && !namesLanguages)
    return plainProfile(alignment, texts)
  return (await import('#rates/choose-profile')).chooseProfile(options)
}
