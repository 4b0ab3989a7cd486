import { isAbsolute } from 'node:path'
import { z } from 'zod'
import type { DeepReadonly, Problem } from '#prelude'
import { listYamlProblems, type ParsedYaml, parseYaml } from '#prelude/yaml'
import { type ProtocolName, protocols } from '#providers/protocols/protocols'
import { serviceErrors } from '../errors.ts'
import { sherpaFamilies } from './sherpa-families.ts'

const enginesFile: z.ZodType<{ readonly engines: readonly unknown[] }> = z.strictObject({
  engines: z.array(z.unknown()),
})

/**
 * Reads an engines file, in YAML or JSON, which defines programs and servers as engines.
 *
 * @param path as the user named it, for positions of problems
 * @param findProvider looks up a provider that is known without its entry
 * @throws BenchError ENGINES_FILE_INVALID with all problems and their positions, in the order of the file
 */
export function readEnginesFile(
  text: string,
  path: string,
  findProvider: ProviderLookup,
): readonly (CommandEntry | ProviderEntry)[] {
  const parsedYaml = parseYaml(text)
  const unreadable = listYamlProblems(parsedYaml, path)
  if (unreadable.length > 0) throw invalid(path, unreadable)
  const { document, lineAt } = parsedYaml
  const outer = enginesFile.safeParse(document.toJS())
  const parsed = (outer.data?.engines ?? []).map((entry) => engineEntry.safeParse(entry))
  const entries = parsed.map(({ data }) => data)
  const issues: readonly Issue[] = [
    ...(outer.error?.issues ?? []),
    ...parsed.flatMap(({ error }, index) => within(index, error?.issues)),
    ...checkEngines(entries, findProvider),
  ]
  if (issues.length === 0) return entries.filter((entry) => entry !== undefined)
  const problems = issues
    .map((issue) => ({ ...issue, offset: findOffset(document, issue.path) }))
    .toSorted((left, right) => left.offset - right.offset)
    .map(({ path: keys, message, offset }): Problem => {
      const { line, column } = lineAt(offset)
      return { where: `${path}:${line}:${column}`, what: `${keys.join('.') || 'the file'}: ${message}` }
    })
  throw invalid(path, problems)
}

/** A fault of a value, as the parsers report it. */
interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Converts issues of an entry to issues of the file. */
function within(index: number, issues: readonly Issue[] = []): readonly Issue[] {
  return issues.map(({ path, message }) => ({ path: ['engines', index, ...path], message }))
}

/** The position of the value, or of the innermost ancestor that exists. */
function findOffset(document: ParsedYaml['document'], keys: readonly PropertyKey[]): number {
  for (let depth = keys.length; depth > 0; depth -= 1) {
    const node = document.getIn(keys.slice(0, depth), true)
    if (typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)) {
      return Number(node.range[0])
    }
  }
  return 0
}

function invalid(path: string, problems: readonly Problem[]): Error {
  return serviceErrors.make('ENGINES_FILE_INVALID', {
    message: `${path} cannot be used: ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}.`,
    hint: 'docs/engines.md shows an engines file.',
    problems,
  })
}

/** Looks up a provider that is known without its entry. */
type ProviderLookup = (entry: ProviderEntry) => { readonly models: readonly string[] } | undefined

/** Checks well-formed entries: each one by itself, and all of them for duplicate names. */
function checkEngines(
  entries: readonly (CommandEntry | ProviderEntry | undefined)[],
  findProvider: ProviderLookup,
): readonly Issue[] {
  const seen = new Set<string>()
  return entries.flatMap((entry, index) => {
    if (entry === undefined) return []
    const alone = entry.kind === 'command' ? commandIssues(entry) : providerIssues(entry, findProvider)
    const doubles = listNames(entry, findProvider).flatMap(({ name, path }): Issue[] => {
      const isDouble = seen.has(name)
      seen.add(name)
      return isDouble ? [{ path, message: `${name} is there twice` }] : []
    })
    return within(index, [...alone, ...doubles])
  })
}

const placeholders = ['audio', 'language']

/** Finds unknown placeholders such as `{audoi}`, which would be passed on as text. Double braces mark literal text. */
const placeholder = /(?<!\{)\{([A-Za-z]\w*)\}(?!\})/g

function commandIssues(entry: CommandEntry): readonly Issue[] {
  const texts = [
    ...entry.arguments.map((text, at) => ({ text, path: ['arguments', at] })),
    ...(entry.output === 'stdout' ? [] : [{ text: entry.output.file, path: ['output', 'file'] }]),
  ]
  const unknown = texts.flatMap(({ text, path }) =>
    [...text.matchAll(placeholder)]
      .filter(([, name = '']) => !placeholders.includes(name))
      .map(([whole]) => ({
        path,
        message: `${whole} is no placeholder; there are {audio} and {language}, and {${whole}} means the text itself`,
      })),
  )
  const isRelative = /[\\/]/.test(entry.program) && !isAbsolute(entry.program)
  return isRelative
    ? [{ path: ['program'], message: 'is a name that is looked up in PATH, or an absolute path' }, ...unknown]
    : unknown
}

