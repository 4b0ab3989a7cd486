import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BillingRules, PriceList } from '#capacity'
import { parsePrices, priceOf } from '#capacity/prices'
import type { BenchConfig, ContenderConfig } from '#config'
import { isLoopbackHost } from '#contract'
import { packageFolder } from '#installation'
import type { RecordedOwnPrices } from '#journal'
import { BenchError } from '#prelude'
import { cloudPrices, findProvider, type OptionValues, providerData } from '#providers'
import { sessionErrors } from '../errors.ts'

/** A contender with what its provider asks for audio, as far as that is known. */
export interface PricedContender extends ContenderConfig {
  /** Null where it is not known how the provider rounds. */
  readonly billing: BillingRules | null
}

/** Prices in a config are in it, and only a list in it can be compared with them. */
const currency = 'USD'

/**
 * Reads a price list.
 *
 * @param named a list with the name that problems give it; null for the one that comes with transcribench
 * @throws BenchError PRICES_UNREADABLE, PRICES_INVALID
 */
export async function readPriceList(
  named: { readonly name: string; read(): Promise<string | Buffer> } | null,
): Promise<PriceList> {
  const shipped = join(packageFolder, 'configs', 'prices.yaml')
  const reading = named === null ? readFile(shipped) : named.read()
  const text = await reading.catch((cause: NodeJS.ErrnoException) => {
    if (cause instanceof BenchError) throw cause
    throw sessionErrors.make('PRICES_UNREADABLE', {
      message: `the price list ${named?.name ?? shipped} cannot be read (${cause.code})`,
      hint: 'copy configs/prices.yaml and change it',
      cause,
    })
  })
  const list = parsePrices(text.toString(), named?.name ?? 'configs/prices.yaml')
  // What a list of one's own says of a model comes first.
  return named === null ? { ...list, cloud: [...list.cloud, ...cloudPrices] } : list
}

/** Prices a contender by its config, else by the price list where a provider bills it. */
export function pricedContender(
  contender: ContenderConfig,
  {
    prices,
    isBilled,
    provider,
  }: { readonly prices: PriceList; readonly isBilled: boolean; readonly provider: string | null },
): PricedContender {
  const isListed =
    isBilled &&
    contender.usdPerMinute === null &&
    prices.currency === currency &&
    !isBilledExtra(contender.options ?? {}, provider)
  const listed = isListed ? priceOf(prices, { model: contender.model, provider }) : null
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

/** Whether an option makes more of the bill than the price of the model: with it no price is claimed. */
function isBilledExtra(options: OptionValues, provider: string | null): boolean {
  const known = provider === null ? [] : (findProvider(provider)?.options ?? [])
  return known.some(
    ({ name, isBilledExtra: isExtra }) => isExtra === true && (options[name] ?? false) !== false,
  )
}

/**
 * Who transcribes for a contender, as far as that can be known before a target was asked.
 *
 * @returns id of the provider, the host of another transcription server, or the local engine; null where the target decides
 */
export function providerIdOf(
  { engine, target: own }: Pick<ContenderConfig, 'engine' | 'target'>,
  { target: common }: Pick<BenchConfig, 'target'>,
): string | null {
  const target = (own ?? common).trim()
  const address = /^openai:(.*)$/.exec(target)?.[1]
  if (address !== undefined) {
    const { host } = URL.canParse(address) ? new URL(address) : { host: address }
    return providerData.find(({ baseUrl }) => new URL(baseUrl).host === host)?.id ?? host
  }
  return findProvider(target)?.id ?? (engine === 'cloud' ? null : engine)
}

/** What a machine of one's own costs, for a run in which a contender has a price; undefined for every other. */
export function ownPrices(
  { machine, electricity, currency: listed }: PriceList,
  contenders: readonly ContenderConfig[],
): RecordedOwnPrices | undefined {
  const isPriced = contenders.some(({ usdPerMinute }) => usdPerMinute !== null && usdPerMinute > 0)
  return isPriced && listed === currency ? { machine, electricity } : undefined
}

/** Whether a provider bills a contender, as far as that can be known before a target was asked. */
export function mayBeBilled(
  { engine, usdPerMinute, target: own }: Pick<ContenderConfig, 'engine' | 'usdPerMinute' | 'target'>,
  { target: common }: Pick<BenchConfig, 'target'>,
): boolean {
  if (usdPerMinute !== null) return usdPerMinute > 0
  const target = own ?? common
  if (findProvider(target.trim()) !== null) return true
  const address = /^openai:(.*)$/.exec(target.trim())?.[1]
  if (address !== undefined) return URL.canParse(address) && !isLoopbackHost(new URL(address).hostname)
  return engine === 'cloud' || (engine !== null && findProvider(engine) !== null)
}
