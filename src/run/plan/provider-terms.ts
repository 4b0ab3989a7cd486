import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { breakEven, fixedCosts } from '#capacity/cost'
import type { BillingRules, PriceList } from '#capacity/prices'
import { findPrice, parsePrices } from '#capacity/prices'
import type { BenchConfig, ContenderConfig } from '#config/bench-config'
import { isLoopbackHost } from '#contract/enums'
import type { VerifiedCorpus } from '#corpus/utterance'
import { packageFolder } from '#installation/installation'
import type { PlannedRequest } from '#journal/plan-line'
import type { RecordedOwnPrices } from '#journal/run-record'
import type { LoadShape } from '#load/loads/registry'
import { BenchError, formatAbove, grouped, type Problem, serverAddressIn, shellWord } from '#prelude'
import type { OptionValues } from '#providers/options'
import { cloudPrices, findProvider, findProviderAt } from '#providers/providers'
import type { Bill } from '../execute/billing.ts'
import { runErrors } from '../execute/errors.ts'
import { findModel } from '../execute/readiness.ts'
import { type AnyTarget, findBaseUrl, isServer } from '../target/open-server.ts'
import type { RunTarget } from '../target/run-targets.ts'

/** A contender with the billing rules of its provider, if they are known. */
export interface PricedContender extends ContenderConfig {
  /** Null if the provider's rounding is not known. */
  readonly billing: BillingRules | null
}

/** Currency of prices in a config; only price lists in this currency can be compared with them. */
const currency = 'USD'

/**
 * Reads a price list.
 *
 * @param named a list with its name for problems; null for the built-in one
 * @throws BenchError PRICES_UNREADABLE, PRICES_INVALID
 */
export async function readPriceList(
  named: { readonly name: string; read(): Promise<string | Buffer> } | null,
): Promise<PriceList> {
  const shipped = join(packageFolder, 'configs', 'prices.yaml')
  const reading = named === null ? readFile(shipped) : named.read()
  const text = await reading.catch((cause: NodeJS.ErrnoException) => {
    if (cause instanceof BenchError) throw cause
    throw runErrors.make('PRICES_UNREADABLE', {
      message: `the price list ${named?.name ?? shipped} cannot be read (${cause.code})`,
      hint: 'copy configs/prices.yaml and change it',
      cause,
    })
  })
  const list = parsePrices(text.toString(), named?.name ?? 'configs/prices.yaml')
  // Prices of the user's list take precedence over the built-in ones.
  return named === null ? { ...list, cloud: [...list.cloud, ...cloudPrices] } : list
}

/** Prices a contender by its config, otherwise by the price list if a provider bills it. */
export function pricedContender(
  contender: ContenderConfig,
  terms: { readonly prices: PriceList; readonly isBilled: boolean; readonly provider: string | null },
): PricedContender {
  const { prices, isBilled, provider } = terms
  const isListed =
    isBilled &&
    contender.usdPerMinute === null &&
    prices.currency === currency &&
    !isBilledExtra(contender.options ?? {}, provider)
  const listed = isListed ? findPrice(prices, { model: contender.model, provider }) : null
  if (listed === null) return { ...contender, billing: null }
  const { perAudioHour, source, date, stepSeconds, rounding, minimumSeconds } = listed
  return {
    ...contender,
    usdPerMinute: perAudioHour / 60,
    priceSource: source,
    priceDate: date,
    billing: { stepSeconds, rounding, minimumSeconds },
  }
}

/** Whether an option costs extra, so that the model's price alone would be too low. */
function isBilledExtra(options: OptionValues, provider: string | null): boolean {
  const providerOptions = provider === null ? [] : (findProvider(provider)?.options ?? [])
  return providerOptions.some(
    ({ name, isBilledExtra: isExtra }) => isExtra === true && (options[name] ?? false) !== false,
  )
}

/**
 * The provider of a contender, as far as it is known before a target was queried.
 *
 * @returns id of the provider, host of another server, or the local engine; null if the target decides
 */
