import { doctorCommand } from '../next-commands.ts'
import type { RunFinding } from '../run-facts.ts'

export const contendersSkipped = {
  code: 'CONTENDERS_SKIPPED',
  severity: 'warning',
  meaning:
    'Contenders that the config names were skipped by --skip-unready, because the target did not have them. The run ' +
    'says nothing of them; run.json keeps their names and the reason.',
  detect: ({ material: { record } }) => {
    if (record.skipped.length === 0) return []
    const who = record.skipped.map(({ id, reason }) => `${id} (${reason})`).join(', ')
    const advice = `see what the target has: ${doctorCommand(record)}`
    return [{ message: `skipped by --skip-unready: ${who}`, advice }]
  },
} satisfies RunFinding
