import { type Finding, type FindingSeverity, findingSeverities } from '../documents/finding.ts'

/** One kind of finding and how it is detected: all that there is to it but its meaning, which `src/cli/meanings.yaml` has. */
export interface FindingDetector<Facts, Code extends Uppercase<string> = Uppercase<string>> {
  readonly code: Code
  readonly severity: FindingSeverity
  /** Every occurrence in the order in which they are shown, or the only one; empty where there is none. */
  readonly detect: (facts: Facts) => Observed
}

/** What a detector found: a finding without what its definition says. */
export interface Observation {
  /** What was found, in a sentence with its numbers. */
  readonly message: string
  /** What to do, preferably a command; null or absent where nothing can be done. */
  readonly advice?: string | null
  /** Utterances to look at; absent where the finding is of no utterance in particular. */
  readonly utteranceIds?: readonly string[]
}

export type Observed = readonly Observation[] | Observation

/** What defines findings that are read from these facts. */
export function findingOf<Facts>() {
  return <Code extends Uppercase<string>>(
    code: Code,
    severity: FindingSeverity,
    detect: (facts: Facts) => Observed,
  ): FindingDetector<Facts, Code> => ({ code, severity, detect })
}

export function detectFindings<Facts>(
  detectors: readonly FindingDetector<Facts>[],
  facts: Facts,
): readonly Finding[] {
  return detectors.flatMap(({ code, severity, detect }) =>
    [detect(facts)].flat().map(({ message, advice = null, utteranceIds = [] }) => ({
      code,
      severity,
      message,
      advice,
      ...(utteranceIds.length === 0 ? {} : { utteranceIds }),
    })),
  )
}

/** Among equally grave ones the order stays. */
export function gravestFirst<One extends Pick<Finding, 'severity'>>(
  findings: readonly One[],
): readonly One[] {
  const weight = ({ severity }: Pick<Finding, 'severity'>): number => findingSeverities.indexOf(severity)
  return findings.toSorted((a, b) => weight(a) - weight(b))
}
