import { resumeCommand } from '../next-commands.ts'
import type { RunFinding } from '../run-facts.ts'

export const runInterrupted = {
  code: 'RUN_INTERRUPTED',
  severity: 'warning',
  meaning:
    'The run was ended by its user. What was answered until then is scored; the rest counts as not sent.',
  detect: ({ material: { record } }) => {
    if (record.status !== 'interrupted') return []
    const message = 'the run was interrupted; its figures cover a part of the plan'
    return [{ message, advice: `go on with it: ${resumeCommand(record)}` }]
  },
} satisfies RunFinding
