import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { nullableText, text } from './scalars.ts'

/** How much a finding weighs: `invalid` means that the figures cannot be quoted, `warning` weakens them. */
const severitySchema = z.enum(['invalid', 'warning', 'note'])
export type FindingSeverity = z.infer<typeof severitySchema>

/** What `transcribench explain` says about one finding. */
export interface FindingDefinition {
  readonly severity: FindingSeverity
  readonly meaning: string
}

/** Every finding that an evaluation or a comparison can carry. */
export const findingDefinitions = {
  RUN_FAILED: {
    severity: 'invalid',
    meaning:
      'The run ended before its plan was through, because the target was lost or something on this machine failed. ' +
      'What was measured is kept and shown, but it is not the measurement that was asked for.',
  },
  OTHER_MODEL: {
    severity: 'invalid',
    meaning:
      'The server answered with another engine or model than the one under test, and says so itself. The figures belong to that ' +
      'other model: the Mode was changed during the run, or the server chose for itself.',
  },
  NOTHING_SCORED: {
    severity: 'invalid',
    meaning:
      'Not one request of a contender was answered, so it has no figures at all. A contender that was given up takes nothing ' +
      'from the figures of others: see CONTENDER_GIVEN_UP.',
  },
  COVERAGE_LOW: {
    severity: 'invalid',
    meaning:
      'Fewer than half of the requests that a contender was sent were answered and scored. The rest may well be the ' +
      'difficult half, so the rates of what remains say little. What was not sent before an interruption does not count: ' +
      'it is as good as drawn by lot.',
  },
  NOTHING_EDITED: {
    severity: 'invalid',
    meaning:
      'Texts were sent to be edited, and every one came back as it was: post_processed is false in all answers, which is how ' +
      'the API says that a provider failed or is not there. The errors shown are those of the texts that were sent.',
  },
  JOURNAL_OUTSIDE_PLAN: {
    severity: 'invalid',
    meaning:
      'The journal holds attempts for requests that the plan does not have. The two files do not belong together, ' +
      'or one of them was edited.',
  },
  SIDE_NOT_VALID: {
    severity: 'invalid',
    meaning: 'One of the two runs compared is not valid by itself, for the reasons that it gives.',
  },
  GENERATOR_LATE: {
    severity: 'invalid',
    meaning:
      'Under an open load every request has a moment at which it is due. Here one in a hundred left later than that by ' +
      'more than 20 ms and more than a tenth of the median latency. The waiting that was measured is then partly that of ' +
      'the measuring program, which was held up.',
  },
  HOST_OVERLOADED: {
    severity: 'invalid',
    meaning:
      'Under an open load, figures are times that somebody waited. Here other programs kept more than half of the ' +
      'processors busy, on average over the run, so that the waiting is as much theirs as the server’s. Under a closed ' +
      'load the same is the warning HOST_BUSY.',
  },
  CLOCK_STEPPED: {
    severity: 'invalid',
    meaning:
      'The wall clock and the monotonic clock of this machine moved apart by more than 250 ms between two samples: ' +
      'somebody set the clock, or the machine slept. Figures come from the monotonic clock, which does not count sleep on ' +
      'every system, so that a request that slept through may look quick or endless.',
  },
  LITTLES_LAW_BROKEN: {
    severity: 'invalid',
    meaning:
      'The mean number in flight is the rate of completions times the mean time each took (Little 1961). Over the steady ' +
      'windows the two differ by more than 2% and the requests that lie over the edges, or a closed load had more in flight ' +
      'than it keeps: attempts are missing or counted twice, or the measuring process was stopped.',
  },
  RUN_UNFINISHED: {
    severity: 'warning',
    meaning:
      'The run never recorded its own ending: it was killed, or it is still going on. Completed attempts are kept ' +
      'and scored; what the plan holds beyond them counts as not sent.',
  },
  RUN_INTERRUPTED: {
    severity: 'warning',
    meaning:
      'The run was ended by its user. What was answered until then is scored; the rest counts as not sent.',
  },
  CONTENDER_GIVEN_UP: {
    severity: 'warning',
    meaning:
      'A contender was sent nothing more, because nothing that it was sent could succeed: its key is refused, its model is ' +
      'gone, it answers nothing. In the warm-up the first such failure is enough. The other contenders were measured, and ' +
      'their figures stand; the run ends with exit code 5, and transcribench run --resume sends the rest.',
  },
  REQUESTS_FAILED: {
    severity: 'warning',
    meaning:
      'Some requests failed. They are counted and named, never scored as if the engine had heard silence, and they ' +
      'are not among the latencies. The rate with failures as empty transcripts shows what they would cost.',
  },
  RATE_LIMIT_HIT: {
    severity: 'warning',
    meaning:
      'A server refused requests for its rate limit, and they count as failures: because the load is not a closed one, ' +
      'because the contender runs on this machine, or because the config says so (rateLimit: fail). An open load sends at its ' +
      'moments: to wait there would be another load, so that such refusals are an answer to it. Under a closed load ' +
      '--rate-limit wait makes a pace of them.',
  },
  EDITS_MISSING: {
    severity: 'warning',
    meaning:
      'Some texts came back as they were sent: post_processed is false in those answers, which is how the API says that a ' +
      'provider failed. They are scored as they came back, as a person would have got them.',
  },
  REQUESTS_NOT_SENT: {
    severity: 'warning',
    meaning:
      'Some planned requests were never sent, or were dropped in flight, because the run ended before them.',
  },
  REFERENCE_EMPTIED: {
    severity: 'warning',
    meaning:
      'The scoring profile leaves nothing of a reference that has text ("[laughter]", a lone filler). Whatever the ' +
      'engine answers there counts as insertions; correct the reference or leave the utterance out.',
  },
  SELF_REFERENCE: {
    severity: 'warning',
    meaning:
      'At least 90% of ten or more references of five words or more are what one contender answered, letter for letter, ' +
      'capitals and punctuation included: they were probably made from its transcripts, and it cannot but win. Listen, and ' +
      'correct references from the audio.',
  },
  CORRECTIONS_STALE: {
    severity: 'warning',
    meaning:
      'Corrections name a text that the reference of this run neither is nor became by an earlier correction, or an ' +
      'utterance that the run does not have. They counted for nothing: the manifest was changed since, or the run is of ' +
      'another corpus.',
  },
  FEW_UTTERANCES: {
    severity: 'warning',
    meaning:
      'The corpus is too small to show a difference of one point in the error rate that comes first. The size given is half the ' +
      'width of the 95% interval (of the difference, where two contenders were measured), and never less than 3 ' +
      'errors in the words (or characters) at hand: with no error among N of them the true rate may still be 3/N (the rule of three).',
  },
  FEW_SPEAKERS: {
    severity: 'warning',
    meaning:
      'The utterances of one speaker share their errors, so intervals resample speakers. With fewer than 20 that ' +
      'tends to give too narrow an interval, and says little about other voices. With fewer than ten, utterances ' +
      'are resampled as well and the wider interval is told.',
  },
  UTTERANCE_OVER_100: {
    severity: 'warning',
    meaning:
      'An utterance has more errors than its reference has words (or characters, where CER leads), so mostly insertions: a hallucination, a ' +
      'repetition loop, or a reference that does not belong to the audio. Listen to it.',
  },
  UTTERANCE_DOMINATES: {
    severity: 'warning',
    meaning:
      'One utterance holds more than half of all errors of a contender, of ten errors in a pass and three utterances or more. The ' +
      'error rate is then mostly that of this utterance: a recording that was heard in the wrong language, a loop, a ' +
      'long recording of which a part was lost, or a reference that does not belong to it. Without it the rate is the one named.',
  },
  LOAD_NOT_KEPT: {
    severity: 'warning',
    meaning:
      "A closed schedule keeps N requests in flight; by Little's law the mean number in flight over the steady " +
      'windows is then N. Here it was more than 5% below, so the client left the server waiting and the speed is ' +
      'understated by about that share.',
  },
  HOST_BUSY: {
    severity: 'warning',
    meaning:
      'Other programs kept more than a fifth of the processors busy, on average over the run: the busy time of the machine ' +
      'less that of the server and of transcribench. Latency and speed are pessimistic, and which contender or run is faster is ' +
      'not said. Error rates are compared all the same.',
  },
  ON_BATTERY: {
    severity: 'warning',
    meaning:
      'The machine ran on its battery when the run began. Laptops slow their processors then, and by how much changes with ' +
      'the charge. Read on Linux only; elsewhere nothing is said.',
  },
  LATENCIES_DEPENDENT: {
    severity: 'warning',
    meaning:
      'Under an open load requests wait in one queue, and whoever comes next waits as well. Intervals of percentiles take requests ' +
      'for independent. Here the interval of the mean latency by batches of requests (Law and Kelton; batches whose means are no ' +
      'longer alike) is half as wide again, or more, as that of independent requests: the intervals of percentiles are too narrow ' +
      'by about as much. Verdicts between runs do not rest on them.',
  },
  DRIFT_WITHIN_RUN: {
    severity: 'warning',
    meaning:
      'Under a closed load, the service time of utterances that were sent again and again rose or fell by a tenth or more ' +
      'from the beginning of the run to its end: Theil and Sen’s slope over time of each one against its own median, whose ' +
      '95% interval excludes no change. Figures are those of a machine that was becoming another one.',
  },
  REPEATS_FASTER: {
    severity: 'warning',
    meaning:
      'Under a closed load, utterances that were sent again took half the time of their first answer or less, in the median ' +
      'and for nearly all of them (sign test, 5%). A server that keeps answers by content does that, and its speed is then ' +
      'that of a memory, not of recognition: nobody dictates the same audio twice. Utterances of the warm-up are left out.',
  },
  CLOSED_LOAD_PROMISE: {
    severity: 'note',
    meaning:
      'A limit on latency was held to a closed load, which sends the next request when an answer has come: a slow server ' +
      'slows the asking, and no queue builds up (Schroeder, Wierman and Harchol-Balter 2006). The figure is the service time ' +
      'at that many in flight. What people would wait who come when they like shows under an open load.',
  },
  CONDITIONS_DIFFER: {
    severity: 'warning',
    meaning:
      'The two runs differ in more than the contender: another machine, load or service version. Accuracy can still ' +
      'be compared; speed figures then compare the conditions as well.',
  },
  HOST_SPEED_DIFFERS: {
    severity: 'warning',
    meaning:
      'Before each run the machine does the same short work, and how fast it does it stands in run.json (`host.speed`). By ' +
      'both its integer and its float figure, of the middle run of either side, one side had a machine that was ' +
      'more than 15% slower: throttled, on battery, shared with other work, or another one of the same name. A difference of ' +
      'speeds would be the machine’s, so there is no verdict on them. Error rates are compared all the same.',
  },
  UTTERANCES_LEFT_OUT: {
    severity: 'warning',
    meaning:
      'Utterances with different audio or another reference under the same id were left out of the comparison, as ' +
      'asked. They are counted and named.',
  },
  REFERENCES_SUSPECT: {
    severity: 'note',
    meaning:
      'At least two contenders answered, all in the same words, and the reference says otherwise: often it is the ' +
      'reference that is wrong. They are listed in evaluation.json under audit.suspects, the most errors first.',
  },
  REFERENCES_CORRECTED: {
    severity: 'note',
    meaning:
      'References were corrected after the run, and this score holds answers against the corrected ones.',
  },
  CONTENDERS_SKIPPED: {
    severity: 'warning',
    meaning:
      'Contenders that the config names were left out by --skip-unready, because the target did not have them. The run ' +
      'says nothing of them; run.json keeps their names and the reason.',
  },
  RECORDINGS_CUT: {
    severity: 'note',
    meaning:
      'An engine takes only so much audio at once: longer recordings are cut, at silences where there are any, and the texts ' +
      'of the pieces are joined. Words at a cut may be lost or heard twice, and latency is that of several decodes. The reference ' +
      'service reports where it cut (cuts in the answer, cutsSeconds in journal.jsonl); other services report nothing.',
  },
  NO_SPEECH_ANSWERS: {
    severity: 'note',
    meaning:
      'Some services answer silence with the error TRANSCRIPTION_FAILED and a message such as "No speech detected". ' +
      'Such an answer is an empty transcript: all deletions on speech, correct on silence. Which refusals mean so ' +
      'stands in scoring.noSpeech of the config; score --rules takes another list.',
  },
  REQUESTS_RETRIED: {
    severity: 'note',
    meaning:
      'Some requests were sent again: because the config declares retries, or because the run was resumed and they had ' +
      'been dropped. A request counts as what its last attempt came to. Its latency is that of the whole, the waits ' +
      'between included; what the first attempts alone took is first-attempt (`transcribench explain first-attempt`).',
  },
  RATE_LIMIT_WAITED: {
    severity: 'note',
    meaning:
      'A server refused requests for its rate limit. Nothing was sent to the contender until the time in Retry-After was ' +
      'over (a back-off of 1 s and more where the server names none), and the refused requests were sent again. The latency ' +
      'of such a request is that of its last sending; the pauses are in no latency and end the windows of the speed. This is ' +
      'so by default for what runs on another machine, under a closed load (rateLimit in the config).',
  },
  ONE_RUN_A_SIDE: {
    severity: 'note',
    meaning:
      'Speed varies from run to run more than from request to request, and one run a side says nothing about that ' +
      'spread. Speed figures are therefore shown without a verdict. Where a calibration of this host and target is ' +
      'stored (transcribench calibrate), the interval shown comes from the spread that it measured. With five runs a side ' +
      'and more, speeds get verdicts: transcribench experiment makes them in the right order.',
  },
  SETTINGS_DIFFER: {
    severity: 'warning',
    meaning:
      'The two sides were measured with different settings that stand in no table, such as threads, a quantisation or ' +
      'a transport. If they are what is compared, all is well; if not, the difference may be theirs.',
  },
  PRICE_UNSOURCED: {
    severity: 'note',
    meaning:
      'The config gives a price and does not say where it stands (priceSource) and when it was read there (priceDate). ' +
      'Providers change their prices, so such a figure is a rumour: it bounds what may be billed, and no cost is made of it.',
  },
  SETTINGS_UNKNOWN: {
    severity: 'note',
    meaning:
      'The service under test was started by somebody else and does not say with how many threads, which quantisation or how ' +
      'many transcriptions at once. Whether the two sides were alike in that is for whoever started it to say. transcribench’s own ' +
      'service tells it in GET /health (service_settings), and a difference is then found.',
  },
  VERDICTS_SHARE_CONFIDENCE: {
    severity: 'note',
    meaning:
      'Of 48 comparisons of equals, some would look different at 95% in nine of ten cases. The verdicts of one ' +
      'comparison therefore hold together at 95% (Holm): an interval that lies beyond its margin by itself may still ' +
      'be called unresolved. Compare fewer contenders, or measure more runs.',
  },
} as const satisfies Readonly<Record<string, FindingDefinition>>
export type FindingCode = keyof typeof findingDefinitions

/** Something that could make a reader distrust the figures, and what to do about it. */
export const findingSchema = z
  .strictObject({
    code: z
      .enum(Object.keys(findingDefinitions) as FindingCode[])
      .describe('See `transcribench explain <code>`.'),
    severity: severitySchema.describe(
      '`invalid`: the figures cannot be quoted. `warning`: it weakens them. `note`: good to know.',
    ),
    message: text.describe('What was found, in a sentence with its numbers.'),
    advice: nullableText.describe('What to do, preferably a command; null where nothing can be done.'),
    utteranceIds: z
      .array(text)
      .optional()
      .describe('Utterances to look at; absent where the finding is not about particular ones.'),
  })
  .meta({
    id: 'Finding',
    description: 'Something that could make a reader distrust the figures, and what to do about it.',
  })
export type Finding = DeepReadonly<z.infer<typeof findingSchema>>

/** Makes a finding of a known kind. */
export function finding(
  code: FindingCode,
  message: string,
  advice: string | null = null,
  utteranceIds: readonly string[] = [],
): Finding {
  const { severity } = findingDefinitions[code]
  return { code, severity, message, advice, ...(utteranceIds.length === 0 ? {} : { utteranceIds }) }
}
