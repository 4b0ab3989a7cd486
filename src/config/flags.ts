import { configKeys, defaults } from './config-file.ts'
import { readContender } from './contenders.ts'
import type { Flag, Group, Setting, Words } from './settings.ts'
import { readYaml } from './yaml-source.ts'

/** A flag of the command line, ready to be made an option of a command. */
export interface FlagRow {
  /** The setting that it sets: `load.concurrency`. */
  readonly keyPath: string
  /** As commander takes it: `--concurrency <count>`. */
  readonly syntax: string
  /** The name under which commander keeps the value, and `resolveConfig` looks for it: `concurrency`. */
  readonly attribute: string
  readonly description: string
  /** The default as a person would write it; null where there is none to write. */
  readonly standard: string | null
  /** Whether it may be repeated on the line, each adding a value: its values are to be collected. */
  readonly isRepeatable: boolean
  /** Environment variable that does the same. */
  readonly environment: string
  /** How the file ends that it names, and that may be standard input; null for what names none. */
  readonly fileEnding: NonNullable<Flag['fileEnding']> | null
}

/** Every flag that sets something in a config, in the order of importance. */
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

/** `--skip-unready` is kept as `skipUnready`. */
export function nameAttribute({ syntax }: Flag): string {
  const [, name = ''] = /^--([a-z-]+)/.exec(syntax) ?? []
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * The environment variable of a setting: `--max-billed-minutes` is `TRANSCRIBENCH_MAX_BILLED_MINUTES`. A setting without a flag has
 * the name of its key: `retries.backOff` is `TRANSCRIBENCH_RETRIES_BACK_OFF`.
 */
export function nameVariable(keyPath: string, { flag }: Pick<Setting, 'flag'>): string {
  const [, name] = /^--([a-z-]+)/.exec(flag?.syntax ?? '') ?? []
  const words = name ?? keyPath.replaceAll(/[A-Z]/g, (letter) => `-${letter}`)
  return `TRANSCRIBENCH_${words.toUpperCase().replaceAll(/[-.]/g, '_')}`
}

/** The value that an environment variable holds: as the flag reads it, or as a config file would. */
export function readVariable({ flag }: Pick<Setting, 'flag'>, text: string): unknown {
  return flag === null ? readYaml(text, '').value : readFlag(flag, text)
}

/**
 * Turns the text of a flag or of an environment variable into the value a file would hold. What is not of the
 * right form is left as it is, for the check of the values to name.
 */
export function readFlag(flag: Flag, given: string | boolean | readonly string[]): unknown {
  const texts = Array.isArray(given) ? (given as readonly string[]) : [String(given)]
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

/** Every setting by its key path, as `load.concurrency`, in the order of the table. */
export const settings: ReadonlyMap<string, Setting> = new Map(
  Object.entries<Setting | Group>(configKeys).flatMap(([key, entry]) =>
    'purpose' in entry
      ? Object.entries(entry.keys).map(([inner, setting]) => [`${key}.${inner}`, setting] as const)
      : [[key, entry] as const],
  ),
)

const root: Words = {
  expects: 'an object of settings',
  description: 'such as  rounds: 8',
  keys: configKeys,
}

/** What may be at `path`, or null for a path that the table does not have. */
export function knownKey(path: readonly PropertyKey[]): Words | null {
  const found = path.reduce<Words | undefined>(
    (words, key) => (typeof key === 'number' ? words?.each : words?.keys?.[String(key)]),
    root,
  )
  return found ?? null
}
