import { countErrors } from '../alignment/align.ts'
import { errorCount } from '../counts.ts'
import { normalise, type Profile } from '../profiles/profile.ts'
import type { SelfReference, SuspectReference } from '../shapes.ts'
import { tokeniseWords } from '../tokens.ts'

/** One reference with what every contender made of it. */
export interface AuditedUtterance {
  readonly id: string
  readonly reference: string
  /** Text by contender; null where it did not answer. */
  readonly hypotheses: Readonly<Record<string, string | null>>
}

export interface ReferenceAudit {
  /** The most errors first. */
  readonly suspects: readonly SuspectReference[]
  readonly selfReferences: readonly SelfReference[]
}

/** Below so many words even good engines are right letter for letter. */
const tellingLength = 5
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
  const contenders = [...new Set(utterances.flatMap(({ hypotheses }) => Object.keys(hypotheses)))]
  return {
    suspects: suspects.toSorted((a, b) => b.errors - a.errors),
    selfReferences: contenders.flatMap((contenderId) => selfReferenceOf(utterances, contenderId)),
  }
}

function suspectOf({ id, reference, hypotheses }: AuditedUtterance, profile: Profile): SuspectReference[] {
  const answers = Object.values(hypotheses).filter((text) => text !== null)
  const texts = new Set(answers.map((text) => normalise(text, profile)))
  const [agreedText] = texts
  if (answers.length < 2 || texts.size !== 1 || agreedText === undefined) return []
  const words = (text: string): string[] => tokeniseWords(text, profile.words)
  const errors = errorCount(countErrors(words(normalise(reference, profile)), words(agreedText)))
  return errors === 0 ? [] : [{ id, reference, agreedText, contenderCount: answers.length, errors }]
}

function selfReferenceOf(utterances: readonly AuditedUtterance[], contenderId: string): SelfReference[] {
  const compared = utterances.flatMap(({ reference, hypotheses }) => {
    const text = hypotheses[contenderId] ?? null
    if (text === null || tokeniseWords(reference).length < tellingLength) return []
    return [text.trim() === reference.trim()]
  })
  const identicalCount = compared.filter((isIdentical) => isIdentical).length
  const isTelling = compared.length >= tellingCount && identicalCount >= tellingShare * compared.length
  return isTelling ? [{ contenderId, identicalCount, comparedCount: compared.length }] : []
}
