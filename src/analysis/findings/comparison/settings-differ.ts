import type { ComparisonFinding } from '../comparison-facts.ts'
import { named } from '../wording.ts'

export const settingsDiffer = {
  code: 'SETTINGS_DIFFER',
  severity: 'warning',
  meaning:
    'The two sides were measured with different settings that are in no table, such as threads, a quantisation or ' +
    'a transport. If they are what is compared, all is well; if not, the difference may be theirs.',
  detect: ({ hiddenSettings }) =>
    hiddenSettings.length === 0
      ? []
      : [
          {
            message: `also different: ${named(hiddenSettings.map(({ key, base, run }) => `${key} ${base} → ${run}`))}`,
          },
        ],
} satisfies ComparisonFinding
