import { nearest, withoutCredentials } from '#prelude'
import {
  findProvider,
  type OptionValue,
  type OptionValues,
  optionExpects,
  type ProviderOption,
  readOptionValue,
  sentByDefault,
} from '#providers'
import { isModelServer } from './contender-targets.ts'
import type { ContenderFile } from './files/contender-file.ts'

/** Something wrong with an option of a contender. */
interface OptionFault {
  readonly option: string
  /** Whether the target has such an option, so that its value is wrong. */
  readonly isKnown: boolean
  readonly what: string
  readonly advice: string
}

/** The options of a provider; null for any other target. */
function optionsOf(target: string): readonly ProviderOption[] | null {
  return findProvider(target.trim())?.options ?? null
}

/** Fields of a request to a transcription server that are set elsewhere. */
const ownFields: Readonly<Record<string, string>> = {
  model: 'the contender names its model',
  language: 'the contender has a "language"',
  file: 'that is the recording',
}

const answerFormats = ['json', 'verbose_json', 'text']

/** A server of one's own takes what it takes: whatever it is, it is sent as given. */
function serverFaults(options: OptionValues, target: string): readonly OptionFault[] {
  return Object.entries(options).flatMap(([option, given]): OptionFault[] => {
    const own = ownFields[option]
    if (own !== undefined) {
      return [{ option, isKnown: false, what: `${option} is no option of ${target}`, advice: own }]
    }
    if (!/^[\w.[\]-]{1,100}$/.test(option)) {
      const advice = 'a name has letters, digits, and _ . - [ ]'
      return [{ option, isKnown: false, what: `"${option}" is not the name of an option`, advice }]
    }
    if (option !== 'response_format' || answerFormats.includes(String(given))) return []
    const what = `response_format of ${target} must be ${answerFormats.join(', ')}, not ${JSON.stringify(given)}`
    return [{ option, isKnown: true, what, advice: 'subtitles are no transcripts' }]
  })
}

/** `true` and `0.2` for what a command line has as text, where it is sent with the same characters. */
function plainValue(given: OptionValue): OptionValue {
  if (given === 'true' || given === 'false') return given === 'true'
  return typeof given === 'string' && String(Number(given)) === given && Number.isFinite(Number(given))
    ? Number(given)
    : given
}

/**
 * Everything that is wrong with the options of a contender.
 *
 * @param model null where it is not known
 */
export function optionFaults(
  options: OptionValues,
  { target, model }: { readonly target: string; readonly model: string | null },
): readonly OptionFault[] {
  const known = optionsOf(target)
  const shown = withoutCredentials(target)
  if (known === null && isModelServer(target)) return serverFaults(options, shown)
  return Object.entries(options).flatMap(([name, given]): OptionFault[] => {
    if (known === null) return [{ option: name, isKnown: false, ...noOptions(name, shown) }]
    const option = known.find((one) => one.name === name)
    if (option === undefined) return [{ option: name, isKnown: false, ...unknownOption(name, shown, known) }]
    if (model !== null && option.refusedBy?.test(model) === true) {
      const advice = `leave it out, or name another model: ${option.meaning} (${option.source})`
      return [{ option: name, isKnown: true, what: `${model} of ${shown} does not take ${name}`, advice }]
    }
    if (readOptionValue(option, given) !== null) return []
    const what = `${name} of ${shown} must be ${optionExpects(option)}, not ${JSON.stringify(given)}`
    return [{ option: name, isKnown: true, what, advice: `${option.meaning} (${option.source})` }]
  })
}

/** Options that are sent to a provider although a contender does not set them: they change what is measured. */
export function defaultOptionsOf({ options = {}, target }: ContenderFile, common: string): OptionValues {
  const provider = findProvider((target ?? common).trim())
  const sent = Object.entries(provider === null ? {} : sentByDefault(provider))
  return Object.fromEntries(sent.filter(([name]) => options[name] === undefined))
}

function noOptions(name: string, target: string): Pick<OptionFault, 'what' | 'advice'> {
  return {
    what: `the option ${name} means nothing to ${target}`,
    advice: 'options are for providers and transcription servers; fields of a Mode belong in "settings"',
  }
}

function unknownOption(
  name: string,
  target: string,
  known: readonly ProviderOption[],
): Pick<OptionFault, 'what' | 'advice'> {
  const names = known.map((option) => option.name)
  const meant = nearest(name, names)
  return {
    what: `${target} has no option "${name}"`,
    advice: meant === null ? `its options: ${names.join(', ')}` : `did you mean "${meant}"?`,
  }
}

/** Contenders with the values of their options as the API takes them: `true` for the text "true" of a command line. */
export function withReadOptions(
  contenders: readonly ContenderFile[],
  common: string,
): readonly ContenderFile[] {
  return contenders.map((contender) => {
    const { options, target = common } = contender
    if (options === undefined) return contender
    const known = optionsOf(target)
    if (known === null) {
      const plain = Object.entries(options).map(([name, given]) => [name, plainValue(given)] as const)
      return { ...contender, options: Object.fromEntries(plain) }
    }
    const read = Object.entries(options).flatMap(([name, given]) => {
      const option = known.find((one) => one.name === name)
      const value = option === undefined ? null : readOptionValue(option, given)
      return value === null ? [] : [[name, value] as const]
    })
    return { ...contender, options: Object.fromEntries(read) }
  })
}
