import { type BenchConfig, type ContenderConfig, recordedConfig } from '#config/bench-config'
import { contenderKeys } from '#config/contender-file'
import { meansNoSpeech } from '#contract/failures'
import type { VerifiedUtterance } from '#corpus/utterance'
import type { AttemptLine, ReusedLine } from '#journal/attempt-line'
import { listRuns } from '#journal/find-run'
import type { PlannedRequest, PlannedUtterance } from '#journal/plan-line'
import { type RecordedRun, readRecord, readRun, segmentBeginMs } from '#journal/run-reader'
import { findRecordedTarget, type RunRecord } from '#journal/run-record'
import { BenchError, fingerprint } from '#prelude'

/** Answers of earlier runs by the fingerprint of the question, the newest run first: see `fingerprintQuestion`. */
export type EarlierAnswers = ReadonlyMap<string, readonly EarlierAnswer[]>

type EarlierAnswer = Pick<ReusedLine, 'run' | 'runIndex' | 'answeredAt' | 'outcome'>

/** A contender of a config, or of a record with the settings of its config. */
type Asked = Pick<ContenderConfig, 'options' | 'defaultOptions'> & Readonly<Record<string, unknown>>

type Recording = Pick<PlannedUtterance, 'sha256' | 'times'>

/** Fingerprint of a question: the recording, the address, the options, and whether times are requested. */
function fingerprintQuestion(baseUrl: string, asked: Asked, { sha256, times = [] }: Recording): string {
  const settings = Object.entries(contenderKeys).flatMap(([key, { changesAnswer }]) =>
    changesAnswer ? [[key, asked[key]]] : [],
  )
  const sent = { ...asked.defaultOptions, ...asked.options }
  // Undefined values are no part of a fingerprint.
  return fingerprint({
    baseUrl,
    sha256,
    isTimed: times.length === 0 ? undefined : true,
    ...Object.fromEntries(settings),
    options: Object.keys(sent).length === 0 ? undefined : sent,
  })
}

/**
 * Reads recent enough answers of earlier runs in a results folder. Unreadable runs are skipped.
 *
 * @returns null if the config reuses none
 */
export async function readEarlierAnswers(
  { reuseSeconds, workload, contenders }: Pick<BenchConfig, 'reuseSeconds' | 'workload' | 'contenders'>,
  { resultsFolder, today }: { readonly resultsFolder: string; readonly today: Date },
): Promise<EarlierAnswers | null> {
  if (reuseSeconds === null || workload !== 'transcribe') return null
  const since = new Date(today.getTime() - 1000 * reuseSeconds).toISOString()
  const models = new Set(contenders.map(({ model }) => model))
  const answers = new Map<string, EarlierAnswer[]>()
  const sources = new Set<string>()
  for (const folder of (await listRuns(resultsFolder)).toReversed()) {
    const record = await readable(() => readRecord(folder))
    if (record === null || !mayAnswer(record, models)) continue
    const run = await readable(() => readRun(folder))
    for (const { question, answer } of run === null ? [] : listAnswers(run)) {
      const source = `${answer.run} ${answer.runIndex}`
      if (answer.answeredAt < since || sources.has(source)) continue
      sources.add(source)
      const same = answers.get(question) ?? []
      same.push(answer)
      answers.set(question, same)
    }
  }
  return answers
}

/** Requests that earlier runs may have answered. */
export interface AnswerableRequests {
  readonly requests: readonly PlannedRequest[]
  readonly utterances: readonly Pick<VerifiedUtterance, 'id' | 'sha256' | 'times'>[]
  /** Contenders whose answers may be reused, with the address of their target. */
  readonly contenders: readonly { readonly contender: ContenderConfig; readonly baseUrl: string }[]
}

/**
 * Finds an answer for each measured request of billed contenders. Each answer is used once, so that several rounds
 * get several answers.
 */
export function reuseAnswers(
  answers: EarlierAnswers,
  { requests, utterances, contenders }: AnswerableRequests,
): readonly ReusedLine[] {
  const recordings = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const eligible = new Map(
    contenders.filter(({ contender }) => contender.mode === null).map((entry) => [entry.contender.id, entry]),
  )
  const usedCounts = new Map<string, number>()
  return requests.flatMap(({ phase, index, contenderId, utteranceId }) => {
    const entry = eligible.get(contenderId)
    const recording = recordings.get(utteranceId)
    if (phase !== 'measure' || entry === undefined || recording === undefined) return []
    const question = fingerprintQuestion(entry.baseUrl, entry.contender, recording)
    const place = usedCounts.get(question) ?? 0
    const answer = answers.get(question)?.[place]
    if (answer === undefined) return []
    usedCounts.set(question, place + 1)
    return [{ index, contenderId, utteranceId, ...answer }]
  })
}

async function readable<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof BenchError) return null
    throw error
  }
}

function mayAnswer(
  { workload = 'transcribe', contenders }: RunRecord,
  models: ReadonlySet<string | null>,
): boolean {
  return workload === 'transcribe' && contenders.some(({ model }) => models.has(model))
}

/** The time of day at which the clock of a run was zero, by segment. */
function clockZeros(run: RecordedRun): readonly number[] {
  const { startedAt, resumedAt = [] } = run.record
  return [startedAt, ...resumedAt].map((beganAt, number) => Date.parse(beganAt) - segmentBeginMs(run, number))
}

function listAnswers(run: RecordedRun) {
  const { record, utterances, attempts, reused } = run
  const config = recordedConfig.safeParse(record.config)
  if (!config.success) return []
  const recordings = new Map(utterances.map((utterance) => [utterance.id, utterance]))
  const contenders = new Map<string, { readonly baseUrl: string; readonly asked: Asked }>()
  for (const contender of record.contenders) {
    // A merged run has no contender of its config: its answers are those of the runs that it was made of.
    const settings = config.data.contenders.find(({ id }) => id === contender.id)?.settings
    if (contender.patchedMode !== null || settings === undefined) continue
    const { baseUrl } = findRecordedTarget(record, contender)
    contenders.set(contender.id, { baseUrl, asked: { ...contender, settings } })
  }
  const isAnswer = ({ outcome }: Pick<AttemptLine, 'outcome'>): boolean =>
    outcome.ok || meansNoSpeech(outcome.failure, record.noSpeech ?? [])
  const zeros = clockZeros(run)
  const sent = attempts
    .filter((line) => line.phase === 'measure' && isAnswer(line))
    .map((line) => ({
      ...line,
      run: record.id,
      runIndex: line.index,
      answeredAt: new Date((zeros[line.segment ?? 0] ?? 0) + line.endedAtMs).toISOString(),
    }))
  return [...sent, ...reused].flatMap(({ contenderId, utteranceId, run, runIndex, answeredAt, outcome }) => {
    const contender = contenders.get(contenderId)
    const recording = recordings.get(utteranceId)
    if (contender === undefined || recording === undefined) return []
    const question = fingerprintQuestion(contender.baseUrl, contender.asked, recording)
    return [{ question, answer: { run, runIndex, answeredAt, outcome } satisfies EarlierAnswer }]
  })
}
