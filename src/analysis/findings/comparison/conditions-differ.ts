import type { ComparisonFinding } from '../comparison-facts.ts'

/** Of the conditions that a comparison shows, those that a speed depends on. */
const ofSpeed: readonly string[] = ['load', 'machine', 'target']

export const conditionsDiffer = {
  code: 'CONDITIONS_DIFFER',
  severity: 'warning',
  meaning:
    'The two runs differ in more than the contender: another machine, load or service version. Accuracy can still ' +
    'be compared; speed figures then compare the conditions as well.',
  detect: ({ conditions, withheld }) => {
    const differing = conditions.filter(
      ({ key, base, run }) => (base !== run || base.includes(' or ')) && ofSpeed.includes(key),
    )
    if (differing.length === 0) return []
    const effect = withheld === null ? 'speed figures also compare conditions' : 'speeds get no verdict'
    const which = differing.map(({ key, base, run }) => `${key} ${base} → ${run}`).join('; ')
    return [{ message: `${effect}: ${which}` }]
  },
} satisfies ComparisonFinding
