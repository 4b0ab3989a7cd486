import type { z } from 'zod'
import { peakOf } from '#audio/active-level'
import { failed, type Outcome, type Random, succeeded } from '#prelude'
import type { Utterance } from '../utterance.ts'

/** A parameter of a transformation that a ladder can vary. */
export interface LadderParameter {
  readonly parameter: string
  /** Unit after a number, such as `dB`; empty for a ratio. */
  readonly unit: string
  /** Which values are harder to recognise; null where both extremes are. */
  readonly harder: 'lower' | 'higher' | null
}

/** A transformation with its parameter values. */
export interface Step {
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** Paths of recordings in the parameters. */
  readonly files: readonly string[]
  /** Reasons why the step cannot be applied to these utterances. */
  problems(utterances: readonly Draft[]): readonly string[]
  apply(drafts: readonly Draft[], context: DeriveContext): readonly Draft[]
}

/** A method to make utterances from utterances. */
export interface Transformation {
  readonly name: string
  /** Description for the help. */
  readonly summary: string
  readonly parameters: readonly ParameterText[]
  readonly ladders: readonly LadderParameter[]
  /** @returns the step, or the problems of its parameters */
  read(written: Readonly<Record<string, string>>): Outcome<Step, readonly string[]>
}

interface ParameterText {
  readonly name: string
  readonly description: string
  /** Default value; null where omission has no effect. */
  readonly standard: string | null
}

interface Definition<Shape extends z.ZodRawShape> {
  readonly name: string
  readonly summary: string
  /** All parameters with defaults and descriptions; parameter names are unique among all transformations. */
  readonly parameters: z.ZodObject<Shape>
  readonly ladders?: readonly LadderParameter[]
  files?(parameters: z.infer<z.ZodObject<Shape>>): readonly string[]
  problems?(parameters: z.infer<z.ZodObject<Shape>>, utterances: readonly Draft[]): readonly string[]
  apply(
    drafts: readonly Draft[],
    parameters: z.infer<z.ZodObject<Shape>>,
    context: DeriveContext,
  ): readonly Draft[]
}

export function defineTransformation<Shape extends z.ZodRawShape>(
  definition: Definition<Shape>,
): Transformation {
  const { name, summary, parameters, ladders = [] } = definition
  return {
    name,
    summary,
    ladders,
    parameters: Object.entries(parameters.shape).map(([key, schema]) => {
      const standard = (schema as z.ZodType).safeParse(undefined)
      return {
        name: key,
        description: (schema as z.ZodType).description ?? '',
        standard: standard.success && standard.data !== undefined ? String(standard.data) : null,
      }
    }),
    read(written) {
      const parsed = parameters.safeParse(written)
      if (!parsed.success) {
        return failed(
          parsed.error.issues.map(({ path, message }) => {
            const key = path.join('.')
            return `${key}=${written[key] ?? ''}: ${message}`
          }),
        )
      }
      const { data } = parsed
      return succeeded({
        name,
        parameters: data,
        files: definition.files?.(data) ?? [],
        problems: (utterances) => definition.problems?.(data, utterances) ?? [],
        apply: (drafts, context) => definition.apply(drafts, data, context),
      })
    },
  }
}

/** Makes `apply` for a transformation that only changes the sound of each utterance. */
export function onEachSound<Parameters>(
  change: (
    sound: Sound,
    parameters: Parameters,
    context: DeriveContext,
    draft: Draft,
  ) => Sound | Promise<Sound>,
): (drafts: readonly Draft[], parameters: Parameters, context: DeriveContext) => readonly Draft[] {
  return (drafts, parameters, context) =>
    drafts.map((draft) => ({
      ...draft,
      sound: async () => await change(await draft.sound(), parameters, context, draft),
    }))
}

/** The reference of an utterance, as in a manifest. */
export type Reference = Pick<Utterance, 'text' | 'alternatives' | 'hasChoices'>

/** A future utterance: the data of its line, and its sound on demand. */
export interface Draft
  extends Reference,
    Pick<Utterance, 'language' | 'speaker' | 'tags' | 'keywords' | 'entities' | 'times' | 'source'> {
  /** Ids of the parent utterances, in the order in which they are heard. */
  readonly parents: readonly string[]
  /** Duration expected from the parents; the manifest gets the measured one. */
  readonly durationSeconds: number
  sound(): Promise<Sound>
}

/** What a transformation may use besides the utterance. */
export interface DeriveContext {
  /** All utterances of the parent corpus, for babble. */
  readonly utterances: readonly Draft[]
  /** A random stream that depends only on seed, parents and purpose, and so is the same for all values of a ladder. */
  randomFor(draft: Draft, purpose: string): Random
  /**
   * Reads a file that parameters name, mixed down to mono.
   *
   * @throws BenchError DERIVATION_INVALID where it cannot be used
   */
  readSound(path: string, sampleRateHz: number): Promise<Sound>
}

/** Mono audio in memory. */
export interface Sound {
  /** Samples, nominally in -1..1. */
  readonly samples: Float32Array
  readonly sampleRateHz: number
}

/** The amplitude factor of a gain in dB. */
export function gainFor(decibels: number): number {
  return 10 ** (decibels / 20)
}

export function scaled({ samples, sampleRateHz }: Sound, factor: number): Sound {
  return { samples: samples.map((sample) => sample * factor), sampleRateHz }
}

/** Attenuates the whole sound so that its peak does not exceed full scale. */
export function withinFullScale(sound: Sound): Sound {
  const peak = peakOf(sound.samples)
  return peak <= 1 ? sound : scaled(sound, 1 / peak)
}
