import { cliErrors } from './errors.ts'

/** Options that have another name now, some with another meaning: they are not read as the new one. */
const formerOptions: ReadonlyMap<string, { readonly now: string; readonly hint: string }> = new Map([
  [
    '--fail-if',
    {
      now: '--threshold',
      hint: "write what must hold, and not what must not: --threshold 'wer <= 8%' for --fail-if 'wer > 8%'",
    },
  ],
  ['--speakers', { now: '--users', hint: 'write --users 20 for --speakers 20' }],
  ['--user-pause', { now: '--pause', hint: 'write --pause 20s for --user-pause 20s' }],
])

/** @throws BenchError COMMAND_LINE_INVALID for an option by its former name */
export function refuseFormerOptions(typed: readonly string[]): void {
  const options = typed.includes('--') ? typed.slice(0, typed.indexOf('--')) : typed
  for (const option of options) {
    const [name = ''] = option.split('=')
    const former = formerOptions.get(name)
    if (former === undefined) continue
    throw cliErrors.make('COMMAND_LINE_INVALID', {
      message: `${name} is ${former.now} now`,
      hint: former.hint,
    })
  }
}
