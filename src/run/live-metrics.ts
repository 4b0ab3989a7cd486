import { basename } from 'node:path'
import { Worker } from 'node:worker_threads'
import { failureLabel } from '#contract/failures'
import { ownProgram } from '#installation/installation'
import type { AttemptLine } from '#journal/attempt-line'
import { rateMetrics } from '#scoring/counts'
import { errorsSoFar } from './errors-so-far.ts'
import type { MeasurePlan } from './plan/measure-plan.ts'
import type { MeasureEvent } from './prepare-run.ts'

const program = ownProgram(import.meta.url, 'otlp-thread')

/** A message to the thread contains at most this many attempts, or those of one second. */
const attemptsInBatch = 50
const batchMs = 1000

/** Maximum time in milliseconds that a run waits at its end for a collector. */
const longestGoodbyeMs = 5000

/**
 * Starts a thread that exports the figures of a run by OTLP. The main thread only collects events and posts them in
 * batches, so that no request waits for a collector. Disposing sends the last batch.
 *
 * @param url of a collector of OTLP over HTTP: `http://127.0.0.1:4318`
 * @param onProblem receives the reason why figures do not arrive; once
 */
export function sendLiveMetrics(url: string, onProblem: (problem: string) => void) {
  const thread = new Worker(program.url, { execArgv: [...program.execArgv] })
  // An error of the thread must not end the run, and `once` of node:events would reject on it.
  const ended = new Promise((resolve) => thread.once('exit', resolve))
  let hasProblem = false
  const report = (problem: string): void => {
    if (!hasProblem) onProblem(problem)
    hasProblem = true
  }
  thread.on('message', ({ problem }: LiveProblem) => report(problem))
  thread.on('error', ({ message }) => report(message))
  const post = (message: LiveMessage): void => thread.postMessage(message)
  let batches: ReturnType<typeof collectBatches> | null = null
  const handOver = (): void => {
    const batch = batches?.take() ?? null
    if (batch !== null) post(batch)
  }
  const timer = setInterval(handOver, batchMs)
  return {
    onEvent(event: MeasureEvent): void {
      if (event.kind === 'planned') {
        batches = collectBatches(event)
        post(describeRun(url, event.plan, basename(event.folder)))
      } else if (batches?.add(event) === true) handOver()
    },
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer)
      handOver()
      post({ kind: 'end' })
      if (batches === null) await thread.terminate()
      const late = setTimeout(() => void thread.terminate(), longestGoodbyeMs)
      await ended
      clearTimeout(late)
    },
  }
}

/** @see https://opentelemetry.io/docs/specs/otlp/#otlphttp-request for the path */
function describeRun(url: string, { corpus, profile, schedule }: MeasurePlan, runId: string): LiveMessage {
  return {
    kind: 'begin',
    url: `${url.replace(/\/+$/, '')}/v1/metrics`,
    attributes: {
      'service.name': 'transcribench',
      'service.instance.id': runId,
      'transcribench.run': runId,
      'transcribench.corpus': corpus.name,
      'transcribench.load': schedule.describe(undefined),
    },
    errorMetric: rateMetrics[profile.leads],
  }
}

function collectBatches({ plan, corrected }: Extract<MeasureEvent, { kind: 'planned' }>) {
  const errors = errorsSoFar(plan.load, plan.corpus.utterances, corrected, plan.profile)
  const from = plan.schedule.latencyCountsFrom === 'due' ? 'dueAtMs' : 'sentAtMs'
  const server = { serverCpuSeconds: null as number | null, serverResidentBytes: null as number | null }
  let attempts: LiveAttempt[] = []
  let inFlight = 0
  let isNew = false
  return {
    /** @returns whether a batch is full */
    add(event: MeasureEvent): boolean {
      if (event.kind === 'sampled') {
        server.serverCpuSeconds = event.line.serverCpuSeconds
        server.serverResidentBytes = event.line.serverResidentBytes
      } else if (event.kind === 'ended') inFlight = 0
      else if (event.kind === 'attempted' && event.line.phase === 'measure') {
        // The ended attempt is included in the event's count.
        inFlight = event.inFlight - 1
        attempts.push(liveAttempt(event.line, event.line[from]))
        errors.add(event.line)
      } else return false
      isNew = true
      return attempts.length >= attemptsInBatch
    },
    /** The new batch; null without new events. */
    take(): LiveBatch | null {
      if (!isNew) return null
      const errorRates = plan.contenders.flatMap(({ id }) => {
        const rate = errors.rateOf(id)
        return rate === null ? [] : [{ contenderId: id, rate }]
      })
      const batch = { kind: 'batch' as const, attempts, inFlight, errorRates, ...server }
      attempts = []
      isNew = false
      return batch
    },
  }
}

function liveAttempt(line: AttemptLine, fromMs: number): LiveAttempt {
  const { contenderId, outcome, dueAtMs, sentAtMs, endedAtMs } = line
  return {
    contenderId,
    latencySeconds: (endedAtMs - fromMs) / 1000,
    sendLagSeconds: Math.max(0, sentAtMs - dueAtMs) / 1000,
    failure: outcome.ok ? null : failureLabel(outcome.failure),
  }
}

/** One measured attempt in the form of the metrics. */
interface LiveAttempt {
  readonly contenderId: string
  /** Seconds from the due time (open load) or the sending (closed load) to the last byte. */
  readonly latencySeconds: number
  readonly sendLagSeconds: number
  /** Label that a failure is counted by; null for an answer. */
  readonly failure: string | null
}

/** Events since the last batch. */
export interface LiveBatch {
  readonly kind: 'batch'
  readonly attempts: readonly LiveAttempt[]
  readonly inFlight: number
  /** Error rates of the answers so far; empty if scoring would disturb the sending. */
  readonly errorRates: readonly { readonly contenderId: string; readonly rate: number }[]
  /** Null if the process of the server is not visible. */
  readonly serverCpuSeconds: number | null
  readonly serverResidentBytes: number | null
}

/** Messages to the thread that sends metrics, in this order. */
export type LiveMessage =
  | {
      readonly kind: 'begin'
      /** Address of the collector. */
      readonly url: string
      /** Resource attributes of all figures. */
      readonly attributes: Readonly<Record<string, string>>
      /** `wer` or `cer`. */
      readonly errorMetric: string
    }
  | LiveBatch
  | { readonly kind: 'end' }

/** Message of the thread: why figures do not arrive. */
export interface LiveProblem {
  readonly problem: string
}
