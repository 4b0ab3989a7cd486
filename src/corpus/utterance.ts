import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { DeepReadonly, Problem } from '#prelude'
import type { Entity, TimedText } from '#scoring/shapes'

/** One recording with its reference, read from a manifest and checked for form. */
export interface Utterance {
  /** Unique in its corpus; what runs are paired by. */
  readonly id: string
  /** Absolute path of the audio file. */
  readonly audioPath: string
  /** The reference as written by its source, before any normalisation. May be empty (silence, noise). */
  readonly text: string
  /** Further texts that are as right as the first; mostly empty. */
  readonly alternatives: readonly string[]
  /** The texts hold choices as NIST writes them: `{ a / b }`, `(uh)`. */
  readonly hasChoices: boolean
  /** The text is that of an engine, and no person has reviewed it. Nothing is scored against it. */
  readonly isDraft: boolean
  /** As the manifest gives it, or null. `verifyCorpus` measures it. */
  readonly durationSeconds: number | null
  /** 64 lower-case hexadecimal digits, or null. */
  readonly sha256: string | null
  /** BCP-47 tag, or null. */
  readonly language: string | null
  readonly speaker: string | null
  readonly tags: readonly string[]
  /** Words and phrases of the reference that matter most; mostly empty. */
  readonly keywords: readonly string[]
  /** Names, numbers, addresses and the like in the reference; mostly empty. */
  readonly entities: readonly Entity[]
  /** When the words or segments of the reference are spoken, in their order; mostly empty. */
  readonly times: readonly TimedText[]
  /** Where recording and reference come from, in words, or null. */
  readonly source: string | null
  /** How `corpus derive` made it; null for a recording. */
  readonly derived: Derivation | null
  /** Line in the manifest, from 1. */
  readonly line: number
}

/** A manifest that was read without problems. */
export interface Corpus {
  readonly name: string
  /** Absolute path of the manifest. */
  readonly manifestPath: string
  readonly utterances: readonly Utterance[]
  /** How many there were to draw from, where these are a sample of them; null where all were taken. */
  readonly sampledFrom: number | null
  /** What a person should know and what stops nothing: keys that are not used, with what they were meant to be. */
  readonly warnings: readonly Problem[]
}

/** An utterance whose audio was opened: length, size and hash are known. */
export interface VerifiedUtterance extends Utterance {
  readonly durationSeconds: number
  readonly sha256: string
  readonly sizeBytes: number
  /** As `audio/wav`, detected from the bytes, not from the file's name. */
  readonly mimeType: string
}

export interface VerifiedCorpus extends Corpus {
  readonly utterances: readonly VerifiedUtterance[]
  /** Changes when an id, a text or a hash changes; not when the corpus moves to another folder. */
  readonly fingerprint: string
  readonly audioSeconds: number
}

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

export type Derivation = DeepReadonly<Omit<z.infer<typeof derivationSchema>, 'steps'>> & {
  readonly steps: readonly { readonly name: string; readonly parameters: Readonly<Record<string, unknown>> }[]
}

/**
 * Names the content of a corpus, utterance after utterance: ids, references and hashes of the recordings, in this order.
 * It is what `fingerprint` returns for the list of these, without their JSON in one piece, which may be longer than a
 * text can be.
 */
export function corpusFingerprint(): { add(utterance: Utterance): void; finish(): string } {
  const hash = createHash('sha256')
  let separator = '['
  return {
    add({ id, text, alternatives, hasChoices, sha256 }) {
      // Keys in alphabetical order are canonical JSON here, as all values are texts: a library takes four times as long.
      const named = {
        // Left out where there is none, so that corpora keep the name that they had.
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

/** A word or segment of a recording that begins so much later; to a microsecond, and never before the beginning. */
export function shiftedBy({ text, startSeconds, endSeconds }: TimedText, seconds: number): TimedText {
  const shifted = (time: number): number => Math.max(0, Math.round((time + seconds) * 1e6) / 1e6)
  return { text, startSeconds: shifted(startSeconds), endSeconds: shifted(endSeconds) }
}