export function findProviderId(
  { engine, target: ownTarget }: Pick<ContenderConfig, 'engine' | 'target'>,
  { target: common }: Pick<BenchConfig, 'target'>,
): string | null {
  const target = (ownTarget ?? common).trim()
  const address = serverAddressIn(target)
  if (address !== null) {
    const { host } = URL.canParse(address) ? new URL(address) : { host: address }
    return findProviderAt(host)?.id ?? host
  }
  return findProvider(target)?.id ?? (engine === 'cloud' ? null : engine)
}

/** Cost of an own machine, for a run in which a contender has a price; otherwise undefined. */
export function ownPrices(
  { machine, electricity, currency: listed }: PriceList,
  contenders: readonly ContenderConfig[],
): RecordedOwnPrices | undefined {
  const isPriced = contenders.some(({ usdPerMinute }) => usdPerMinute !== null && usdPerMinute > 0)
  return isPriced && listed === currency ? { machine, electricity } : undefined
}

/** Whether a provider bills a contender, as far as it is known before a target was queried. */
export function mayBeBilled(
  { engine, usdPerMinute, target: ownTarget }: Pick<ContenderConfig, 'engine' | 'usdPerMinute' | 'target'>,
  { target: common }: Pick<BenchConfig, 'target'>,
): boolean {
  if (usdPerMinute !== null) return usdPerMinute > 0
  const target = ownTarget ?? common
  if (findProvider(target.trim()) !== null) return true
  const address = serverAddressIn(target)
  if (address !== null) return URL.canParse(address) && !isLoopbackHost(new URL(address).hostname)
  return engine === 'cloud' || (engine !== null && findProvider(engine) !== null)
}

/** The maximum cost of one contender in US dollars, before anything is sent. */
export interface PlannedCost {
  readonly contenderId: string
  /** Minutes of audio, warm-up included. */
  readonly minutes: number
  /** Null if no price is known. */
  readonly usd: number | null
  /** Cost per hour of audio, with these lengths rounded as they are billed; null if no price is known. */
  readonly usdPerAudioHour: number | null
  /** Source and date of the price; null if unknown. */
  readonly source: string | null
  readonly date: string | null
  /** Cost of an own machine for comparison; null if no comparison is possible. */
  readonly ownMachine: {
    readonly usdPerDay: number
    /** Hours of audio per day from which the own machine is cheaper, without its energy for the audio. */
    readonly cheaperFromAudioHoursPerDay: number
  } | null
}

/** @param reusedCount answers of earlier runs; a fully answered contender costs nothing, and is omitted */
export function planCosts(
  bills: readonly Bill[],
  contenders: readonly PricedContender[],
  prices: RecordedOwnPrices | undefined,
  reusedCount: number,
): readonly PlannedCost[] {
  const payable = bills.filter(({ minutes }) => minutes > 0 || reusedCount === 0)
  return payable.map(({ contenderId, minutes, usd }) => {
    const contender = contenders.find(({ id }) => id === contenderId)
    const usdPerAudioHour = usd === null || minutes === 0 ? null : usd / (minutes / 60)
    return {
      contenderId,
      minutes,
      usd,
      usdPerAudioHour,
      source: contender?.priceSource ?? null,
      date: contender?.priceDate ?? null,
      ownMachine:
        prices === undefined || usdPerAudioHour === null ? null : ownMachine(prices, usdPerAudioHour),
    }
  })
}

function ownMachine(prices: RecordedOwnPrices, perAudioHour: number): PlannedCost['ownMachine'] {
  const fixed = fixedCosts(prices)
  const even = breakEven({ ...fixed, energyPerAudioHour: 0 }, { perAudioHour }, Number.POSITIVE_INFINITY)
  if (even.kind === 'never') return null
  return {
    usdPerDay: fixed.machinePerDay + fixed.idleEnergyPerDay,
    cheaperFromAudioHoursPerDay: even.audioHoursPerDay,
  }
}

