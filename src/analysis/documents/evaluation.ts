import { z } from 'zod'
import { phases } from '#journal/plan-line'
import { loadKindNames } from '#load/loads/registry'
import type { DeepReadonly } from '#prelude'
import {
  count,
  flag,
  group,
  groupOrNull,
  list,
  nullableCount,
  nullableNumber,
  nullableText,
  number,
  oneOf,
  orNull,
  part,
  text,
} from '#prelude/document-fields'
import { errorRateSchema, intervalSchema } from '#rates/documents'
import { errorCountsSchema } from '#scoring/shapes'
import { contenderEvaluationSchema } from './contender-evaluation.ts'
import { runCostsSchema } from './costs.ts'
import { contenderAnalysisSchema, referenceAuditSchema } from './error-analysis.ts'
import { findingSchema } from './finding.ts'
import { requestPhasesSchema } from './latency.ts'
import { rankingSchema } from './ranking.ts'
import { resourcesSchema } from './resources.ts'
import { scoredProfileSchema, scoringIdentitySchema, validitySchema } from './scoring-identity.ts'
import { speedDifferencesSchema } from './speed.ts'

/**
 * Returns the name of a score in files and on its page: `whisper-english.f3bea9bd`. Another profile, rules or
 * corrected references give another score of the same run.
 */
export function scoreName({ profile, scoring }: Pick<Evaluation, 'profile' | 'scoring'>): string {
  // A profile's id contains the names of its rules, which may be file names.
  return `${profile.id.replaceAll(/[^\p{L}\p{N}+_-]+/gu, '-')}.${scoring.fingerprint.slice(0, 8)}`
}

/**
 * Part of its block in which a request was sent: while the load built up, was steady, or ran out.
 *
 *   in flight │      ┌──────────────────┐
 *             │   ┌──┘                  └──┐
 *             │ ──┘                        └──
 *             └──ramp──┴─────steady─────┴─drain──► time
 */
const windowPartSchema = oneOf(['ramp', 'steady', 'drain'])
export type WindowPart = z.infer<typeof windowPartSchema>

export const utteranceEvaluationSchema = part('UtteranceEvaluation', 'One planned request, scored.', {
  requestIndex: count.describe('Position in the plan, from 0.'),
  contenderId: text.describe('The contender.'),
  utteranceId: text.describe('The utterance.'),
  round: count.describe('Pass over the corpus, from 1.'),
  status: oneOf(['scored', 'failed', 'dropped', 'notSent']).describe('What became of the request.'),
  reusedFrom: text
    .optional()
    .describe('Id of the run that received the answer; it has no times here. Absent where it was sent.'),
  window: orNull(windowPartSchema).describe(
    'Sent while the load built up, was steady, or ran out; null where it was not sent.',
  ),
  failure: nullableText.describe('The code that the failure is counted by; null unless it failed.'),
  failureMessage: nullableText.describe('Message of the server or the system; null unless it failed.'),
  failureHint: nullableText.describe('Advice of the server; null unless it failed, and where it gave none.'),
  saidNoSpeech: flag.describe('The server reported "no speech" as an error; scored as an empty transcript.'),
  audioSeconds: number.describe('Length of the audio in seconds.'),
  latencyMs: nullableNumber.describe(
    'In milliseconds, from the due moment (open load) or the sending (closed load); null unless scored.',
  ),
  attemptCount: count.describe('How often it was sent.'),
  firstAttemptMs: nullableNumber.describe(
    'Latency of the first attempt alone, in milliseconds; `latencyMs` includes repeats and the waits between them. Null ' +
      'where it was not sent.',
  ),
  serviceMs: nullableNumber.describe(
    'From the sending to the last byte, in milliseconds; null unless scored.',
  ),
  phases: orNull(requestPhasesSchema).describe(
    'What the service time was spent on; null where it was not recorded.',
  ),
  realTimeFactor: nullableNumber.describe('Service time / audio length; null unless scored.'),
  serverDecodeMs: nullableNumber.describe('Decoding as the server reports it, in milliseconds; else null.'),
  serverLatencyMs: nullableNumber.describe('Latency as the server reports it, in milliseconds; else null.'),
  reference: text.describe('The text that was compared: of several accepted ones, the best for this answer.'),
  hypothesis: nullableText.describe('The answer as the server sent it; null unless scored.'),
  words: orNull(errorCountsSchema).describe('Word errors; null unless scored.'),
  characters: orNull(errorCountsSchema).describe('Character errors; null unless scored.'),
  wordErrorRate: nullableNumber.describe(
    'Word errors / words of the reference; null where nothing was scored, or the reference holds no words.',
  ),
})
export type UtteranceEvaluation = DeepReadonly<z.infer<typeof utteranceEvaluationSchema>>
export type AttemptStatus = UtteranceEvaluation['status']

