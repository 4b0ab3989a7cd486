import { InvalidArgumentError } from 'commander'
import { type Margins, parseMargins } from '#analysis/figures/speed/margins'
import { parseDuration } from '#load/loads/keys'
import { cliErrors } from './errors.ts'
import { readOption, type TypedOption } from './typed-options.ts'

/** Reads a margin: `0.5pp` for both error rates, `wer=0.1pp`, `speed=3%`; repeatable. */
export function parseMargin(text: string, previous: Partial<Margins> | undefined): Partial<Margins> {
  const margins = parseMargins([text])
  if (margins === null) {
    throw new InvalidArgumentError('Write 0.5pp, wer=0.5pp or cer=0.5pp, and speed=5%.')
  }
  return { ...previous, ...margins }
}

/** Reads a share in percent, above 0 and up to 100: `2%` is 0.02. */
export function parseShare(text: string): number {
  const percent = Number(/^(\d+(?:\.\d+)?) ?%$/.exec(text.trim())?.[1])
  if (percent > 0 && percent <= 100) return percent / 100
  throw new InvalidArgumentError('A share above 0% and up to 100% is needed, such as 5%.')
}

/** Reads a duration in seconds: `500ms`, `90s`, `20min`, `2h`. */
export function parseSeconds(text: string): number {
  const seconds = parseDuration(text)
  if (seconds !== null) return seconds
  throw new InvalidArgumentError('A length of time is needed, such as 90s, 20min or 2h.')
}

/** Reads a duration in seconds, where `0s` or `0` is 0. */
export function parseDurationOrNone(text: string): number {
  const [zero] = /^0(?:\.0+)?(?![\d.])/.exec(text.trim()) ?? []
  if (zero === undefined) return parseSeconds(text)
  const unit = text.trim().slice(zero.length)
  if (unit !== '') parseSeconds(`1${unit}`)
  return 0
}

/** Option of commands that make many runs. */
export function coolDownOption(): TypedOption<'coolDown', number> {
  return readOption(
    '--cool-down <duration>',
    'quiet time before every run; 0s for none',
    parseDurationOrNone,
    1,
    '1s',
  )
}

/** Reads `base=run`, two contenders of different names; repeatable. */
export function contenderPair(
  text: string,
  previous: readonly { readonly base: string; readonly run: string }[] | undefined,
): { readonly base: string; readonly run: string }[] {
  const [base = '', run = '', ...rest] = text.split('=')
  if (base === '' || run === '' || rest.length > 0) {
    throw new InvalidArgumentError('Write <contender of the base>=<contender of the run>.')
  }
  return [...(previous ?? []), { base, run }]
}

/** A host name has the characters of a file name; `@` separates it from the contender. */
const hostName = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u

/**
 * Checks the name of a host or a fleet.
 *
 * @throws BenchError COMMAND_LINE_INVALID
 */
export function parseHostName(text: string): string {
  if (hostName.test(text)) return text
  throw cliErrors.make('COMMAND_LINE_INVALID', {
    message: `"${text}" is no name of a host or a fleet`,
    hint: 'a name has letters, digits, dots, dashes and underscores, such as gpu1',
  })
}
