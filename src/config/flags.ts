import type { LoadKey } from '#load/loads/load-definition'
import { loadKeys } from '#load/loads/registry'
import { defaults, flagTable } from './config-schema.ts'
import { contenderSettings, modeFieldKeys } from './contender-file.ts'
import { readContender } from './contenders.ts'
import { noSpeechKeys, replacementKeys } from './scoring-file.ts'
import type { Description, Flag, Setting } from './settings.ts'
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
  return [...settings].flatMap(([keyPath, { flag, description }]) => {
    if (flag === null) return []
    const row: FlagRow = {
      keyPath,
      syntax: flag.syntax,
      attribute: nameAttribute(flag),
      description,
      standard: standardText(keyPath),
      isRepeatable: ['list', 'repeated', 'contenders'].includes(flag.reads),
      environment: nameVariable(keyPath, { flag }),
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

function standardText(keyPath: string): string | null {
  const [group = '', key] = keyPath.split('.')
  const entry = (defaults as Readonly<Record<string, unknown>>)[group]
  const value = key === undefined ? entry : (entry as Readonly<Record<string, unknown>> | undefined)?.[key]
  if (keyPath === 'contenders')
    return defaults.contenders.map(({ engine, model }) => `${engine}:${model}`).join(' and ')
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return null
  return String(value)
}

/** Every setting by its key path, as `load.concurrency`, in the order of the table. */
export const settings: ReadonlyMap<string, Setting> = new Map(
  Object.entries(flagTable).flatMap(([key, entry]) =>
    isSetting(entry)
      ? [[key, entry] as const]
      : Object.entries(entry).map(([inner, setting]) => [`${key}.${inner}`, setting] as const),
  ),
)

function isSetting(entry: Setting | Readonly<Record<string, Setting>>): entry is Setting {
  return typeof entry['expects'] === 'string'
}

const aText: Description = { expects: 'text of at least one character', description: 'quote a number' }
const aNumber: Description = { expects: 'a whole number, 1 or more', description: '' }
const anObject: Description = { expects: 'an object', description: '' }
const groups: Readonly<Record<string, Description>> = {
  load: { ...anObject, description: 'such as { concurrency: 4 }, { rate: 5/s } or { users: 20 }' },
  matrix: { ...anObject, description: 'such as { threads: [1, 2, 4], concurrency: [1, 2] }' },
  retries: { ...anObject, description: 'such as { codes: [RATE_LIMITED, TIMEOUT] }' },
  scoring: { ...anObject, description: 'such as { profile: english }' },
}

/** Everything that can be in a config, by its pattern: a place in a list is `*`. */
const known: ReadonlyMap<string, Description> = new Map<string, Description>([
  ['', { expects: 'an object of settings', description: 'such as  rounds: 8' }],
  ...Object.keys(flagTable).map((key) => [key, settings.get(key) ?? groups[key] ?? anObject] as const),
  ...settings,
  ['exclude.*', { expects: 'the id of an utterance', description: 'quote an id that looks like a number' }],
  ...Object.entries<LoadKey>(loadKeys).flatMap(([key, { each }]) =>
    each === undefined ? [] : [[`load.${key}.*`, each] as const],
  ),
  [
    'margins.*',
    {
      expects: 'a margin such as "speed=5%" or "wer=0.2pp"',
      description: 'wer and cer in pp, speed in %',
    },
  ],
  ['thresholds.*', { expects: 'a threshold such as "wer <= 8%"', description: 'quote it' }],
  [
    'contenders.*',
    { expects: 'an object', description: 'such as { engine: moonshine, model: moonshine-tiny }' },
  ],
  ...prefixed('contenders.*', contenderSettings),
  ...prefixed('contenders.*.settings', modeFieldKeys),
  [
    'retries.codes.*',
    {
      expects: 'a failure such as RATE_LIMITED, TIMEOUT, HTTP_503 or connectionLost',
      description: 'transcribench explain lists them',
    },
  ],
  ['matrix.model.*', { ...aText, description: 'such as moonshine:moonshine-tiny' }],
  ['matrix.threads.*', aNumber],
  ['matrix.concurrency.*', aNumber],
  ['matrix.transport.*', { expects: '"auto", "path", "base64" or "multipart"', description: '' }],
  ['scoring.fillers.*', aText],
  ['scoring.replacements.*', { expects: 'an object', description: 'such as { from: gonna, to: going to }' }],
  ...prefixed('scoring.replacements.*', replacementKeys),
  ['scoring.equivalences.*', { expects: 'a list of at least two texts', description: 'such as [okay, OK]' }],
  ['scoring.equivalences.*.*', aText],
  ['scoring.vocabulary.*', aText],
  [
    'scoring.noSpeech.*',
    { expects: 'an object', description: 'such as { code: TRANSCRIPTION_FAILED, message: no speech }' },
  ],
  ...prefixed('scoring.noSpeech.*', noSpeechKeys),
])

function prefixed(prefix: string, table: Readonly<Record<string, Description>>): [string, Description][] {
  return Object.entries(table).map(([key, entry]) => [`${prefix}.${key}`, entry])
}

function writePattern(path: readonly PropertyKey[]): string {
  return path.map((key) => (typeof key === 'number' ? '*' : String(key))).join('.')
}

/** What may be at `path`, or null for a path that the table does not have. */
export function knownKey(path: readonly PropertyKey[]): Description | null {
  return known.get(writePattern(path)) ?? null
}

export function keysUnder(path: readonly PropertyKey[]): readonly string[] {
  const depth = path.length + 1
  const pattern = writePattern(path)
  return [...known.keys()]
    .filter((candidate) => candidate !== '' && candidate.split('.').length === depth)
    .filter((candidate) => depth === 1 || candidate.startsWith(`${pattern}.`))
    .map((candidate) => candidate.slice(candidate.lastIndexOf('.') + 1))
}
