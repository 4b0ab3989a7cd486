import { z } from 'zod'
import type { Problem } from '#prelude'
import { type ParsedYaml, parseYaml } from '#yaml'
import { serviceErrors } from '../errors.ts'
import { checkEngines, type KnownProvider } from './check-engines.ts'
import { type CommandEntry, engineEntry, type ProviderEntry } from './engine-entry.ts'

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
  const { document, faults, lineAt } = parseYaml(text)
  const at = (offset: number): string => {
    const { line, column } = lineAt(offset)
    return `${path}:${line}:${column}`
  }
  const unreadable = faults.map(
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
function offsetOf(document: ParsedYaml['document'], keys: readonly PropertyKey[]): number {
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
