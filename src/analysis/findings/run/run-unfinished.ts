import { resumeCommand } from '../next-commands.ts'
import type { RunFinding } from '../run-facts.ts'

export const runUnfinished = {
  code: 'RUN_UNFINISHED',
  severity: 'warning',
  meaning:
    'The run never recorded its own ending: it was killed, or it is still going on. Completed attempts are kept ' +
    'and scored; what the plan holds beyond them counts as not sent.',
  detect: ({ material: { record } }) => {
    if (record.status !== 'started') return []
    const message = 'the run has not recorded its ending: it was killed, or is still going on'
    return [{ message, advice: `where it was killed, go on with it: ${resumeCommand(record)}` }]
  },
} satisfies RunFinding
