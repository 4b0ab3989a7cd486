import { isAbsolute } from 'node:path'
import type { CommandEntry, ProviderEntry } from './engine-entry.ts'
import { sherpaFamilies } from './sherpa-families.ts'

/** What is wrong with an entry that has the right shape. */
export interface EntryProblem {
  /** Inside of the entry; empty for all of it. */
  readonly keys: readonly PropertyKey[]
  readonly what: string
}

/** What can be known of a provider without its entry. */
export type KnownProvider = (entry: ProviderEntry) => { readonly models: readonly string[] } | undefined

/** An entry and its number in the file. */
export interface NumberedEntry {
  readonly index: number
  readonly entry: CommandEntry | ProviderEntry
}

/** Problems by the number of the entry: what one entry says alone, and what two say of the same name. */
export function checkEngines(
  entries: readonly NumberedEntry[],
  known: KnownProvider,
): readonly (EntryProblem & { readonly index: number })[] {
  const seen = new Set<string>()
  return entries.flatMap(({ index, entry }) => {
    const alone = entry.kind === 'command' ? commandProblems(entry) : providerProblems(entry, known)
    const doubles = namesOf(entry, known).flatMap(({ name, keys }): EntryProblem[] => {
      const isDouble = seen.has(name)
      seen.add(name)
      return isDouble ? [{ keys, what: `${name} is there twice` }] : []
    })
    return [...alone, ...doubles].map((problem) => ({ ...problem, index }))
  })
}

const placeholders = ['audio', 'language']

/** Without this check, `{audoi}` would be passed to the program as it is. A word in two braces is literal text. */
const placeholder = /(?<!\{)\{([A-Za-z]\w*)\}(?!\})/g

function commandProblems(entry: CommandEntry): EntryProblem[] {
  const texts = [
    ...entry.arguments.map((text, at) => ({ text, keys: ['arguments', at] })),
    ...(entry.output === 'stdout' ? [] : [{ text: entry.output.file, keys: ['output', 'file'] }]),
  ]
  const unknown = texts.flatMap(({ text, keys }) =>
    Array.from(text.matchAll(placeholder), ([whole, name = '']) => ({ whole, name, keys }))
      .filter(({ name }) => !placeholders.includes(name))
      .map(({ whole, keys: at }) => ({
        keys: at,
        what: `${whole} is no placeholder; there are {audio} and {language}, and {${whole}} means the text itself`,
      })),
  )
  const isRelative = /[\\/]/.test(entry.program) && !isAbsolute(entry.program)
  return isRelative
    ? [{ keys: ['program'], what: 'is a name that is looked up in PATH, or an absolute path' }, ...unknown]
    : unknown
}

const builtIn: readonly string[] = ['command', 'local', ...sherpaFamilies.map(({ family }) => family)]

/** A server of one's own has no address and no models that we could know. */
function providerProblems(entry: ProviderEntry, known: KnownProvider): EntryProblem[] {
  const problems: EntryProblem[] = []
  const name = entry.provider ?? entry.kind
  if (builtIn.includes(name)) {
    problems.push({ keys: ['provider'], what: `${name} is the name of an engine of this machine` })
  }
  if (known(entry) === undefined && entry.baseUrl === undefined) {
    problems.push({ keys: [], what: `${name} is not known by name: it needs a baseUrl` })
  }
  if (entry.models === undefined && (known(entry)?.models ?? []).length === 0) {
    problems.push({ keys: [], what: `which models ${name} has cannot be known; name them in models` })
  }
  return problems
}

/** As clients name them: engine and model. */
function namesOf(
  entry: CommandEntry | ProviderEntry,
  known: KnownProvider,
): readonly { readonly name: string; readonly keys: readonly PropertyKey[] }[] {
  if (entry.kind === 'command') return [{ name: `command ${entry.id}`, keys: ['id'] }]
  const models = entry.models ?? known(entry)?.models ?? []
  return models.map((model, at) => ({
    name: `${entry.provider ?? entry.kind} ${model}`,
    keys: entry.models === undefined ? [] : ['models', at],
  }))
}
