import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { DeepReadonly, Problem } from '#prelude'
import type { Entity, TimedText } from '#scoring/shapes'

/** One recording with its reference, from a manifest, with a valid format. */
export interface Utterance {
  /** Unique id in the corpus, by which runs are paired. */
  readonly id: string
  /** Absolute path of the audio file. */
  readonly audioPath: string
  /** The reference as its source wrote it, before normalisation. Empty for silence or noise. */
  readonly text: string
  /** Equally correct alternatives to the text; usually empty. */
  readonly alternatives: readonly string[]
  /** Whether the texts contain alternatives in NIST notation: `{ a / b }`, `(uh)`. */
  readonly hasChoices: boolean
  /** Whether the text is an engine's and unreviewed; such a text is not used as a reference. */
  readonly isDraft: boolean
  /** Duration in the manifest, or null. `verifyCorpus` measures it. */
  readonly durationSeconds: number | null
  /** 64 lower-case hexadecimal digits, or null. */
  readonly sha256: string | null
  /** BCP 47 tag, or null. */
  readonly language: string | null
  readonly speaker: string | null
  readonly tags: readonly string[]
  /** Important words and phrases of the reference; usually empty. */
  readonly keywords: readonly string[]
  /** Names, numbers, addresses and similar parts of the reference; usually empty. */
  readonly entities: readonly Entity[]
  /** Times of the words or segments of the reference, in order; usually empty. */
  readonly times: readonly TimedText[]
  /** Source of recording and reference in words, or null. */
  readonly source: string | null
  /** How `corpus derive` made the audio; null for an original recording. */
  readonly derived: Derivation | null
  /** Line in the manifest, counted from 1. */
  readonly line: number
}

/** A manifest without problems. */
export interface Corpus {
  readonly name: string
  /** How to name it on a command line. */
  readonly argument: string
  /** Absolute path of the manifest. */
  readonly manifestPath: string
  readonly utterances: readonly Utterance[]
  /** Number of utterances that a sample was drawn from; null where all were taken. */
  readonly sampledFrom: number | null
  /** Non-fatal problems, such as unknown keys with the probable meaning. */
  readonly warnings: readonly Problem[]
}

/** An utterance whose audio was opened, so that duration, size and hash are known. */
export interface VerifiedUtterance extends Utterance {
  readonly durationSeconds: number
  readonly sha256: string
  readonly sizeBytes: number
  /** Media type such as `audio/wav`, detected from the content. */
  readonly mimeType: string
}

export interface VerifiedCorpus extends Corpus {
  readonly utterances: readonly VerifiedUtterance[]
  /** Changes with any id, text or hash, but not with the folder of the corpus. */
  readonly fingerprint: string
  readonly audioSeconds: number
}

/** The derivation of an utterance from others, with all that is needed to repeat it. */
export const derivationSchema = z.strictObject({
  /** Ids in the parent corpus, in the order in which they are heard. */
  parents: z.array(z.string().min(1)).min(1),
  /** All transformations with all parameters, in order. */
  steps: z.array(z.strictObject({ name: z.string(), parameters: z.record(z.string(), z.unknown()) })),
  seed: z.int(),
  /** Value of this utterance on a ladder; null without a ladder. `value` is null where the step was skipped. */
  ladder: z
    .strictObject({
      parameter: z.string(),
      unit: z.string(),
      harder: z.enum(['lower', 'higher']).nullable(),
      value: z.number().nullable(),
    })
    .nullable(),
})

export type Derivation = DeepReadonly<Omit<z.infer<typeof derivationSchema>, 'steps'>> & {
  readonly steps: readonly { readonly name: string; readonly parameters: Readonly<Record<string, unknown>> }[]
}

/**
 * Fingerprint of a corpus, computed incrementally from ids, references and hashes in order. The result equals
 * `fingerprint` of the list, whose JSON may exceed the maximum length of a string.
 */
export function corpusFingerprint(): { add(utterance: Utterance): void; finish(): string } {
  const hash = createHash('sha256')
  let separator = '['
  return {
    add({ id, text, alternatives, hasChoices, sha256 }) {
      // Keys are in alphabetical order, so this is canonical JSON; a library would take four times as long.
      const named = {
        // These fields are omitted if empty, so that fingerprints of older corpora stay the same.
        ...(alternatives.length === 0 ? {} : { alternatives }),
        ...(hasChoices ? { hasChoices } : {}),
        id,
        sha256,
        text,
      }
      hash.update(separator + JSON.stringify(named))
      separator = ','
    },
    finish: () => hash.update(separator === '[' ? '[]' : ']').digest('hex'),
  }
}

/** Shifts the times of a word or segment; rounded to microseconds, and not below 0. */
export function shiftedBy({ text, startSeconds, endSeconds }: TimedText, seconds: number): TimedText {
  const shifted = (time: number): number => Math.max(0, Math.round((time + seconds) * 1e6) / 1e6)
  return { text, startSeconds: shifted(startSeconds), endSeconds: shifted(endSeconds) }
}
