import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

export const blocksRepeated = {
  code: 'BLOCKS_REPEATED',
  severity: 'note',
  meaning:
    'A block of a fleet is measured again where its agent fell silent: it was killed, or its network was cut. The copy that was ' +
    'complete first counts. The others are listed in run.json, and none of their requests is in the journal.',
  detect: ({ material: { record } }) => {
    const repeated = (record.hosts ?? []).flatMap(({ name, further = [] }) =>
      further.map(({ part }) => `part ${part} on ${name}`),
    )
    if (repeated.length === 0) return []
    const shown = repeated.slice(0, 5).join(', ')
    return [
      {
        message: `${counted(repeated.length, 'block')} of the fleet ${repeated.length === 1 ? 'was' : 'were'} measured once more and ${repeated.length === 1 ? 'does' : 'do'} not count: ${shown}${repeated.length > 5 ? ', …' : ''}`,
        advice: null,
      },
    ]
  },
} satisfies RunFinding
