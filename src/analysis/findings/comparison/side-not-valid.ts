import type { FindingSeverity } from '../../documents/finding.ts'
import type { ComparedRun, ComparisonFacts, ComparisonFinding } from '../comparison-facts.ts'
import type { Observation } from '../finding-definition.ts'

export const sideNotValid = {
  code: 'SIDE_NOT_VALID',
  severity: 'invalid',
  meaning:
    'One of the runs compared is not valid by itself, for the reasons that it gives. Its speeds are not compared: of as many ' +
    'runs on both sides, the run that it is paired with is excluded from speeds as well.',
  detect: (facts) => runsWith('invalid', 'is not valid by itself', facts),
} satisfies ComparisonFinding

export const sideDecisive = {
  code: 'SIDE_DECISIVE',
  severity: 'decisive',
  meaning:
    'One of the runs compared has a finding that changes what its figures mean, such as answers to other recordings: a difference ' +
    'may come from that alone.',
  detect: (facts) => runsWith('decisive', 'does not show the engine alone', facts),
} satisfies ComparisonFinding

/** The runs that have findings of a severity, with these. */
function runsWith(severity: FindingSeverity, what: string, { base, run }: ComparisonFacts): Observation[] {
  const ofSide = (name: 'base' | 'run', side: readonly ComparedRun[]): Observation[] =>
    side.flatMap(({ rated }) => {
      const reasons = rated.findings.filter((finding) => finding.severity === severity)
      if (reasons.length === 0) return []
      const which = side.length === 1 ? `the ${name} run` : `${rated.run.id}, a ${name} run,`
      return [{ message: `${which} ${what}: ${reasons.map(({ message }) => message).join('; ')}` }]
    })
  return [...ofSide('base', base), ...ofSide('run', run)]
}