/**
 * Refuses recordings that exceed the limits of a provider, before anything is sent.
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
      const excesses = [
        ...(isLarge
          ? [`${grouped(sizeBytes)} bytes, and ${displayName} takes ${grouped(maxFileBytes)}`]
          : []),
        ...(isLong
          ? [
              `${formatAbove(durationSeconds, maxAudioSeconds)} s, and ${displayName} takes ${grouped(maxAudioSeconds)} s`,
            ]
          : []),
      ]
      return [{ where: id, what: excesses.join('; ') }]
    })
  })
  if (problems.length === 0) return
  const ids = [...refused]
  throw runErrors.make('AUDIO_TOO_LARGE', {
    message: `${ids.length} of ${utterances.length} utterances are beyond the limits of a provider`,
    hint: `leave them out: --exclude ${ids.slice(0, 10).map(shellWord).join(',')}${ids.length > 10 ? ',…' : ''}`,
    problems,
  })
}

export interface PlannedPace {
  readonly contenderId: string
  readonly requestsPerMinute: number
  /** Display name of the provider that sets the limit; null for that of the config. */
  readonly providerName: string | null
  /** Minimum duration of its requests in seconds. */
  readonly atLeastSeconds: number
}

/**
 * The paces of a plan: the limit of a contender, else that of its provider. The provider's limit only applies to a
 * closed load, and not if rate-limit refusals count as failures.
 */
export function plannedPaces(
  contenders: readonly { readonly contender: ContenderConfig; readonly target: AnyTarget }[],
  plan: Pick<BenchConfig, 'rateLimit'> & {
    readonly requests: readonly PlannedRequest[]
    readonly load: LoadShape
  },
): readonly PlannedPace[] {
  const { requests, load, rateLimit } = plan
  return contenders.flatMap(
    ({ contender: { id, requestsPerMinute: configured }, target }): readonly PlannedPace[] => {
      const provider = isServer(target) ? target.provider : null
      const isWaiting = load.kind === 'closed' && rateLimit !== 'fail'
      const requestsPerMinute = configured ?? (isWaiting ? provider?.maxRequestsPerMinute : null) ?? null
      if (requestsPerMinute === null) return []
      const count = requests.filter(({ contenderId }) => contenderId === id).length
      if (count === 0) return []
      const atLeastSeconds = (Math.max(0, count - 1) * 60) / requestsPerMinute
      const providerName = configured === undefined ? (provider?.displayName ?? null) : null
      return [{ contenderId: id, requestsPerMinute, providerName, atLeastSeconds }]
    },
  )
}

/**
 * Contenders whose rate-limit refusals are waited out. Only a closed load waits: any other sends at planned times,
 * and waiting would change the load. Retries of such refusals in the config take precedence.
 */
export function waitedOutContenders(
  { rateLimit, retries }: Pick<BenchConfig, 'rateLimit' | 'retries'>,
  load: LoadShape,
  targets: readonly Pick<RunTarget, 'target' | 'config'>[],
): ReadonlySet<string> {
  if (rateLimit === 'fail' || load.kind !== 'closed') return new Set()
  if (rateLimit === 'auto' && retries.codes.some((code) => rateLimitLabels.has(code))) return new Set()
  return new Set(
    targets.flatMap(({ target, config: { contenders } }) =>
      contenders
        .filter((contender) => rateLimit === 'wait' || isElsewhere(contender, target))
        .map(({ id }) => id),
    ),
  )
}

const rateLimitLabels: ReadonlySet<string> = new Set(['RATE_LIMITED', 'HTTP_429'])

/** Whether a contender's audio is transcribed on another machine, according to the target. */
function isElsewhere(contender: ContenderConfig, target: AnyTarget): boolean {
  if (target.kind === 'provider') return true
  if (!isLoopbackHost(new URL(findBaseUrl(target)).hostname)) return true
  return (findModel(contender, target.models)?.provider ?? 'local') !== 'local'
}
