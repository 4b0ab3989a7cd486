import { type Finding, type FindingSeverity, findingSeverities } from '../documents/finding.ts'

/** One kind of finding with its detection. `src/cli/meanings.yaml` has its meaning. */
export interface FindingDetector<Facts, Code extends Uppercase<string> = Uppercase<string>> {
  readonly code: Code
  readonly severity: FindingSeverity
  /** Returns all occurrences in display order, or a single one; empty where there is none. */
  readonly detect: (facts: Facts) => Observed
}

/** The result of a detector: a finding without its code and severity. */
export interface Observation {
  /** Sentence with the numbers that were found. */
  readonly message: string
  /** Recommended action, preferably a command; null or absent where there is none. */
  readonly advice?: string | null
  readonly utteranceIds?: readonly string[]
}

export type Observed = readonly Observation[] | Observation

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

export function gravestFirst<One extends Pick<Finding, 'severity'>>(
  findings: readonly One[],
): readonly One[] {
  const weight = ({ severity }: Pick<Finding, 'severity'>): number => findingSeverities.indexOf(severity)
  return findings.toSorted((a, b) => weight(a) - weight(b))
}
