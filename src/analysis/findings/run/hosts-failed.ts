import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

export const hostsFailed = {
  code: 'HOSTS_FAILED',
  severity: 'warning',
  meaning:
    'Hosts of a fleet did not measure blocks that they had taken: their target was not ready, they did not accept the job, or they ' +
    'fell silent. Others measured these blocks, so that nothing is missing from the accuracy. The fleet was smaller than it was meant to be, and ' +
    'the time until others took over is in no speed of a single host. run.json lists every block under hostFaults.',
  detect: ({ material: { record } }) =>
    [...Map.groupBy(record.hostFaults ?? [], ({ host }) => host)].map(([host, faults]) => {
      const failed = faults.filter(({ kind }) => kind === 'failed')
      const silent = faults.filter(({ kind }) => kind === 'silent')
      const said = failed.at(-1)?.reason ?? null
      const what = [
        ...(failed.length === 0 ? [] : [`could not measure ${counted(failed.length, 'block')}`]),
        ...(silent.length === 0
          ? []
          : [`fell silent while it measured part ${silent.map(({ part }) => part).join(', ')}`]),
      ]
      return {
        message: `host ${host} ${what.join(', and ')}; other hosts did it${said === null ? '' : `: ${said}`}`,
        advice: 'the speed of all hosts together is that of the fleet without it, waiting included',
      }
    }),
} satisfies RunFinding
