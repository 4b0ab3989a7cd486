import { z } from 'zod'
import type { Problem } from '#prelude'
import { parseYaml } from '#prelude/yaml'
import { capacityErrors } from './errors.ts'

/** Where a price comes from and when it was read there: without both it is a rumour. */
interface PriceSource {
  readonly source: string
  /** `2026-11-21`. */
  readonly date: string
}

/** How a provider rounds the length of a recording before it bills it. */
export interface BillingRules {
  /** Lengths are billed in steps of so many seconds; null where the exact length is billed. */
  readonly stepSeconds: number | null
  readonly rounding: 'up' | 'nearest'
  /** Shorter recordings are billed as if they were so long. */
  readonly minimumSeconds: number
}

/** What a provider charges for a recording. */
export interface CloudPrice extends PriceSource, BillingRules {
  readonly id: string
  /** Id of the provider, where another one may have a model of the same name. */
  readonly provider?: string | undefined
  readonly name: string
  /** Models, as contenders name them, whose accuracy belongs to this price. */
  readonly models: readonly string[]
  /** In the list's currency, for an hour of audio as it is billed. */
  readonly perAudioHour: number
}

/** What a machine of one's own costs. */
export interface MachinePrice extends PriceSource {
  readonly price: number
  readonly lifeYears: number
  /** Drawn while nothing is transcribed. */
  readonly idleWatts: number
  /** Drawn in addition by one processor that is busy: for hosts that do not let their energy be read. */
  readonly wattsPerBusyProcessor: number
}

export interface PriceList {
  /** ISO 4217. */
  readonly currency: string
  readonly machine: MachinePrice
  readonly electricity: PriceSource & { readonly perKilowattHour: number }
  readonly cloud: readonly CloudPrice[]
}

const amount = z.number().min(0)
const positive = z.number().positive()
const source = {
  source: z.url({ protocol: /^https?$/ }),
  date: z.iso.date(),
}

const cloudPrice: z.ZodType<CloudPrice> = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
  provider: z.string().min(1).optional(),
  name: z.string().min(1),
  models: z.array(z.string().min(1)),
  perAudioHour: amount,
  stepSeconds: positive.nullable(),
  rounding: z.enum(['up', 'nearest']),
  minimumSeconds: amount,
  ...source,
})

const priceList: z.ZodType<PriceList> = z.strictObject({
  currency: z.string().regex(/^[A-Z]{3}$/),
  machine: z.strictObject({
    price: amount,
    lifeYears: positive,
    idleWatts: amount,
    wattsPerBusyProcessor: amount,
    // A price that was paid has no page; its source is given in words.
    source: z.string().min(1),
    date: z.iso.date(),
  }),
  electricity: z.strictObject({ perKilowattHour: amount, source: z.string().min(1), date: z.iso.date() }),
  cloud: z.array(cloudPrice),
})

/**
 * The price of a model.
 *
 * @param provider id of the provider that is asked for it; null where only the model is known
 */
export function findPrice(
  { cloud }: Pick<PriceList, 'cloud'>,
  { model, provider }: { readonly model: string | null; readonly provider: string | null },
): CloudPrice | null {
  if (model === null) return null
  const [first, ...others] = cloud.filter(
    (price) =>
      price.models.includes(model) &&
      (provider === null || price.provider === undefined || price.provider === provider),
  )
  // By its name alone, a model that two providers have could be either.
  return first === undefined || (provider === null && others.length > 0) ? null : first
}

/**
 * Reads a price list.
 *
 * @param path names the list in problems; nothing is read from it
 * @throws BenchError PRICES_INVALID with every problem at once
 */
export function parsePrices(text: string, path: string): PriceList {
  const { document, faults, lineAt } = parseYaml(text)
  const syntax = faults.map(({ at: [start], what, advice }): Problem => {
    const { line, column } = lineAt(start)
    return { where: `${path}:${line}:${column}`, what, hint: advice }
  })
  if (syntax.length > 0) throw invalidPrices(path, syntax)
  const parsed = priceList.safeParse(document.toJS())
  if (!parsed.success) {
    throw invalidPrices(
      path,
      parsed.error.issues.map(({ path: place, message }) => ({
        where: `${path} ${place.map(String).join('.')}`.trimEnd(),
        what: message,
      })),
    )
  }
  const ids = parsed.data.cloud.map(({ id }) => id)
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length > 0)
    throw invalidPrices(
      path,
      twice.map((id) => ({ where: `${path} cloud`, what: `"${id}" is there twice` })),
    )
  return parsed.data
}

function invalidPrices(path: string, problems: readonly Problem[]): Error {
  return capacityErrors.make('PRICES_INVALID', {
    message: `${path} is no price list: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`,
    hint: 'compare it with configs/prices.yaml, which explains every key',
    problems,
  })
}
