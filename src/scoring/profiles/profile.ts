import { fingerprint } from '#prelude'
import type { CharacterRule, WordRule } from '../tokens.ts'
import { withoutReadings } from './readings.ts'

/**
 * What is done to both texts of a pair after each was normalised: `compounds` writes compounds of the hypothesis as the
 * reference does; `regions-and-compounds` first makes one word of a different region whose letters are the same on both sides;
 * `readings` takes what can be said in several ways in the way with the fewest errors.
 */
export type Pairing = 'compounds' | 'regions-and-compounds' | 'readings'

/** What errors are counted in: the word error rate is of words, the character error rate of characters. */
export type ErrorLevel = 'words' | 'characters'

/** What a stage is made of besides its code: enters the fingerprint, and is what two profiles differ in. */
export type StageSettings = null | boolean | number | string | readonly StageSettings[] | StageSettingsObject
interface StageSettingsObject {
  readonly [key: string]: StageSettings
}

/** One step from written text to comparable text. */
export interface Stage {
  /** Unique in its profile: `lower case`. */
  readonly name: string
  /** One sentence for `transcribench explain`. */
  readonly does: string
  /** Text before and after this stage alone; two empty texts where the rules of its language give no example. */
  readonly example: readonly [before: string, after: string]
  readonly settings?: StageSettings | undefined
  /** Total: any string in, a string out, never throws. */
  apply(text: string): string
  /** What `apply` makes of text in ASCII, where that is text in ASCII again and can be made faster. */
  readonly ascii?: (text: string) => string
  /** The same for a text of words one space apart, of a stage that looks at words: such stages share one list of them. */
  applyToWords?(words: readonly string[]): readonly string[]
  /** Whether a word can make such a stage do something: words of which none can are left as they are. Default: every word. */
  concerns?(word: string): boolean
}

/** A stage that looks at words, for texts in which they are one space apart. */
export function wordStage(
  stage: Omit<Stage, 'apply' | 'applyToWords'> & Required<Pick<Stage, 'applyToWords'>>,
): Stage {
  const concerns = stage.concerns ?? (() => true)
  return {
    ...stage,
    apply(text) {
      const words = text.split(' ')
      return words.some(concerns) ? stage.applyToWords(words).join(' ') : text
    },
  }
}

/** A versioned set of normalisation rules. The same one is applied to reference and hypothesis. */
export interface Profile {
  /** With the version after an @ where the program has several of them: `basic`, `english@2`. */
  readonly id: string
  /** Rises when a rule of a released version changes: figures of different versions are not comparable. */
  readonly version: number
  /** One sentence: what it is for. */
  readonly purpose: string
  readonly stages: readonly Stage[]
  /** How the normalised text becomes words. */
  readonly words: WordRule
  /** What the character error rate counts. */
  readonly characters: CharacterRule
  /** The error rate that leads: it comes first wherever rates are shown, and contenders are ranked by it. */
  readonly leads: ErrorLevel
  /** Known oddities that are kept because the published rules have them. */
  readonly quirks: readonly string[]
  /** What is done to both texts of a pair after the stages. */
  readonly pairing?: Pairing | undefined
  /** For a corpus of several languages: the profile of one of them. */
  readonly ofLanguage?: ((language: string | null) => Profile) | undefined
  /** 64 hexadecimal digits over name, version, stages with their settings, the rules for words and characters, and the pairing. */
  readonly fingerprint: string
}

/** What a profile is made from; `defineProfile` adds the fingerprint. Graphemes and words are the defaults. */
export type ProfileDefinition = Omit<Profile, 'fingerprint' | 'characters' | 'leads'> &
  Partial<Pick<Profile, 'characters' | 'leads'>> & {
    /** Every profile that `ofLanguage` may return: their fingerprints make the one of the whole. */
    readonly languageProfiles?: () => readonly Profile[]
  }

/**
 * Completes a profile. What the definition computes when it is asked for, as tables of a language, is asked for no earlier; the
 * fingerprint is computed when it is first asked for.
 */
export function defineProfile(definition: ProfileDefinition): Profile {
  const { id, version, ofLanguage, languageProfiles } = definition
  let print: string | null = null
  return {
    id,
    version,
    get purpose() {
      return definition.purpose
    },
    get stages() {
      return definition.stages
    },
    get words() {
      return definition.words
    },
    get characters() {
      return definition.characters ?? 'graphemes'
    },
    get leads() {
      return definition.leads ?? 'words'
    },
    get quirks() {
      return definition.quirks
    },
    get pairing() {
      return definition.pairing
    },
    ofLanguage,
    get fingerprint() {
      print ??= fingerprint(
        languageProfiles?.().map((profile) => profile.fingerprint) ?? {
          // A profile keeps its fingerprint when another version of it comes.
          id: profileName(id),
          version,
          words: this.words,
          // Left out where it is the default, so that profiles keep the fingerprint that they had before there was a choice.
          ...(this.characters === 'graphemes' ? {} : { characters: this.characters }),
          ...(this.pairing === undefined ? {} : { pairing: this.pairing }),
          stages: this.stages.map(({ name, settings = null }) => ({ name, settings })),
        },
      )
      return print
    },
  }
}

