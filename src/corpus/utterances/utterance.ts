import type { Problem } from '#prelude'
import type { Entity, TimedText } from '#scoring'
import type { Derivation } from '../derive/derivation.ts'

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
