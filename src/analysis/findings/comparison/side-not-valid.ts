import type { ComparedRun, ComparisonFinding } from '../comparison-facts.ts'
import type { Observation } from '../finding-definition.ts'

export const sideNotValid = {
  code: 'SIDE_NOT_VALID',
  severity: 'invalid',
  meaning:
    'One of the runs compared is not valid by itself, for the reasons that it gives. Its speeds are not compared: of as many ' +
    'runs on both sides, the run that it is paired with is excluded from speeds as well.',
  detect: ({ base, run }) => [...invalidRuns('base', base), ...invalidRuns('run', run)],
} satisfies ComparisonFinding

function invalidRuns(name: 'base' | 'run', side: readonly ComparedRun[]): readonly Observation[] {
  return side.flatMap(({ rated }) => {
    const reasons = rated.findings.filter(({ severity }) => severity === 'invalid')
    if (reasons.length === 0) return []
    const which = side.length === 1 ? `the ${name} run` : `${rated.run.id}, a ${name} run,`
    const what = reasons.map(({ message }) => message).join('; ')
    return [{ message: `${which} is not valid by itself: ${what}` }]
  })
}
