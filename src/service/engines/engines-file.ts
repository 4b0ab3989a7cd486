import { LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { type Problem, yamlFaults } from '#prelude'
import { serviceErrors } from '../errors.ts'
import { checkEngines, type KnownProvider } from './check-engines.ts'

/** A program in an engines file, with its defaults. */
export interface CommandEntry {
  readonly kind: 'command'
  readonly id: string
  readonly name?: string | undefined
  readonly program: string
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
  readonly successExitCodes: readonly number[]
  readonly output: 'stdout' | { readonly file: string }
  readonly pattern?: string | undefined
  readonly language?: string | undefined
  readonly longestSeconds?: number | undefined
  readonly atOnce?: number | undefined
}

/** A server in an engines file, with its defaults. */
export interface ProviderEntry {
  /** The protocol that it speaks. */
  readonly kind: 'openai' | 'deepgram' | 'elevenlabs'
  /** A preset's id, or any other name for a server of one's own. Default: the protocol's. */
  readonly provider?: string | undefined
  readonly name?: string | undefined
  readonly baseUrl?: string | undefined
  /** The environment variable with the key; null for a server that wants none. */
  readonly keyVariable?: string | null | undefined
  readonly models?: readonly string[] | undefined
  readonly timeoutSeconds: number
  readonly longestSeconds?: number | undefined
}

const seconds: z.ZodNumber = z.number().positive().max(86_400)
const variable: z.ZodString = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable')
const modelId: z.ZodString = z.string().regex(/^\w[\w.:/@-]{0,199}$/, 'is a name without blanks')
const providerId: z.ZodString = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,49}$/, 'is a name of small letters, digits and -')

const engineEntry: z.ZodType<CommandEntry | ProviderEntry> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('command'),
    id: modelId,
    name: z.string().min(1).optional(),
    program: z.string().min(1),
    arguments: z.array(z.string()).default([]),
    environment: z.record(variable, z.string()).default({}),
    timeoutSeconds: seconds.default(600),
    successExitCodes: z.array(z.int().min(0).max(255)).min(1).default([0]),
    output: z.union([z.literal('stdout'), z.strictObject({ file: z.string().min(1) })]).default('stdout'),
    pattern: z.string().refine(isRegularExpression, 'is a regular expression').optional(),
    language: z.string().min(2).optional(),
    longestSeconds: z.number().min(1).optional(),
    atOnce: z.int().min(1).optional(),
  }),
  z.strictObject({
    kind: z.enum(['openai', 'deepgram', 'elevenlabs']),
    provider: providerId.optional(),
    name: z.string().min(1).optional(),
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    keyVariable: variable.nullable().optional(),
    models: z.array(modelId).min(1).optional(),
    timeoutSeconds: seconds.default(300),
    longestSeconds: z.number().min(1).optional(),
  }),
])

const enginesFile: z.ZodType<{ readonly engines: readonly unknown[] }> = z.strictObject({
  engines: z.array(z.unknown()),
})

/**
 * Reads an engines file: which programs and servers transcribe, YAML or JSON.
 *
 * @param path as the person named it, for the places of problems
 * @param known what can be known of a provider without its entry
 * @throws BenchError ENGINES_FILE_INVALID with every problem at once and its place, in the order of the file
 */
export function readEnginesFile(
  text: string,
  path: string,
  known: KnownProvider,
): readonly (CommandEntry | ProviderEntry)[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${line}:${col}`
  }
  const unreadable = yamlFaults(document, text).map(
    ({ at: [start], what, advice }): Problem => ({ where: at(start), what, hint: advice }),
  )
  if (unreadable.length > 0) throw invalid(path, unreadable)
  const outer = enginesFile.safeParse(document.toJS())
  const parsed = (outer.data?.engines ?? []).map((entry) => engineEntry.safeParse(entry))
  const good = parsed.flatMap(({ data }, index) => (data === undefined ? [] : [{ index, entry: data }]))
  const found: readonly FoundProblem[] = [
    ...(outer.error?.issues ?? []).map(({ path: keys, message }) => ({ keys, message })),
    ...parsed.flatMap(({ error }, index) =>
      (error?.issues ?? []).map(({ path: keys, message }) => ({
        keys: ['engines', index, ...keys],
        message,
      })),
    ),
    ...checkEngines(good, known).map(({ index, keys, what }) => ({
      keys: ['engines', index, ...keys],
      message: what,
    })),
  ]
  if (found.length === 0) return good.map(({ entry }) => entry)
  const placed = found.map((problem) => ({ ...problem, offset: offsetOf(document, problem.keys) }))
  const problems = placed
    .toSorted((left, right) => left.offset - right.offset)
    .map(({ keys, message, offset }): Problem => {
      return { where: at(offset), what: `${keys.join('.') || 'the file'}: ${message}` }
    })
  throw invalid(path, problems)
}

interface FoundProblem {
  readonly keys: readonly PropertyKey[]
  readonly message: string
}

/** Of the value, or of the innermost one that is there. */
function offsetOf(document: ReturnType<typeof parseDocument>, keys: readonly PropertyKey[]): number {
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

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    // The constructor is the only judge of what a regular expression is.
    return false
  }
}
