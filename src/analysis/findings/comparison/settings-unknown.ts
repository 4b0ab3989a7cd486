import type { ComparedRun, ComparisonFinding } from '../comparison-facts.ts'

export const settingsUnknown = {
  code: 'SETTINGS_UNKNOWN',
  severity: 'note',
  meaning:
    'The service under test was started by another program and does not report how many threads, which quantisation or how ' +
    'many transcriptions at once. Check that it was started with the same settings on both sides. transcribench’s own ' +
    'service reports it in GET /health (service_settings), and a difference is then found.',
  detect: ({ base, run }) => {
    const sides = [
      ...(base.some(areSettingsUnknown) ? ['the base'] : []),
      ...(run.some(areSettingsUnknown) ? ['the run'] : []),
    ].join(' and ')
    if (sides === '') return []
    return [
      {
        message: `threads, quantisation and concurrency of the service are not known in ${sides}: it does not report them`,
      },
    ]
  },
} satisfies ComparisonFinding

/** Whether a run's service is not ours to start and does not say how it was started: equal or not is unknown. */
function areSettingsUnknown({ record: { target } }: ComparedRun): boolean {
  return target.kind !== 'embedded' && target.health?.service_settings === undefined
}
