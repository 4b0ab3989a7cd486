import { z } from 'zod'

/** What a manifest says of an utterance that was made from others: enough to make it again. */
export const derivationSchema = z.strictObject({
  /** Ids in the parent corpus, in the order in which they are heard. */
  parents: z.array(z.string().min(1)).min(1),
  /** Every transformation with all of its parameters, in the order in which they were applied. */
  steps: z.array(z.strictObject({ name: z.string(), parameters: z.record(z.string(), z.unknown()) })),
  seed: z.int(),
  /** The value of this utterance on a ladder; null without a ladder. The value is null where the step was left out. */
  ladder: z
    .strictObject({
      parameter: z.string(),
      unit: z.string(),
      harder: z.enum(['lower', 'higher']).nullable(),
      value: z.number().nullable(),
    })
    .nullable(),
})

export interface Derivation {
  readonly parents: readonly string[]
  readonly steps: readonly { readonly name: string; readonly parameters: Readonly<Record<string, unknown>> }[]
  readonly seed: number
  readonly ladder: {
    readonly parameter: string
    readonly unit: string
    readonly harder: 'lower' | 'higher' | null
    readonly value: number | null
  } | null
}
