import type { HeardUtterance } from './hear.ts'

/** Something about an utterance, or about the corpus, that a person should look at. */
export interface LintFinding {
  readonly check: string
  /** Null where it is about the corpus. */
  readonly utteranceId: string | null
  /** What was found, with the figure. */
  readonly what: string
  readonly suggestion: string
}

export interface LintMaterial {
  readonly heard: readonly HeardUtterance[]
  /** Another corpus, whose utterances must not be in this one. */
  readonly other: { readonly name: string; readonly heard: readonly HeardUtterance[] } | null
}

/** What a check found, before its own name is added. */
export type UnnamedFindings = readonly Omit<LintFinding, 'check'>[]

/** One kind of fault that is looked for. It reads, and changes nothing. */
export interface LintCheck {
  readonly name: string
  /** When it reports, with the limits. */
  readonly meaning: string
  find(material: LintMaterial): UnnamedFindings | Promise<UnnamedFindings>
}

/** A check that looks at each utterance for itself. */
export function onEach(
  look: (heard: HeardUtterance) => Omit<LintFinding, 'check' | 'utteranceId'> | null,
): (material: LintMaterial) => UnnamedFindings {
  return ({ heard }) =>
    heard.flatMap((each) => {
      const found = look(each)
      return found === null ? [] : [{ utteranceId: each.utterance.id, ...found }]
    })
}
