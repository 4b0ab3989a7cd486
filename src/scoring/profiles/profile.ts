import { fingerprint } from '#prelude'
import type { WordRule } from '../tokens/words.ts'

/** What a stage is made of besides its code: enters the fingerprint, and is what two profiles differ in. */
export type StageSettings = null | boolean | number | string | readonly StageSettings[] | StageSettingsObject
interface StageSettingsObject {
  readonly [key: string]: StageSettings
}

/** One step from written text to comparable text. */
export interface Stage {
  /** Unique in its profile: `lower case`. */
  readonly name: string
  /** One sentence for `asrbench explain`. */
  readonly does: string
  /** Text before and after this stage alone. */
  readonly example: readonly [before: string, after: string]
  readonly settings: StageSettings
  /** Total: any string in, a string out, never throws. */
  apply(text: string): string
  /** What `apply` makes of text in ASCII, where that is text in ASCII again and can be made faster. */
  readonly ascii?: (text: string) => string
}

/** A versioned set of normalisation rules. The same one is applied to reference and hypothesis. */
export interface Profile {
  readonly id: string
  /** Rises whenever a rule changes: figures of different versions are not comparable. */
  readonly version: number
  /** One sentence: what it is for. */
  readonly purpose: string
  readonly stages: readonly Stage[]
  /** How the normalised text becomes words. */
  readonly words: WordRule
  /** Known oddities that are kept because the published rules have them. */
  readonly quirks: readonly string[]
  /** 64 hexadecimal digits over id, version, stages with their settings, and the word rule. */
  readonly fingerprint: string
}

/** What a profile is made from; `defineProfile` adds the fingerprint. */
export type ProfileDefinition = Omit<Profile, 'fingerprint'>

/** Completes a profile. The fingerprint is computed when it is first asked for, since tables may be large. */
export function defineProfile(definition: ProfileDefinition): Profile {
  let print: string | null = null
  return {
    ...definition,
    get fingerprint() {
      const { id, version, stages, words } = definition
      print ??= fingerprint({
        id,
        version,
        words,
        stages: stages.map(({ name, settings }) => ({ name, settings })),
      })
      return print
    },
  }
}

/** A text made comparable by a profile's rules. Never throws, whatever the text holds. */
export function normalise(text: string, profile: Profile): string {
  let result = text
  let isAscii = !beyondAscii.test(text)
  for (const { apply, ascii } of profile.stages) {
    if (isAscii && ascii !== undefined) {
      result = ascii(result)
      continue
    }
    result = apply(result)
    isAscii &&= !beyondAscii.test(result)
  }
  return result
}

const beyondAscii = /[\u0080-\uffff]/

/** The text after every stage, in order: what `asrbench explain <profile> "some text"` shows. */
export function traceNormalisation(
  text: string,
  profile: Profile,
): readonly { readonly stage: string; readonly text: string }[] {
  let result = text
  return profile.stages.map((stage) => {
    result = stage.apply(result)
    return { stage: stage.name, text: result }
  })
}
