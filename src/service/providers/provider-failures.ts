import { readProviderError } from '#contract'
import { failed, type Outcome, parseJson, succeeded } from '#prelude'
import type { ProviderProgress, ProviderProtocol, ProviderStep } from '#providers'
import type { EngineFailure } from '../engines/engine.ts'
import type { ProviderReply } from './provider-exchange.ts'

/** Whom a failure is about. */
export interface NamedProvider {
  readonly displayName: string
  readonly protocol: ProviderProtocol
  readonly baseUrl: string
  readonly keyVariable: string | null
  readonly timeoutSeconds: number
}

/** What a reply means for the job: the transcript or the next request; or why there is none, in the provider's own words where it gives any. */
export function readReply(
  provider: NamedProvider,
  asked: { readonly step: ProviderStep; readonly key: string | null },
  reply: ProviderReply,
): Outcome<Exclude<ProviderProgress, { kind: 'failed' }>, EngineFailure> {
  const { displayName, timeoutSeconds } = provider
  const failure = (
    code: EngineFailure['code'],
    message: string,
    hint?: string,
  ): Outcome<never, EngineFailure> =>
    failed({ code, message: `${displayName} ${message}`, ...(hint === undefined ? {} : { hint }) })
  switch (reply.kind) {
    case 'abandoned':
      return failure('TRANSCRIPTION_FAILED', 'was not waited for: the request was abandoned.')
    case 'timedOut':
      return failure('TIMEOUT', `gave no answer within ${timeoutSeconds} s.`)
    case 'unreachable': {
      const hint = `Is there a server at ${provider.baseUrl}?`
      return failure('TRANSCRIPTION_FAILED', `cannot be reached: ${reply.reason}.`, hint)
    }
    case 'cut':
      return failure(
        'TRANSCRIPTION_FAILED',
        'broke off its answer: the connection closed in the middle of it.',
      )
    case 'endless':
      return failure('TRANSCRIPTION_FAILED', noTranscript)
    case 'answered': {
      const { statusCode, text } = reply
      const isSuccess = statusCode >= 200 && statusCode <= 299
      if (!isSuccess) return failed(refusal(provider, asked.key, reply))
      const progress = asked.step.read(parseJson(text))
      if (progress === null) return failure('TRANSCRIPTION_FAILED', noTranscript)
      if (progress.kind !== 'failed') return succeeded(progress)
      return failure('TRANSCRIPTION_FAILED', `could not do the job: ${wordsOf(progress.message, asked.key)}`)
    }
  }
}

const noTranscript = 'answered something else than a transcript.'

export function isUnauthorized(statusCode: number): boolean {
  return statusCode === 401 || statusCode === 403
}

function refusal(
  provider: NamedProvider,
  key: string | null,
  { statusCode, text, retryAfterSeconds }: Extract<ProviderReply, { kind: 'answered' }>,
): EngineFailure {
  const { displayName, keyVariable } = provider
  const words = wordsOf(text, key)
  const said = words === '' ? '.' : `: ${words}`
  if (isUnauthorized(statusCode)) {
    return {
      code: 'MISSING_API_KEY',
      message: `${displayName} refuses the key (HTTP ${statusCode})${said}`,
      hint: keyVariable === null ? 'Name its variable in the engines file.' : `Check ${keyVariable}.`,
    }
  }
  if (statusCode === 429) return rateLimited(provider, { retryAfterSeconds, said })
  if (statusCode === 408 || statusCode === 504) {
    return { code: 'TIMEOUT', message: `${displayName} ran out of time (HTTP ${statusCode})${said}` }
  }
  return {
    code: 'TRANSCRIPTION_FAILED',
    message: `${displayName} refuses the request (HTTP ${statusCode})${said}`,
  }
}

/** @param said what the provider said, with the sign before it */
export function rateLimited(
  { displayName }: Pick<NamedProvider, 'displayName'>,
  { retryAfterSeconds, said }: { readonly retryAfterSeconds: number | null; readonly said: string },
): EngineFailure {
  return {
    code: 'RATE_LIMITED',
    message: `${displayName} takes no more requests for now${said}`,
    ...(retryAfterSeconds === null
      ? { hint: 'Send fewer at once.' }
      : { hint: `Retry after ${retryAfterSeconds} s.`, retryAfterSeconds }),
  }
}

export function noKey({
  displayName,
  keyVariable,
}: Pick<NamedProvider, 'displayName' | 'keyVariable'>): EngineFailure {
  return {
    code: 'MISSING_API_KEY',
    message: `${displayName} needs a key.`,
    hint: `Set ${keyVariable ?? 'its key'} in the service's environment, and start it again.`,
  }
}

/** What of a provider's words is passed on, in characters: some send a whole page. */
const maxWords = 500

/** The provider's message, or the text itself, on one line. Some repeat the key, which is taken out. */
function wordsOf(text: string, key: string | null): string {
  const words = readProviderError(parseJson(text))?.message ?? text
  const line = (key === null ? words : words.replaceAll(key, '…')).replaceAll(/\s+/g, ' ').trim()
  return line.slice(0, maxWords)
}
