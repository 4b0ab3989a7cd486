import type { BenchConfig, ContenderConfig } from '#config'
import type { PlannedRequest, ReusedLine } from '#journal'
import { systemClock } from '#load'
import { serverAddressOf } from '../target/open-server.ts'
import { withCorpus } from './contenders.ts'
import { readEarlierAnswers, reuseAnswers } from './earlier-answers.ts'
import type { OpenedCorpus } from './open-corpus.ts'
import { mayBeBilled } from './prices.ts'

/** What earlier runs have answered of a plan, as far as that is known without asking a target. */
export interface ReusePreview {
  readonly reused: readonly ReusedLine[]
  /** Billed contenders of targets that have to be found first: the run looks for their answers. */
  readonly unknownIds: readonly string[]
}

/** @param resultsFolder absolute path of the earlier runs */
export async function previewReuse(
  config: BenchConfig,
  {
    corpus,
    requests,
    env,
    resultsFolder,
  }: {
    readonly corpus: OpenedCorpus
    readonly requests: readonly PlannedRequest[]
    readonly env: Readonly<Record<string, string | undefined>>
    readonly resultsFolder: string
  },
): Promise<ReusePreview> {
  const answers = await readEarlierAnswers(config, { resultsFolder, today: systemClock.today() })
  if (answers === null) return { reused: [], unknownIds: [] }
  const billed = config.contenders
    .filter((contender) => mayBeBilled(contender, config))
    .map((contender) => ({
      contender: withCorpus(contender, corpus),
      baseUrl: addressOf(contender, config, env),
    }))
  const known = billed.flatMap(({ contender, baseUrl }) => (baseUrl === null ? [] : [{ contender, baseUrl }]))
  return {
    reused: reuseAnswers(answers, { requests, utterances: corpus.utterances, contenders: known }),
    unknownIds: billed.filter(({ baseUrl }) => baseUrl === null).map(({ contender }) => contender.id),
  }
}

function addressOf(
  { target, keyFrom }: ContenderConfig,
  config: BenchConfig,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const place = { env, keyFrom: target === undefined ? config.keyFrom : (keyFrom ?? null) }
  return serverAddressOf(target ?? config.target, place)
}
