import { hostName } from '#session/merge'
import { cliErrors } from '../errors.ts'

/**
 * Checks the name of a host or a fleet.
 *
 * @throws BenchError COMMAND_LINE_INVALID
 */
export function hostNameOf(text: string): string {
  if (hostName.test(text)) return text
  throw cliErrors.make('COMMAND_LINE_INVALID', {
    message: `"${text}" is no name of a host or a fleet`,
    hint: 'a name has letters, digits, dots, dashes and underscores, such as gpu1',
  })
}
