import { countErrors } from '../alignment/align.ts'
import { addCounts, errorCount, noErrors, timesCounts } from '../counts.ts'
import { normalise, type Profile } from '../profiles/profile.ts'
import type { ErrorCounts, SelfReference, SuspectReference } from '../shapes.ts'
import { tokeniseWords } from '../tokens.ts'

/** What came back when the same recording was sent again. */
export interface RepeatedUtterance {
  readonly id: string
  /** One text per round that answered. */
  readonly texts: readonly string[]
}

/** How far an engine agrees with itself; no reference is needed. */
export interface Flakiness {
  /** Utterances with at least two answers. */
  readonly utteranceCount: number
  /** Of those, with answers that differ after normalisation. */
  readonly unstableCount: number
  readonly unstableIds: readonly string[]
  /** Each answer against each later one of the same utterance, summed: a word error rate between repeats. */
  readonly betweenRepeats: ErrorCounts
}

/** Compares the answers to the same recordings with each other. */
export function measureFlakiness(utterances: Iterable<RepeatedUtterance>, profile: Profile): Flakiness {
  let utteranceCount = 0
  let betweenRepeats = noErrors
  const unstableIds: string[] = []
  for (const { id, texts } of utterances) {
    if (texts.length < 2) continue
    utteranceCount += 1
    const normalised = texts.map((text) => normalise(text, profile))
    if (new Set(normalised).size > 1) unstableIds.push(id)
    betweenRepeats = addCounts(betweenRepeats, compareEach(normalised, profile))
  }
  return { utteranceCount, unstableCount: unstableIds.length, unstableIds, betweenRepeats }
}

/** Every text against every later one. Equal texts are compared once: mostly all of them are equal. */
function compareEach(texts: readonly string[], profile: Profile): ErrorCounts {
  const words = new Map<string, string[]>()
  /** How often each text occurred so far: what is compared with the next one. */
  const before = new Map<string, number>()
  const times = new Map<string, Map<string, number>>()
  for (const later of texts) {
    words.set(later, words.get(later) ?? tokeniseWords(later, profile.words))
    for (const [earlier, count] of before) {
      const byLater = times.get(earlier) ?? new Map<string, number>()
      times.set(earlier, byLater.set(later, (byLater.get(later) ?? 0) + count))
    }
    before.set(later, (before.get(later) ?? 0) + 1)
  }
  let sum = noErrors
  for (const [earlier, byLater] of times) {
    for (const [later, count] of byLater) {
      const counts = countErrors(words.get(earlier) ?? [], words.get(later) ?? [])
      sum = addCounts(sum, timesCounts(counts, count))
    }
  }
  return sum
}

/** One reference with what every contender made of it. */
export interface AuditedUtterance {
  readonly id: string
  readonly reference: string
  /** Text by contender; null where it did not answer. */
  readonly hypotheses: ReadonlyMap<string, string | null>
}

export interface ReferenceAudit {
  /** The most errors first. */
  readonly suspects: readonly SuspectReference[]
  readonly selfReferences: readonly SelfReference[]
}

/** Below so many words even good engines are right letter for letter. */
export const tellingLength = 5
const tellingShare = 0.9
const tellingCount = 10

/**
 * Holds references against what the contenders say.
 *
 * A reference is suspect where at least two contenders answered, all with the same words after normalisation,
 * and not with the reference's. A contender is its own reference where at least 90 % of ten or more utterances
 * of five words or more are the reference as written, capitals and punctuation included.
 */
export function auditReferences(utterances: readonly AuditedUtterance[], profile: Profile): ReferenceAudit {
  const suspects = utterances.flatMap((utterance) => suspectOf(utterance, profile))
  const contenders = [...new Set(utterances.flatMap(({ hypotheses }) => [...hypotheses.keys()]))]
  return {
    suspects: suspects.toSorted((a, b) => b.errors - a.errors),
    selfReferences: contenders.flatMap((contenderId) => selfReferenceOf(utterances, contenderId)),
  }
}

function suspectOf({ id, reference, hypotheses }: AuditedUtterance, profile: Profile): SuspectReference[] {
  const answers = [...hypotheses.values()].filter((text) => text !== null)
  const texts = new Set(answers.map((text) => normalise(text, profile)))
  const [agreedText] = texts
  if (answers.length < 2 || texts.size !== 1 || agreedText === undefined) return []
  const words = (text: string): string[] => tokeniseWords(text, profile.words)
  const errors = errorCount(countErrors(words(normalise(reference, profile)), words(agreedText)))
  return errors === 0 ? [] : [{ id, reference, agreedText, contenderCount: answers.length, errors }]
}

function selfReferenceOf(utterances: readonly AuditedUtterance[], contenderId: string): SelfReference[] {
  const compared = utterances.flatMap(({ reference, hypotheses }) => {
    const text = hypotheses.get(contenderId) ?? null
    if (text === null || tokeniseWords(reference).length < tellingLength) return []
    return [text.trim() === reference.trim()]
  })
  const identicalCount = compared.filter((isIdentical) => isIdentical).length
  const isTelling = compared.length >= tellingCount && identicalCount >= tellingShare * compared.length
  return isTelling ? [{ contenderId, identicalCount, comparedCount: compared.length }] : []
}
