import { nearest, withoutCredentials } from '#prelude'
import {
  findProvider,
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

/** The options of a target; null for one that takes none. A server of the OpenAI protocol has those that OpenAI documents. */
function optionsOf(target: string): readonly ProviderOption[] | null {
  if (!isModelServer(target)) return null
  return (findProvider(target.trim()) ?? findProvider('openai'))?.options ?? []
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
  const isProvider = findProvider(target.trim()) !== null
  const shown = withoutCredentials(target)
  return Object.entries(options).flatMap(([name, given]): OptionFault[] => {
    if (known === null) return [{ option: name, isKnown: false, ...noOptions(name, shown) }]
    const option = known.find((one) => one.name === name)
    if (option === undefined) return [{ option: name, isKnown: false, ...unknownOption(name, shown, known) }]
    // Models of a server of one's own have other names.
    if (isProvider && model !== null && option.refusedBy?.test(model) === true) {
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
    const known = optionsOf(target) ?? []
    const read = Object.entries(options).flatMap(([name, given]) => {
      const option = known.find((one) => one.name === name)
      const value = option === undefined ? null : readOptionValue(option, given)
      return value === null ? [] : [[name, value] as const]
    })
    return { ...contender, options: Object.fromEntries(read) }
  })
}
