import { z } from 'zod'
import type { DeepReadonly, Problem } from '#prelude'
import { counted } from '#prelude'
import { listYamlProblems, parseYaml } from '#prelude/yaml'
import { capacityErrors } from './errors.ts'

const amount = z.number().min(0)
const positive = z.number().positive()

const cloudPrice = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/),
  /** Id of the provider; needed if another one has a model of the same name. */
  provider: z.string().min(1).optional(),
  name: z.string().min(1),
  /** Models with this price, as contenders name them. */
  models: z.array(z.string().min(1)),
  /** Price per billed hour of audio, in the list's currency. */
  perAudioHour: amount,
  /** Lengths are billed in steps of this many seconds; null if the exact length is billed. */
  stepSeconds: positive.nullable(),
  rounding: z.enum(['up', 'nearest']),
  /** Minimum length in seconds that is billed. */
  minimumSeconds: amount,
  source: z.url({ protocol: /^https?$/ }),
  date: z.iso.date(),
})
/** The price of a provider's model. */
export type CloudPrice = DeepReadonly<z.infer<typeof cloudPrice>>

/** The rules by which a provider rounds the length of a recording before billing it. */
export type BillingRules = Pick<CloudPrice, 'stepSeconds' | 'rounding' | 'minimumSeconds'>

// A price that was paid has no web page, so its source is text.
const paid = { source: z.string().min(1), date: z.iso.date() }

/** Every price requires a source and a date, because it could not be verified without them. */
const priceList = z.strictObject({
  /** ISO 4217 code. */
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** Costs of an own machine. */
  machine: z.strictObject({
    price: amount,
    lifeYears: positive,
    /** Power in watts while nothing is transcribed. */
    idleWatts: amount,
    /** Additional power of one busy processor in watts, for hosts whose energy cannot be read. */
    wattsPerBusyProcessor: amount,
    ...paid,
  }),
  electricity: z.strictObject({ perKilowattHour: amount, ...paid }),
  cloud: z.array(cloudPrice),
})
export type PriceList = DeepReadonly<z.infer<typeof priceList>>
export type MachinePrice = PriceList['machine']

/**
 * The price of a model.
 *
 * @param provider id of the contender's provider; null if only the model is known
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
  // Without a provider, the name of a model that two providers have is ambiguous.
  return first === undefined || (provider === null && others.length > 0) ? null : first
}

/**
 * Parses a price list.
 *
 * @param path names the list in problems; nothing is read from it
 * @throws BenchError PRICES_INVALID with every problem at once
 */
export function parsePrices(text: string, path: string): PriceList {
  const parsedYaml = parseYaml(text)
  const problems = listYamlProblems(parsedYaml, path)
  if (problems.length > 0) throw invalidPrices(path, problems)
  const parsed = priceList.safeParse(parsedYaml.document.toJS())
  if (!parsed.success) {
    throw invalidPrices(
      path,
      parsed.error.issues.map(({ path: keys, message }) => ({
        where: `${path} ${keys.map(String).join('.')}`.trimEnd(),
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
    message: `${path} is no price list: ${counted(problems.length, 'problem')}`,
    hint: 'compare it with configs/prices.yaml, which explains every key',
    problems,
  })
}
