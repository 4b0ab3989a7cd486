import { ownValue, type Problem, shellWord } from '#prelude'
import { type ConfigFile, configFile } from './config-file.ts'
import { refuseConfig } from './errors.ts'
import {
  anyThreshold,
  type Fault,
  findFaults,
  findScoringFaults,
  loadFaults,
  type ThresholdCheck,
} from './faults.ts'
import { type ScoringFile, scoringFile } from './scoring-file.ts'
import { readYaml, type YamlSource } from './yaml-source.ts'

/**
 * Reads the text of a config, YAML or JSON.
 *
 * @param path as typed, for the locations of problems
 * @param checkThreshold checks an entry of `thresholds`; without it they are not checked
 * @param env values of `${NAME}` in its texts
 * @throws BenchError `CONFIG_INVALID` with every problem at once: its location, and in the hint the line with a caret
 * and what to write instead
 */
export function readConfig(
  text: string,
  path: string,
  checkThreshold: ThresholdCheck = anyThreshold,
  env: Readonly<Record<string, string | undefined>> = {},
): ConfigFile {
  const written = readYaml(text, path)
  const { value, faults } = withVariables(written, env)
  const source = { ...written, value }
  const problems = [
    ...source.problems,
    ...inOrder(faults, source),
    ...(source.isReadable && faults.length === 0 ? meaningProblems(source, path, checkThreshold) : []),
  ]
  const next = `mend it, then see what would be measured: transcribench run ${shellWord(path)} --dry-run`
  refuseConfig(problems, path, next)
  return configFile.parse(withoutSchema(source.value))
}

/** The corpus in the text of a config and its location, even if other parts are wrong; null if it names none. */
export function corpusNamedIn(
  text: string,
  path: string,
): { readonly name: string; readonly where: string } | null {
  const { value, valueAt } = readYaml(text, path)
  const name = typeof value === 'object' && value !== null && 'corpus' in value ? value.corpus : null
  return typeof name === 'string' ? { name, where: valueAt(['corpus']).where } : null
}

/**
 * Reads the text of a scoring section in a separate file, YAML or JSON.
 *
 * @throws BenchError as `readConfig`
 */
export function readScoring(text: string, path: string): ScoringFile {
  const source = readYaml(text, path)
  const value = source.isReadable ? (source.value ?? {}) : {}
  const problems = [...source.problems, ...inOrder(findScoringFaults(value), source)]
  refuseConfig(problems, path, 'mend it, then the same command again')
  return scoringFile.parse(value)
}

function meaningProblems(source: YamlSource, path: string, checkThreshold: ThresholdCheck): Problem[] {
  if (source.value === null)
    return [{ where: path, what: 'the file is empty', hint: 'write one to start from: transcribench init' }]
  const settings = withoutSchema(source.value)
  const load = (settings as { readonly load?: unknown }).load
  return inOrder([...findFaults(settings, checkThreshold), ...loadFaults(load)], source)
}

function inOrder(faults: readonly Fault[], source: YamlSource): Problem[] {
  return faults
    .map((fault) => placed(fault, source))
    .sort((left, right) => left.line - right.line || left.column - right.column)
    .map(({ problem }) => problem)
}

function placed(fault: Fault, source: YamlSource): { problem: Problem; line: number; column: number } {
  const { path, key, what, advice } = fault
  const { where, line, column, show } = key === null ? source.valueAt(path) : source.keyAt(path, key)
  return { problem: { where, what, hint: show(advice) }, line, column }
}

/** The value without `$schema`, which is for editors. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { $schema: _, ...settings } = value as Readonly<Record<string, unknown>>
  return settings
}

type Environment = Readonly<Record<string, string | undefined>>

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Replaces environment variables in the texts of a config: `${NAME}`, and `${NAME:-text}` with a default. `$${` is a
 * literal `${`. A text of a single variable may become a number or a boolean. In quotes it does so only where the
 * setting takes no text, because JSON and a list in brackets allow variables in quotes alone.
 */
function withVariables(
  { value, isQuoted }: Pick<YamlSource, 'value' | 'isQuoted'>,
  env: Environment,
): { readonly value: unknown; readonly faults: readonly Fault[] } {
  const asTexts = replaceVariables(value, env, (path) => !isQuoted(path))
  const issues = configFile.safeParse(withoutSchema(asTexts.value)).error?.issues ?? []
  const unfit = new Set(issues.map(({ path }) => JSON.stringify(path)))
  return replaceVariables(value, env, (path) => !isQuoted(path) || unfit.has(JSON.stringify(path)))
}

/** @param isScalar whether a text of a single variable at this path becomes a number or a boolean */
function replaceVariables(
  value: unknown,
  env: Environment,
  isScalar: (path: readonly PropertyKey[]) => boolean,
): ReturnType<typeof withVariables> {
  const faults: Fault[] = []
  const replaced = (found: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof found === 'string') return textOf(found, path)
    if (Array.isArray(found)) return found.map((each, index) => replaced(each, [...path, index]))
    if (typeof found !== 'object' || found === null) return found
    return Object.fromEntries(
      Object.entries(found).map(([key, each]) => [key, replaced(each, [...path, key])]),
    )
  }
  const textOf = (text: string, path: readonly PropertyKey[]): unknown => {
    if (!text.includes('${')) return text
    const filled = text
      .split('$${')
      .map((part) =>
        part.replaceAll(variable, (_, name: string, standard: string | undefined) => {
          const held = ownValue(env, name) ?? ''
          if (held === '' && standard === undefined) faults.push(notSet(name, path))
          return held === '' ? (standard ?? '') : held
        }),
      )
      .join('${')
    const isVariable = new RegExp(`^${variable.source}$`).test(text)
    return isVariable && isScalar(path) ? readScalar(filled) : filled
  }
  return { value: replaced(value, []), faults }
}

function readScalar(text: string): unknown {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}

function notSet(name: string, path: readonly PropertyKey[]): Fault {
  return {
    path,
    key: null,
    what: `the environment variable ${name} is not set`,
    advice: `set it, or give it a default: \${${name}:-text}`,
  }
}
