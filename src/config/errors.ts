import { defineErrors, type ErrorTable, type Problem } from '#prelude'

/** What can be wrong with a config, wherever its values come from. */
export const configErrors: ErrorTable<'CONFIG_INVALID'> = defineErrors({ CONFIG_INVALID: 'badInput' })

/**
 * @param place the file, or what else the values came from
 * @param hint what to do, with the command that helps
 * @throws BenchError CONFIG_INVALID where there is a problem, with all of them
 */
export function refuseConfig(
  problems: readonly Problem[],
  place = 'the config',
  hint = 'see what each flag takes: transcribench run --help',
): void {
  if (problems.length === 0) return
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  const message = `${place} cannot be used: ${count}; nothing was run`
  throw configErrors.make('CONFIG_INVALID', { message, hint, problems })
}