const evaluatedTargetSchema = part('EvaluatedTarget', 'One of several targets of a run.', {
  id: text.describe('As the config names it.'),
  kind: oneOf(['embedded', 'discovered', 'address', 'openai', 'provider']).describe(
    'What it is, as in `run.json`.',
  ),
  baseUrl: text.describe('Where requests were sent, without credentials.'),
  serviceVersion: nullableText.describe('Version of the service; null where it reports none.'),
  machine: text.describe('`this machine`, or the name of the host.'),
  roundTripMs: nullableNumber.describe(
    'Median time to connect to the host, measured before the run, in milliseconds; null where unknown.',
  ),
  contenderIds: list(text).describe('Its contenders.'),
})
export type EvaluatedTarget = DeepReadonly<z.infer<typeof evaluatedTargetSchema>>

const pooledFigureSchema = part('PooledFigure', 'A figure over several hosts.', {
  value: nullableNumber.describe('From the requests of all hosts; null for the reason that follows.'),
  interval: orNull(intervalSchema).describe(
    'By resampling hosts with all their requests; null for the reason that follows.',
  ),
  reason: nullableText.describe('Why there is no value or no interval; null where there are both.'),
})
export type PooledFigure = DeepReadonly<z.infer<typeof pooledFigureSchema>>

const pooledContenderSchema = part('PooledContender', 'A contender over all hosts that measured it.', {
  contenderId: text.describe('Contender as each host called it.'),
  hosts: list(text).describe('Names of the hosts that measured it.'),
  words: errorRateSchema.describe('Word errors over all hosts; hosts are resampled as a whole.'),
  characters: errorRateSchema.describe('Character errors, in the same way.'),
  latencyP50Ms: pooledFigureSchema.describe(
    'Median latency in milliseconds, over the requests of all hosts.',
  ),
  latencyP95Ms: pooledFigureSchema.describe('95th percentile in milliseconds, in the same way.'),
  speedPerHost: pooledFigureSchema.describe(
    'Audio seconds transcribed per second on one host: the sum over all hosts / the sum of their steady times.',
  ),
  totalSpeed: nullableNumber.describe(
    'Audio seconds transcribed per second by all hosts together; where they shared the plan, over the time that it took, ' +
      'waiting and warm-up included. Null where one has no speed.',
  ),
})
export type PooledContender = DeepReadonly<z.infer<typeof pooledContenderSchema>>

export const evaluationFormatVersion = 9

const missingRequestsSchema = part(
  'MissingRequests',
  'A percentile, a speed or a limit that a run is too short for.',
  {
    contenderId: text.describe('The contender.'),
    metric: text.describe(
      'Id of a metric; for a limit that is neither met nor violated for certain, the threshold as written.',
    ),
    moreRequests: count.describe('Answered requests that are needed in addition.'),
  },
)
export type MissingRequests = DeepReadonly<z.infer<typeof missingRequestsSchema>>

