import type { RunFinding } from '../run-facts.ts'

export const onBattery = {
  code: 'ON_BATTERY',
  severity: 'warning',
  meaning:
    'The machine ran on its battery when the run began. Laptops slow their processors then, and by how much changes with ' +
    'the charge. Read on Linux only; elsewhere nothing is said.',
  detect: ({ material: { record } }) => {
    if (record.host.power !== 'battery') return []
    const message = 'the machine ran on its battery: processors may have been slowed down'
    return [{ message, advice: 'plug it in and measure again' }]
  },
} satisfies RunFinding
