import { randomUUID } from 'node:crypto'
import { meansRateLimited, type RequestFailure } from '#contract/failures'
import type { Clock } from '#load/clock'
import { failed, parseJson, succeeded } from '#prelude'
import type { ProviderAccess } from '#providers/access'
import {
  addressBelow,
  limitStep,
  type ProviderBody,
  type ProviderStep,
  type ProviderStorage,
  passingStatuses,
  pollAgain,
} from '#providers/protocol'
import { protocols } from '#providers/protocols/protocols'
import type { ProviderData } from '#providers/providers'
import {
  AudioBodies,
  type AudioBody,
  describeFile,
  formFraming,
  rawFraming,
  sendAudio,
  textFraming,
} from './audio-body.ts'
import {
  type Exchange,
  exchange,
  type HttpBody,
  jsonBody,
  TimedPools,
  unsentExchange,
  unsentTimes,
} from './exchange.ts'
import type { ServiceLocation } from './location.ts'
import { type CallTimes, isSuccess } from './reply.ts'
import { readFailure } from './server-failure.ts'
import {
  listMs,
  readModelList,
  type ServerCall,
  type ServerResult,
  type TranscriptionServer,
} from './transcription-server.ts'

export interface ProviderConnection {
  readonly access: ProviderAccess
  readonly clock: Clock
  readonly connections: number
}

/** Time limit for removing what a job left at the provider, in milliseconds. */
const removalMs = 10_000

/**
 * Opens connections to a cloud provider, and speaks its protocol; sends nothing yet. The times of an
 * asynchronous job run from the first byte of the audio to the last of the transcript. Disposing waits until
 * everything that jobs left at the provider is removed.
 */
export function openProviderServer(
  provider: ProviderData,
  { access, clock, connections }: ProviderConnection,
): TranscriptionServer {
  const protocol = protocols[provider.protocol]
  const { baseUrl, storage } = access
  const pools = new TimedPools({ clock, connections })
  // Removals have separate pools, so that no job waits for their connections.
  const removalPools = new TimedPools({ clock, connections })
  const bodies = new AudioBodies()
  const removals = new Set<Promise<void>>()
  const secrets = { hidden: access.secrets, today: clock.today }
  const baseOf = (model: string): string =>
    access.isOwnAddress ? baseUrl : (provider.models.find(({ id }) => id === model)?.baseUrl ?? baseUrl)

  const send = async (
    base: string,
    step: SentStep,
    { through = pools, ...more }: SendMore,
  ): ReturnType<typeof exchange> => {
    const { method, at, headers = {} } = step
    const url = buildUrl(step, { base, storage })
    if (url === null) {
      const cause = 'the provider names an address that is not asked'
      return unsentExchange({ kind: 'unreachable', cause, during: 'connecting' }, clock)
    }
    const { body } = more
    const unsigned = {
      method,
      url: url.href,
      headers,
      body: typeof body?.content === 'string' ? body.content : null,
      isOfStorage: at === 'storage',
    }
    const sent =
      at === 'address' ? headers : { ...headers, ...(await access.authorise(unsigned, clock.today())) }
    const { origin } = url
    const location: ServiceLocation = { origin, hostHeader: null, token: '', pid: null }
    const call = { method, path: url.pathname + url.search, isAuthenticated: false, headers: sent, ...more }
    return exchange(through.to(origin), location, call, clock)
  }

  /** Removes what a job left at the provider. A failure does not fail the job; the provider or the user cleans up. */
  const cleanUp = async (base: string, steps: readonly ProviderStep[]): Promise<void> => {
    const signal = AbortSignal.timeout(removalMs)
    for (const step of steps.toReversed()) {
      await send(base, step, {
        body: createBody(step.body),
        timeoutMs: removalMs,
        signal,
        through: removalPools,
      })
    }
  }

  /** Runs the steps of a job, and collects in `undos` the steps that remove what it leaves behind. */
  const runJob = async (job: Job, base: string, undos: ProviderStep[]): Promise<ServerResult['outcome']> => {
    const { model, language, options } = job.call
    const timestamps = job.call.timestamps.filter((name) => protocol.timestamps.includes(name))
    let step = protocol.start(
      { model, language, languages: provider.languages, timestamps, options },
      { id: job.id, storage },
    )
    let lastFailure: RequestFailure | null = null
    for (;;) {
      const end = await waitFor(step.waitSeconds, job, clock)
      if (end !== null) return failed(end.kind === 'timedOut' ? (lastFailure ?? end) : end)
      const sent = await sendStep(step, job, { send: send.bind(null, base), bodies, clock })
      // A request without a response may have been carried out, so its `undo` is kept, too.
      if (step.undo !== undefined && !undos.includes(step.undo)) undos.push(step.undo)
      const progress = sent.ok && isSuccess(sent.value) ? step.read(parseJson(sent.value.text)) : null
      if (!sent.ok || progress === null) {
        const failure: RequestFailure = sent.ok ? readFailure(sent.value, secrets) : sent.failure
        const poll = pollAgain(step, ('retryAfterSeconds' in failure && failure.retryAfterSeconds) || null)
        if (poll === null || !mayPass(failure, step)) return failed(failure)
        step = poll
        // A rate limit would mean that nothing is paid for, so such a job ends as timed out, with its own limit.
        lastFailure = meansRateLimited(failure) || failure.kind === 'timedOut' ? null : failure
        continue
      }
      lastFailure = null
      const reply = sent.value
      if (progress.kind === 'failed') {
        const refusal = { kind: 'refused', code: 'TRANSCRIPTION_FAILED', hint: null } as const
        return failed({ ...refusal, message: progress.message, httpStatus: reply.status })
      }
      if (progress.kind === 'next') {
        step = progress.step
        continue
      }
      return succeeded({ ...progress.transcript, processingMs: reply.processingMs })
    }
  }

  return {
    baseUrl,
    async listModels() {
      const isListed = provider.protocol === 'openai'
      const request = { method: 'GET', path: isListed ? '/models' : '/' } as const
      const { reply } = await send(baseUrl, request, { body: null, timeoutMs: listMs, signal: undefined })
      if (!reply.ok) return reply
      // Other protocols have no list of transcription models, but any response shows that the provider is reachable.
      if (!isListed) return succeeded(provider.models.map(({ id }) => ({ id, shutdownDate: null })))
      const listed = readModelList(parseJson(reply.value.text))
      if (isSuccess(reply.value) && listed !== null) return succeeded(listed)
      return failed(readFailure(reply.value, secrets))
    },
    async transcribe(call) {
      const job: Job = {
        call,
        id: `transcribench-${randomUUID()}`,
        endsAtMs: clock.nowMs() + call.timeoutMs,
        audioBytes: 0,
        times: null,
      }
      const base = baseOf(call.model)
      const undos: ProviderStep[] = []
      const outcome = await runJob(job, base, undos)
      // Only disposal awaits the removal; its rejection would be a bug, which disposal throws.
      const removal = cleanUp(base, undos)
      removals.add(removal)
      removal.then(
        () => removals.delete(removal),
        () => undefined,
      )
      return { outcome, times: job.times ?? unsentTimes(clock), bodyBytes: job.audioBytes }
    },
    async [Symbol.asyncDispose]() {
      await using _jobs = pools
      await using _removals = removalPools
      await Promise.all(removals)
    },
  }
}