const instrumentSchema = part(
  'Instrument',
  'The error of the instrument itself. Null where it was not recorded.',
  {
    sendLagMs: groupOrNull({
      p50: number.describe('How late requests were sent: median in milliseconds.'),
      p99: number.describe('How late requests were sent: 99th percentile in milliseconds.'),
      max: number.describe('How late requests were sent: max in milliseconds.'),
      sampleCount: count.describe('Requests it was computed from.'),
    }).describe('How late requests were sent, from the moment they were due.'),
    loopDelayMaxMs: nullableNumber.describe(
      'Event-loop stall of the measuring process, max in milliseconds.',
    ),
    ownProcessors: nullableNumber.describe('Processors that the measuring process kept busy.'),
    samplerProcessors: nullableNumber.describe(
      'Processors that the programs which are kept running to sample kept busy; null where none is.',
    ),
    foreignProcessors: nullableNumber.describe(
      'Processors that neither it nor the server kept busy, on average over the run.',
    ),
    clockStepMaxMs: nullableNumber.describe(
      'Largest jump of the wall clock against the monotonic one, in milliseconds.',
    ),
  },
)
export type Instrument = DeepReadonly<z.infer<typeof instrumentSchema>>

const evaluatedLoadSchema = part('EvaluatedLoad', 'The load that a run was made under.', {
  kind: oneOf(loadKindNames).describe('Kind of the load.'),
  description: text.describe(
    'In words, with the speech that it offers: `poisson arrivals, 2 requests/s (6.8 s of speech per second)`.',
  ),
  concurrency: orNull(z.int().min(1)).describe(
    'Requests kept in flight by a closed load; null for all others.',
  ),
  latencyCountsFrom: oneOf(['due', 'sent']).describe(
    'Where latency begins: at the due moment, or at the sending.',
  ),
})
export type EvaluatedLoad = DeepReadonly<z.infer<typeof evaluatedLoadSchema>>

const rateDifferenceSchema = part('RateDifference', 'A difference of two error rates, with its interval.', {
  value: number.describe('Difference in rate.'),
  interval: orNull(intervalSchema).describe('Its interval; null where resampling gives none.'),
})
export type RateDifference = DeepReadonly<z.infer<typeof rateDifferenceSchema>>

const contenderDifferenceSchema = part(
  'ContenderDifference',
  'The difference of the first two contenders of the ranking over the utterances that both were asked, every failed request as ' +
    'an empty transcript.',
  {
    better: text.describe('The contender with the lower rate.'),
    worse: text.describe('The other one.'),
    wordErrorRate: orNull(rateDifferenceSchema).describe(
      'worse - better, in rate (0.023 is 2.3 errors in a hundred words); below 0 only where the character error rate leads; null ' +
        'without words.',
    ),
    characterErrorRate: orNull(rateDifferenceSchema).describe(
      'The same in characters; null without characters.',
    ),
    isResolved: flag.describe(
      'Whether the ranking resolves the pair: the interval of the leading rate excludes zero, and enough utterances differ at all: ' +
        'six, or more where several pairs are compared.',
    ),
    utteranceCount: count.describe('Utterances that both were asked.'),
    differingCount: count.describe('Utterances whose errors, those of the leading rate, differ at all.'),
  },
)
export type ContenderDifference = DeepReadonly<z.infer<typeof contenderDifferenceSchema>>

