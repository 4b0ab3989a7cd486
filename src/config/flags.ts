import { configKeys, defaults } from './config-file.ts'
import { readContender } from './contenders.ts'
import type { Flag, Group, Setting, Words } from './settings.ts'
import { readYaml } from './yaml-source.ts'

/** A flag of the command line, ready to become an option of a command. */
export interface FlagRow {
  /** Key path of its setting: `load.concurrency`. */
  readonly keyPath: string
  /** Syntax for commander: `--concurrency <count>`. */
  readonly syntax: string
  /** Name of the value in commander's options, which `resolveConfig` reads: `concurrency`. */
  readonly attribute: string
  readonly description: string
  /** The default in words; null if there is none to show. */
  readonly standard: string | null
  /** Whether the flag may be repeated, each adding a value. */
  readonly isRepeatable: boolean
  /** Environment variable for the same setting. */
  readonly environment: string
  /** Extension of the file that it names, which may be standard input; null if it names none. */
  readonly fileEnding: NonNullable<Flag['fileEnding']> | null
}

/** All flags of config settings, in the order of importance. */
export function listFlags(): readonly FlagRow[] {
  return [...settings].flatMap(([keyPath, setting]) => {
    const { flag, description } = setting
    if (flag === null) return []
    const row: FlagRow = {
      keyPath,
      syntax: flag.syntax,
      attribute: nameAttribute(flag),
      description,
      standard: standardText(keyPath, setting),
      isRepeatable: ['list', 'repeated', 'contenders'].includes(flag.reads),
      environment: nameVariable(keyPath, setting),
      fileEnding: flag.fileEnding ?? null,
    }
    return [row]
  })
}

/** The attribute of a flag in commander: `skipUnready` for `--skip-unready`. */
export function nameAttribute({ syntax }: Flag): string {
  const [, name = ''] = /^--([a-z-]+)/.exec(syntax) ?? []
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * The environment variable of a setting: `--max-billed-minutes` is `TRANSCRIBENCH_MAX_BILLED_MINUTES`. A setting
 * without a flag has the name of its key: `retries.backOff` is `TRANSCRIBENCH_RETRIES_BACK_OFF`.
 */
export function nameVariable(keyPath: string, { flag }: Pick<Setting, 'flag'>): string {
  const [, name] = /^--([a-z-]+)/.exec(flag?.syntax ?? '') ?? []
  const words = name ?? keyPath.replaceAll(/[A-Z]/g, (letter) => `-${letter}`)
  return `TRANSCRIBENCH_${words.toUpperCase().replaceAll(/[-.]/g, '_')}`
}

/**
 * The value of an environment variable, parsed like the flag, or like a config file if there is none. A variable cannot
 * be repeated as a flag can, so several values are a list as in a config.
 */
export function readVariable({ flag }: Pick<Setting, 'flag'>, text: string): unknown {
  if (flag === null) return readYaml(text, '').value
  const isRepeatable = flag.reads === 'repeated' || flag.reads === 'contenders'
  // An IPv6 address begins with a bracket too, but a contender does not end with one.
  const list = isRepeatable && /^\s*\[.*\]\s*$/s.test(text) ? readYaml(text, '').value : null
  const isList = Array.isArray(list) && list.every((each) => typeof each === 'string')
  return readFlag(flag, isList ? list : text)
}

/**
 * Converts the text of a flag or environment variable to the value in a file. A malformed text is returned unchanged,
 * so that the check of the values reports it.
 */
export function readFlag(flag: Flag, value: string | boolean | readonly string[]): unknown {
  const texts = Array.isArray(value) ? (value as readonly string[]) : [String(value)]
  const [first = ''] = texts
  switch (flag.reads) {
    case 'text':
      return first
    case 'textOrAuto':
      return first === 'true' ? 'auto' : first
    case 'number':
      return /^[+-]?\d+(\.\d+)?$/.test(first.trim()) ? Number(first) : first
    case 'switch':
      return first === 'true' ? true : first === 'false' ? false : first
    case 'list':
      return texts.flatMap((text) => text.split(',').map((part) => part.trim())).filter((part) => part !== '')
    case 'repeated':
      return texts
    case 'contenders':
      return texts.map(readContender)
  }
}

function standardText(keyPath: string, { standard }: Setting): string | null {
  if (keyPath === 'contenders')
    return defaults.contenders.map(({ engine, model }) => `${engine}:${model}`).join(' and ')
  const isEmpty = standard === undefined || standard === false
  return isEmpty || (Array.isArray(standard) && standard.length === 0) ? null : String(standard)
}

/** Every setting by its key path, such as `load.concurrency`, in the order of the table. */
export const settings: ReadonlyMap<string, Setting> = new Map(
  Object.entries<Setting | Group>(configKeys).flatMap(([key, entry]) =>
    'purpose' in entry
      ? Object.entries(entry.keys).map(([inner, setting]) => [`${key}.${inner}`, setting] as const)
      : [[key, entry] as const],
  ),
)

const root: Words = {
  expects: 'an object of settings',
  description: 'such as rounds: 8',
  keys: configKeys,
}

/** The description of the key or value at `path`, or null if the table does not have it. */
export function knownKey(path: readonly PropertyKey[]): Words | null {
  const found = path.reduce<Words | undefined>(
    (words, key) => (typeof key === 'number' ? words?.each : words?.keys?.[String(key)]),
    root,
  )
  return found ?? null
}