type SentStep = Pick<ProviderStep, 'method' | 'at' | 'path' | 'headers'>

interface SendMore {
  readonly body: HttpBody | null
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly through?: TimedPools
}

/** Whether a poll that failed in this way may succeed later. An address of a response may never have been reached. */
function mayPass(failure: RequestFailure, { at }: ProviderStep): boolean {
  if (failure.kind === 'unreachable') return at !== 'address' || failure.during !== 'connecting'
  if (meansRateLimited(failure) || failure.kind === 'timedOut') return true
  return 'httpStatus' in failure && passingStatuses.has(failure.httpStatus)
}

/** @returns null for an address from a response that must not be requested */
function buildUrl(
  { at, path }: SentStep,
  { base, storage }: { readonly base: string; readonly storage: ProviderStorage | null },
): URL | null {
  if (at === 'address') {
    const url = URL.canParse(path) ? new URL(path) : null
    // A provider must not direct requests to services of the local network, so only HTTPS or known origins are allowed.
    const isKnown =
      url !== null && [base, storage?.url ?? base].some((address) => new URL(address).origin === url.origin)
    return url !== null && (url.protocol === 'https:' || isKnown) ? url : null
  }
  return addressBelow(at === 'storage' ? (storage?.url ?? base) : base, path)
}

function createBody(body: ProviderBody): HttpBody | null {
  return body.kind === 'json' ? jsonBody(body.value, body.contentType) : null
}

/** The state of one transcription job. */
interface Job {
  readonly call: ServerCall
  readonly id: string
  readonly endsAtMs: number
  audioBytes: number
  times: CallTimes | null
}

/** @returns the failure that ends the job, or null when the wait is over */
async function waitFor(
  seconds: number,
  { call: { signal, timeoutMs }, endsAtMs }: Job,
  clock: Clock,
): Promise<RequestFailure | null> {
  const untilMs = clock.nowMs() + 1000 * seconds
  if (seconds > 0)
    await clock.sleepUntil(Math.min(untilMs, endsAtMs), signal ?? new AbortController().signal, 'rough')
  if (signal?.aborted === true) return { kind: 'dropped' }
  return clock.nowMs() >= endsAtMs ? { kind: 'timedOut', afterMs: timeoutMs, during: 'waiting' } : null
}

async function sendStep(
  step: ProviderStep,
  job: Job,
  sender: {
    readonly clock: Clock
    readonly bodies: AudioBodies
    readonly send: (step: ProviderStep, more: SendMore) => ReturnType<typeof exchange>
  },
): Promise<Exchange['reply']> {
  const { bodies, clock } = sender
  const send = (body: HttpBody | null): Promise<Exchange> => {
    const leftMs = Math.max(1, job.endsAtMs - clock.nowMs())
    const timeoutMs = limitStep(step, leftMs, job.call.timeoutMs)
    return sender.send(step, { body, timeoutMs, signal: job.call.signal })
  }
  const audio = openAudio(step, job.call, bodies)
  const sent =
    audio === null
      ? { ...(await send(createBody(step.body))), bodyBytes: 0 }
      : await sendAudio(audio, clock, send)
  const { reply, times, bodyBytes } = sent
  job.times =
    job.times === null ? times : { ...times, sentAtMs: job.times.sentAtMs, socket: job.times.socket }
  job.audioBytes += bodyBytes
  return reply
}

function openAudio(
  { body }: ProviderStep,
  { audio }: ServerCall,
  bodies: AudioBodies,
): Promise<AudioBody> | null {
  if (body.kind === 'none' || body.kind === 'json') return null
  if (body.kind === 'audio') return bodies.open(audio, rawFraming(body.contentType ?? audio.mimeType))
  if (body.kind === 'base64') return bodies.open(audio, textFraming(body.head, body.tail))
  return bodies.open(audio, formFraming(body.fields, describeFile(audio, body.file)))
}