const evaluatedRunSchema = group({
  id: text.describe('Name of the run folder.'),
  name: text.describe('Name from the config.'),
  status: oneOf(['started', 'finished', 'interrupted', 'failed']).describe(
    'How the run ended; `started` where it never recorded an end.',
  ),
  startedAt: text.describe('ISO 8601, UTC.'),
  endedAt: nullableText.describe('ISO 8601, UTC; null where the run recorded no end.'),
  targetBaseUrl: text.describe('Where requests were sent, without credentials.'),
  target: text.describe('Kind of every target, with the address of one that has the same one in each run.'),
  serviceVersion: nullableText.describe('Version of the service; null where it reports none.'),
  programVersion: text.describe('Version of transcribench that measured.'),
  cpuModel: text.describe('Processor of the measuring machine.'),
  cpuCount: count.describe('Its processors that the measuring program may use.'),
  machineCpuCount: count.optional().describe('All of its processors; absent where they were not recorded.'),
  givenUp: list(
    group({
      id: text.describe('The contender.'),
      phase: oneOf(phases).describe('Where it was given up.'),
      reason: text.describe('In the words of the server or the system.'),
      hint: nullableText.describe('Advice of the server; null where it gave none.'),
    }),
  ).describe('Contenders that were sent nothing more, because nothing could succeed.'),
})

const corpusSchema = group({
  name: text.describe('Name of the corpus.'),
  fingerprint: text.describe('64 hexadecimal digits over its utterances.'),
  utteranceCount: count.describe('Utterances.'),
  sampledFrom: nullableCount
    .optional()
    .describe('Of how many these are a sample; null or absent where all were taken.'),
  audioSeconds: number.describe('Length of all audio in seconds.'),
  writtenLanguage: nullableText
    .optional()
    .describe(
      'Language of references whose manifest names none, by their words; null where it is not clear, absent where it is not needed.',
    ),
  excluded: list(text).describe('Ids excluded by `--exclude`, in manifest order.'),
})

export const evaluationSchema = group({
  formatVersion: z.literal(evaluationFormatVersion).describe('Version of this form.'),
  run: evaluatedRunSchema.describe('The run that was scored.'),
  validity: validitySchema.describe(
    '`invalid` for the reasons of the findings of that severity; `short` of the requests in `missing`.',
  ),
  missing: list(missingRequestsSchema).describe('Figures that the run is too short for.'),
  instrument: instrumentSchema.describe('How exactly the program measured.'),
  findings: list(findingSchema).describe('What could make a reader distrust the figures.'),
  profile: scoredProfileSchema.describe('How texts were normalised.'),
  alignment: z.literal('canonical').describe('Rule that resolves ties between alignments.'),
  scoring: scoringIdentitySchema.describe('By which rules the run was scored.'),
  seed: z.int().describe('Seed of all resampling.'),
  targets: list(evaluatedTargetSchema)
    .optional()
    .describe('Where the contenders were asked; absent in a run with one target.'),
  hosts: list(pooledContenderSchema)
    .optional()
    .describe('The contenders of a merged run over all hosts; absent in any other.'),
  corpus: corpusSchema.describe('What was transcribed, as in `run.json`.'),
  load: evaluatedLoadSchema.describe('How requests were sent.'),
  rounds: count.describe('Passes of each contender over the corpus.'),
  resources: resourcesSchema.describe('What the server and its machine used.'),
  contenders: list(contenderEvaluationSchema).describe('The figures, in the order of the config.'),
  costs: orNull(runCostsSchema).describe(
    "What providers ask, next to a machine of one's own; null where no contender has a price.",
  ),
  difference: orNull(contenderDifferenceSchema).describe(
    'The two best contenders of the ranking; null with fewer than two that were scored.',
  ),
  ranking: orNull(rankingSchema).describe(
    'Ranks by the leading error rate with failures as empty transcripts, as far as they can be decided; null with fewer than ' +
      'two that were scored. Sentence and tables follow its order.',
  ),
  speeds: speedDifferencesSchema.describe('Which contender is faster, and whether that can be said.'),
  errorAnalyses: list(contenderAnalysisSchema).describe(
    'How each contender errs, in the order of the contenders.',
  ),
  audit: referenceAuditSchema.describe('References compared with what the contenders answer.'),
  utterances: list(utteranceEvaluationSchema).describe('All planned requests, one line each.'),
}).describe('`evaluation.json`: the scored result of one run. Every report renders this document.')
export type Evaluation = DeepReadonly<z.infer<typeof evaluationSchema>>