const builtIn: readonly string[] = ['command', 'local', ...sherpaFamilies.map(({ family }) => family)]

/** Checks a server's entry: an unknown provider needs an address and models. */
function providerIssues(entry: ProviderEntry, findProvider: ProviderLookup): readonly Issue[] {
  const issues: Issue[] = []
  const name = entry.provider ?? entry.kind
  if (builtIn.includes(name)) {
    issues.push({ path: ['provider'], message: `${name} is the name of an engine of this machine` })
  }
  if (findProvider(entry) === undefined && entry.baseUrl === undefined) {
    issues.push({ path: [], message: `${name} is not known by name: it needs a baseUrl` })
  }
  if (entry.models === undefined && (findProvider(entry)?.models ?? []).length === 0) {
    issues.push({ path: [], message: `which models ${name} has cannot be known; name them in models` })
  }
  return issues
}

/** Names that clients use: engine and model. */
function listNames(
  entry: CommandEntry | ProviderEntry,
  findProvider: ProviderLookup,
): readonly { readonly name: string; readonly path: readonly PropertyKey[] }[] {
  if (entry.kind === 'command') return [{ name: `command ${entry.id}`, path: ['id'] }]
  const models = entry.models ?? findProvider(entry)?.models ?? []
  return models.map((model, at) => ({
    name: `${entry.provider ?? entry.kind} ${model}`,
    path: entry.models === undefined ? [] : ['models', at],
  }))
}

const seconds = z.number().positive().max(86_400)
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable')
const modelId = z.string().regex(/^\w[\w.:/@-]{0,199}$/, 'is a name without blanks')
const providerId = z.string().regex(/^[a-z][a-z0-9-]{0,49}$/, 'is a name of small letters, digits and -')

/** The service supports only protocols with a key; those that upload to a storage are for targets only. */
const servedProtocols = Object.entries(protocols).flatMap(([name, { access }]) =>
  access.kind === 'key' ? [name as ProtocolName] : [],
)

const commandEntry = z.strictObject({
  kind: z.literal('command'),
  /** The name that clients send as `model`. */
  id: modelId,
  name: z.string().min(1).optional(),
  /** Absolute path, or a name to find in PATH. Never run through a shell. */
  program: z.string().min(1),
  /** Placeholders: `{audio}` is the path of a WAV file, `{language}` the language or `auto`, `{{x}}` the text `{x}`. */
  arguments: z.array(z.string()).default([]),
  /** Variables to add to the service's environment. */
  environment: z.record(variable, z.string()).default({}),
  timeoutSeconds: seconds.default(600),
  successExitCodes: z.array(z.int().min(0).max(255)).min(1).default([0]),
  /** Where the text is: on stdout, or in a file whose path may contain `{audio}`. */
  output: z.union([z.literal('stdout'), z.strictObject({ file: z.string().min(1) })]).default('stdout'),
  /** Selects the text in the output: the first group of each match, or the whole match. Default: all of it. */
  pattern: z.string().refine(isRegularExpression, 'is a regular expression').optional(),
  /** Language that the program decodes; absent where it is an argument, or unknown. */
  language: z.string().min(2).optional(),
  longestSeconds: z.number().min(1).optional(),
  /** Maximum number of concurrent processes. Default: the service's limit. */
  atOnce: z.int().min(1).optional(),
})
/** A program in an engines file, with its defaults. */
export type CommandEntry = DeepReadonly<z.infer<typeof commandEntry>>

const providerEntry = z.strictObject({
  /** The protocol of the server. */
  kind: z.enum(servedProtocols),
  /** Id of a preset, or any other name for the operator's own server. Default: that of the protocol. */
  provider: providerId.optional(),
  name: z.string().min(1).optional(),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Environment variable with the key; null for a server without one. */
  keyVariable: variable.nullable().optional(),
  models: z.array(modelId).min(1).optional(),
  timeoutSeconds: seconds.default(300),
  longestSeconds: z.number().min(1).optional(),
})
/** A server in an engines file, with its defaults. */
export type ProviderEntry = DeepReadonly<z.infer<typeof providerEntry>>

/** Parser of an entry by its kind; `checkEngines` checks the file as a whole. */
const engineEntry = z.discriminatedUnion('kind', [commandEntry, providerEntry])

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    // Only the constructor can tell whether the text is a regular expression.
    return false
  }
}
