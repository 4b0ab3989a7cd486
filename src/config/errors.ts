import { defineErrors, type ErrorTable, type Problem } from '#prelude'

export const configErrors: ErrorTable<'CONFIG_INVALID'> = defineErrors({ CONFIG_INVALID: 'badInput' })

/**
 * @param place the file, or another origin of the values
 * @param hint advice, with the command that helps
 * @throws BenchError CONFIG_INVALID with all problems, if there are any
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
