import type { BenchConfig, ContenderConfig } from '#config'
import type { VerifiedCorpus } from '#corpus'
import type { PlannedRequest } from '#journal'
import type { LoadShape } from '#load'
import type { Problem } from '#prelude'
import { runErrors } from '#run'
import { type AnyTarget, isServer } from '../target/open-server.ts'
import type { RunTarget } from '../target/run-targets.ts'

/**
 * Refuses recordings that a provider does not take, before anything is sent.
 *
 * @throws BenchError AUDIO_TOO_LARGE with every recording that is too large or too long, for each provider
 */
export function refuseBeyondLimits(
  targets: readonly Pick<RunTarget, 'target'>[],
  { utterances }: Pick<VerifiedCorpus, 'utterances'>,
): void {
  const refused = new Set<string>()
  const problems = targets.flatMap(({ target }): readonly Problem[] => {
    const provider = isServer(target) ? target.provider : null
    if (provider === null) return []
    const { displayName, maxFileBytes, maxAudioSeconds } = provider
    return utterances.flatMap(({ id, sizeBytes, durationSeconds }) => {
      const isLarge = maxFileBytes !== null && sizeBytes > maxFileBytes
      const isLong = maxAudioSeconds !== null && durationSeconds > maxAudioSeconds
      if (!isLarge && !isLong) return []
      refused.add(id)
      const what = [
        ...(isLarge
          ? [`${grouped(sizeBytes)} bytes, and ${displayName} takes ${grouped(maxFileBytes)}`]
          : []),
        ...(isLong
          ? [`${durationSeconds.toFixed(1)} s, and ${displayName} takes ${grouped(maxAudioSeconds)} s`]
          : []),
      ]
      return [{ where: id, what: what.join('; ') }]
    })
  })
  if (problems.length === 0) return
  const ids = [...refused]
  throw runErrors.make('AUDIO_TOO_LARGE', {
    message: `${ids.length} of ${utterances.length} utterances are beyond the limits of a provider`,
    hint: `leave them out: --exclude ${ids.slice(0, 10).join(',')}${ids.length > 10 ? ',…' : ''}`,
    problems,
  })
}

/** How many requests of a contender may leave in a minute. */
export interface PlannedPace {
  readonly contenderId: string
  readonly requestsPerMinute: number
  /** Whose limit it is, as it is shown; null for that of the config. */
  readonly providerName: string | null
  /** How long its requests take at least. */
  readonly atLeastSeconds: number
}

/**
 * The paces of a plan: that of a contender, else that of its provider. Only a closed load waits, and none where refusals for a
 * rate limit are to be counted as failures.
 */
export function plannedPaces(
  contenders: readonly { readonly contender: ContenderConfig; readonly target: AnyTarget }[],
  {
    requests,
    load,
    rateLimit,
  }: Pick<BenchConfig, 'rateLimit'> & {
    readonly requests: readonly PlannedRequest[]
    readonly load: LoadShape
  },
): readonly PlannedPace[] {
  return contenders.flatMap(
    ({ contender: { id, requestsPerMinute: own }, target }): readonly PlannedPace[] => {
      const provider = isServer(target) ? target.provider : null
      const isWaiting = load.kind === 'closed' && rateLimit !== 'fail'
      const requestsPerMinute = own ?? (isWaiting ? provider?.maxRequestsPerMinute : null) ?? null
      if (requestsPerMinute === null) return []
      const count = requests.filter(({ contenderId }) => contenderId === id).length
      if (count === 0) return []
      const atLeastSeconds = (Math.max(0, count - 1) * 60) / requestsPerMinute
      const providerName = own === undefined ? (provider?.displayName ?? null) : null
      return [{ contenderId: id, requestsPerMinute, providerName, atLeastSeconds }]
    },
  )
}

/** `26,214,400` */
function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