/** The id without its version: `leaderboard` of `leaderboard@2026-07`, `english+own` of `english@3+own`. */
export function profileName(id: string): string {
  return id.replace(/@[\d-]+/, '')
}

/** A text made comparable by a profile's rules. Never throws, whatever the text holds. */
export function normalise(text: string, profile: Profile): string {
  const normalised = normaliseForPair(text, profile)
  return profile.pairing === 'readings' ? withoutReadings(normalised) : normalised
}

/** The same for a text that is then paired with another one: what can be said in several ways has all of its readings. */
export function normaliseForPair(text: string, profile: Profile): string {
  const { stages } = profile
  const find = concernFinder(stages)
  let result = text
  let words: readonly string[] | null = null
  // The words of `result`: while `words` is this array, no stage has changed the text.
  let cut: readonly string[] | null = null
  let concerned: number | null = null
  for (let at = 0; at < stages.length; at += 1) {
    const stage = stages[at] as Stage
    if (stage.applyToWords === undefined) {
      if (words !== null && words !== cut) result = words.join(' ')
      cut = words
      const isFast = stage.ascii !== undefined && !beyondAscii.test(result)
      const next = isFast ? (stage.ascii as Stage['apply'])(result) : stage.apply(result)
      if (next !== result) words = null
      result = next
      continue
    }
    if (words === null) {
      words = result.split(' ')
      cut = words
      concerned = null
    }
    concerned ??= find(words)
    if ((concerned & bitOf(at)) === 0) continue
    const next = stage.applyToWords(words)
    if (areSame(next, words)) continue
    concerned = null
    words = next
  }
  return words === null || words === cut ? result : words.join(' ')
}

function areSame(words: readonly string[], others: readonly string[]): boolean {
  return (
    words === others || (words.length === others.length && words.every((word, at) => word === others[at]))
  )
}

const beyondAscii = /[\u0080-\uffff]/

/** The stages that look at words and have something to do, as bits, by the words of a text. */
type ConcernFinder = (words: readonly string[]) => number

const finders = new WeakMap<readonly Stage[], ConcernFinder>()

function concernFinder(stages: readonly Stage[]): ConcernFinder {
  const known = finders.get(stages)
  if (known !== undefined) return known
  const finder = makeConcernFinder(stages)
  finders.set(stages, finder)
  return finder
}

/**
 * Words recur: each is shown to all stages once. The newest are found by a hash of a few of their letters, which takes a small part
 * of the time that a map takes.
 */
function makeConcernFinder(stages: readonly Stage[]): ConcernFinder {
  if (stages.every(({ applyToWords }) => applyToWords === undefined)) return () => 0
  const bitsByWord = new Map<string, number>()
  const recent = new Array<string>(slotCount).fill('')
  const recentBits = new Int32Array(slotCount)
  const askAll = (word: string): number =>
    stages.reduce(
      (bits, stage, at) =>
        stage.applyToWords !== undefined && stage.concerns?.(word) !== false ? bits | bitOf(at) : bits,
      0,
    )
  const ask = (word: string, slot: number): number => {
    const bits = bitsByWord.get(word) ?? askAll(word)
    // A copy, because a slice of a text would keep the whole text in memory.
    const copy = ` ${word}`.slice(1)
    if (bitsByWord.size >= maxRemembered) bitsByWord.clear()
    bitsByWord.set(copy, bits)
    recent[slot] = copy
    recentBits[slot] = bits
    return bits
  }
  ask('', 0)
  return (words) => {
    let bits = 0
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] as string
      const slot = hashWord(word)
      bits |= recent[slot] === word ? (recentBits[slot] as number) : ask(word, slot)
    }
    return bits
  }
}

const maxRemembered = 50_000
const slotCount = 2 ** 14

/** Made from letters at the ends and inside, and from the length. */
function hashWord(word: string): number {
  const { length } = word
  if (length === 0) return 0
  const ends = word.charCodeAt(0) * 31 + word.charCodeAt(length - 1)
  const inside = word.charCodeAt(length >> 1) * 31 + word.charCodeAt(length >> 2)
  return (ends * 61 + inside * 7 + length) & (slotCount - 1)
}

/** Stages beyond the last bit share it. */
function bitOf(stage: number): number {
  return 1 << Math.min(stage, 31)
}

/** The text after every stage, in order: what `transcribench explain <profile> "some text"` shows. */
export function traceNormalisation(
  text: string,
  profile: Profile,
): readonly { readonly stage: string; readonly text: string }[] {
  let result = text
  const steps = profile.stages.map((stage) => {
    result = stage.apply(result)
    return { stage: stage.name, text: result }
  })
  const alone = profile.pairing === 'readings' ? withoutReadings(result) : result
  return alone === result ? steps : [...steps, { stage: 'without the other text', text: alone }]
}
