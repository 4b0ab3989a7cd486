import type { ComparedRun, ComparisonFinding } from '../comparison-facts.ts'

export const settingsUnknown = {
  code: 'SETTINGS_UNKNOWN',
  severity: 'note',
  meaning:
    'The service under test was started by somebody else and does not say with how many threads, which quantisation or how ' +
    'many transcriptions at once. Whether the two sides were alike in that is for whoever started it to say. transcribench’s own ' +
    'service tells it in GET /health (service_settings), and a difference is then found.',
  detect: ({ base, run }) => {
    const sides = [
      ...(base.some(areSettingsUnknown) ? ['the base'] : []),
      ...(run.some(areSettingsUnknown) ? ['the run'] : []),
    ].join(' and ')
    if (sides === '') return []
    return [
      {
        message: `threads, quantisation and places of the service are not known in ${sides}: it does not tell them`,
      },
    ]
  },
} satisfies ComparisonFinding

/** Whether a run's service is not ours to start and does not say how it was started: equal or not, nobody knows. */
function areSettingsUnknown({ record: { target } }: ComparedRun): boolean {
  return target.kind !== 'embedded' && target.health?.service_settings === undefined
}
