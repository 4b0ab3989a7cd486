import { type LoadKey, loadKeys } from '#load'
import { contenderKeys, modeFieldKeys } from './files/contender-file.ts'
import type { Description } from './files/file-object.ts'
import { noSpeechKeys, replacementKeys } from './files/scoring-file.ts'
import type { Setting } from './files/setting.ts'
import { flagTable } from './flag-table.ts'

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
  ...prefixed('contenders.*', contenderKeys),
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

function patternOf(path: readonly PropertyKey[]): string {
  return path.map((key) => (typeof key === 'number' ? '*' : String(key))).join('.')
}

/** What may be at `path`, or null for a path that the table does not have. */
export function knownKey(path: readonly PropertyKey[]): Description | null {
  return known.get(patternOf(path)) ?? null
}

/** The keys that the object at `path` may have. */
export function keysUnder(path: readonly PropertyKey[]): readonly string[] {
  const depth = path.length + 1
  const pattern = patternOf(path)
  return [...known.keys()]
    .filter((candidate) => candidate !== '' && candidate.split('.').length === depth)
    .filter((candidate) => depth === 1 || candidate.startsWith(`${pattern}.`))
    .map((candidate) => candidate.slice(candidate.lastIndexOf('.') + 1))
}
