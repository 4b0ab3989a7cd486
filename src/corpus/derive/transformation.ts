import type { z } from 'zod'
import { peakOf } from '#audio/active-level'
import { failed, type Outcome, type Random, succeeded } from '#prelude'
import type { Utterance } from '../utterance.ts'

/** The parameter of a transformation that a ladder can vary. */
export interface LadderParameter {
  readonly parameter: string
  /** As behind a number: `dB`. Empty for a ratio. */
  readonly unit: string
  /** Which values are harder to recognise; null where both ends are. */
  readonly harder: 'lower' | 'higher' | null
}

/** A transformation with the parameters that it is applied with. */
export interface Step {
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** Paths of recordings that the parameters name. */
  readonly files: readonly string[]
  /** What prevents it from being applied to these utterances, in words. */
  problems(utterances: readonly Draft[]): readonly string[]
  apply(drafts: readonly Draft[], context: DeriveContext): readonly Draft[]
}

/** One way to make utterances of utterances. */
export interface Transformation {
  readonly name: string
  /** For the help: what is done. */
  readonly summary: string
  readonly parameters: readonly ParameterText[]
  readonly ladders: readonly LadderParameter[]
  /** @returns the step, or what is wrong with parameters */
  read(written: Readonly<Record<string, string>>): Outcome<Step, readonly string[]>
}

interface ParameterText {
  readonly name: string
  readonly description: string
  /** Null where it may be left out without effect. */
  readonly standard: string | null
}

interface Definition<Shape extends z.ZodRawShape> {
  readonly name: string
  readonly summary: string
  /** Every parameter with its default and description; no two transformations have a parameter of one name. */
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

/** For transformations that change the sound of each utterance and nothing else. */
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

/** What is said in an utterance, as a manifest gives it. */
export type Reference = Pick<Utterance, 'text' | 'alternatives' | 'hasChoices'>

/** An utterance in the making: all that its line will say, and its sound when it is asked for. */
export interface Draft
  extends Reference,
    Pick<Utterance, 'language' | 'speaker' | 'tags' | 'keywords' | 'entities' | 'times' | 'source'> {
  /** Ids of the utterances that it was made from, in the order in which they are heard. */
  readonly parents: readonly string[]
  /** Expected, from the parents; what is written is measured. */
  readonly durationSeconds: number
  sound(): Promise<Sound>
}

/** What transformations may use besides the utterance at hand. */
export interface DeriveContext {
  /** All utterances of the parent corpus, for babble. */
  readonly utterances: readonly Draft[]
  /** A stream that depends on the seed, the parents of a draft and a word alone: the same for every value of a ladder. */
  randomFor(draft: Draft, purpose: string): Random
  /**
   * A file that parameters name, mixed down to one channel.
   *
   * @throws BenchError DERIVATION_INVALID where it cannot be used
   */
  readSound(path: string, sampleRateHz: number): Promise<Sound>
}

/** One channel of sound in memory. */
export interface Sound {
  /** Nominally in -1..1. */
  readonly samples: Float32Array
  readonly sampleRateHz: number
}

/** The factor of a gain in dB. */
export function gainFor(decibels: number): number {
  return 10 ** (decibels / 20)
}

export function scaled({ samples, sampleRateHz }: Sound, factor: number): Sound {
  return { samples: samples.map((sample) => sample * factor), sampleRateHz }
}

/** Turned down until nothing exceeds full scale; ratios within the sound stay as they are. */
export function withinFullScale(sound: Sound): Sound {
  const peak = peakOf(sound.samples)
  return peak <= 1 ? sound : scaled(sound, 1 / peak)
}
