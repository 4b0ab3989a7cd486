import type { HeardUtterance } from './hear.ts'

/** A finding about an utterance or the corpus, for the user to check. */
export interface LintFinding {
  readonly check: string
  /** Null for a finding about the corpus. */
  readonly utteranceId: string | null
  /** The finding, with the measured value. */
  readonly what: string
  readonly suggestion: string
}

export interface LintMaterial {
  readonly heard: readonly HeardUtterance[]
  /** Another corpus that must not share utterances with this one. */
  readonly other: { readonly name: string; readonly heard: readonly HeardUtterance[] } | null
}

/** Findings of a check without its name. */
export type UnnamedFindings = readonly Omit<LintFinding, 'check'>[]

/** A check for one kind of fault; it changes nothing. */
export interface LintCheck {
  readonly name: string
  /** When the check reports, with its limits. */
  readonly meaning: string
  find(material: LintMaterial): UnnamedFindings | Promise<UnnamedFindings>
}

/** Makes a check that considers each utterance separately. */
export function onEach(
  look: (heard: HeardUtterance) => Omit<LintFinding, 'check' | 'utteranceId'> | null,
): (material: LintMaterial) => UnnamedFindings {
  return ({ heard }) =>
    heard.flatMap((each) => {
      const found = look(each)
      return found === null ? [] : [{ utteranceId: each.utterance.id, ...found }]
    })
}
