import { access } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { isTwoSided } from '#analysis/metrics/metric'
import { parseThreshold } from '#analysis/metrics/threshold'
import { parseServerAddress, refuseCredentials } from '#client/location'
import type { BenchConfig } from '#config/bench-config'
import { listFlags } from '#config/flags'
import { corpusNamedIn, readConfig } from '#config/read-config'
import { type ResolvedConfig, resolveConfig } from '#config/resolve-config'
import { locateCorpus } from '#corpus/locate'
import { allOf, BenchError, succeeds } from '#prelude'
import { type CommandContext, typedCommand } from './command-context.ts'
import { keptInput, readNamed, standardStream } from './named-files.ts'
import { findRunsIn } from './options.ts'

/**
 * Merges defaults, the config file, the environment and the flags. If there are errors, the existence of the corpus
 * is checked as well, so that users can correct everything at once.
 *
 * @param path as typed; undefined for a run without a config
 * @throws BenchError CONFIG_INVALID with every problem, FILE_UNREADABLE
 */
export async function loadConfig(
  context: CommandContext,
  path: string | undefined,
  flags: Readonly<Record<string, unknown>>,
): Promise<ResolvedConfig> {
  const text = path === undefined ? null : readText(context, path)
  const reading = Promise.resolve(text).then((found) =>
    found === null || path === undefined ? null : readConfig(found, path, checkThreshold, context.env),
  )
  const isFileRight = await succeeds(reading)
  const layers = {
    file: isFileRight ? await reading : null,
    path: path === standardStream ? undefined : path,
    isFileMissing: !isFileRight,
    flags,
    env: context.env,
    checkThreshold,
  }
  const resolving = Promise.resolve().then(() => resolveConfig(layers))
  const resolved =
    isFileRight && (await succeeds(resolving))
      ? await resolving
      : (await allOf([reading, resolving, findCorpus(context, flags, { path, text })]))[1]
  findRunsIn(resolved.config.results, context)
  await checkTargets(resolved.config)
  return namedRun(await withKeptInput(context, resolved), path, context.cwd)
}

/**
 * Loads the config of a command that measures; contenders that are not named come from the target.
 *
 * @throws BenchError NOTHING_TO_MEASURE if the target has several
 */
export async function loadMeasured(
  context: CommandContext,
  path: string | undefined,
  flags: Readonly<Record<string, unknown>>,
): Promise<ResolvedConfig> {
  const { config, sources, values } = await loadConfig(context, path, flags)
  if (sources['contenders'] !== 'default') return { config, sources, values }
  // The import is dynamic, because commands that do not measure read configs too.
  const { defaultContenders } = await import('#run/plan/contenders')
  const asking = defaultContenders(config, { command: typedCommand(), env: context.env })
  if (!(await succeeds(asking))) await allOf([asking, locateCorpus(config.corpus, context)])
  const found = await asking
  if (found === null) return { config, sources, values }
  const written = found.map(({ engine, model }) => `${engine}:${model}`)
  return { config: { ...config, contenders: found }, sources, values: { ...values, contenders: written } }
}

/**
 * Checks the addresses of targets before the config is printed and recorded.
 *
 * @throws BenchError TARGET_INVALID
 */
async function checkTargets({ target: common, contenders }: BenchConfig): Promise<void> {
  const targets = new Set([common, ...contenders.map(({ target = common }) => target)])
  await allOf(
    [...targets].map(async (target) => {
      refuseCredentials(target)
      parseServerAddress(target)
    }),
  )
}

/** Replaces `-` in settings with the path of the kept standard input. */
async function withKeptInput(context: CommandContext, resolved: ResolvedConfig): Promise<ResolvedConfig> {
  let { config } = resolved
  for (const { keyPath, syntax, fileEnding: ending } of listFlags()) {
    if (ending === null || resolved.values[keyPath] !== standardStream) continue
    const flag = syntax.split(' ')[0] ?? syntax
    const resultsFolder = resolve(context.cwd, config.results)
    config = withSetting(config, keyPath, await keptInput(context, { ending, what: flag, resultsFolder }))
  }
  return { ...resolved, config }
}

/** The config with a changed setting; settings that name a file have the same key paths in a resolved config. */
function withSetting(config: BenchConfig, keyPath: string, value: string): BenchConfig {
  const [group = '', key] = keyPath.split('.')
  const held = config[group as keyof BenchConfig]
  return { ...config, [group]: key === undefined ? value : { ...(held as object), [key]: value } }
}

/**
 * Checks that the corpus exists, which a flag names, or a file that may have other errors.
 *
 * @throws BenchError CORPUS_UNKNOWN
 */
async function findCorpus(
  { env }: CommandContext,
  { corpus }: Readonly<Record<string, unknown>>,
  { path = '', text }: { readonly path: string | undefined; readonly text: Promise<string> | null },
): Promise<void> {
  // A file that cannot be opened is reported by the code that reads it.
  const written = (await text?.catch(() => '')) ?? ''
  const named =
    typeof corpus === 'string' ? { name: corpus, where: '--corpus' } : corpusNamedIn(written, path)
  if (named === null || named.name === standardStream) return
  await locateCorpus(named.name, { env }).catch((error: unknown) => {
    if (!(error instanceof BenchError)) throw error
    const { code, exit, message, hint } = error
    throw new BenchError(code, exit, {
      message,
      hint,
      problems: [{ where: named.where, what: message, hint }],
    })
  })
}

/** The text of a config by its path; `-` is standard input. */
async function readText(context: CommandContext, path: string): Promise<string> {
  const hint = 'write one to start from: transcribench init'
  return await readNamed(context, path, { what: 'the config', hint })
}

function checkThreshold(text: string): { readonly what: string; readonly hint?: string } | null {
  const parsed = parseThreshold(text)
  if (!parsed.ok) return parsed.failure
  if (!isTwoSided(parsed.value.metric.from)) return null
  const hint = `measure first, then: transcribench compare <older run> latest --threshold '${parsed.value.text}'`
  return { what: 'needs an older run to compare with', hint }
}

/** Names of config files that are found automatically. */
export const configNames = ['transcribench.config.yaml', 'transcribench.config.json'] as const

/**
 * Searches a config in a folder and its parents.
 *
 * @returns its path relative to the folder; undefined if there is none
 */
export async function findConfig(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    for (const name of configNames) {
      const path = join(at, name)
      const isThere = await succeeds(access(path))
      if (isThere) return relative(folder, path)
    }
    if (dirname(at) === at) return undefined
  }
}

/** Maximum length of `name` in a config, in characters. */
const maxLength = 64

/**
 * Names a run without a name: after its config file, if that has a specific name, or else after its corpus.
 *
 * @param path of the config as typed; undefined for a run without one
 */
export function namedRun(resolved: ResolvedConfig, path: string | undefined, cwd: string): ResolvedConfig {
  const { config, sources, values } = resolved
  if (sources['name'] !== 'default') return resolved
  const isNamedFile = path !== undefined && !configNames.some((usual) => usual === basename(path))
  const found = isNamedFile
    ? cutEnding(path)
    : sources['corpus'] === 'default'
      ? ''
      : corpusName(config.corpus, cwd)
  const name = found
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, maxLength)
  return name === '' ? resolved : { config: { ...config, name }, sources, values: { ...values, name } }
}

/** The name of a corpus: that of its manifest, or of its folder if the manifest has the default name. */
function corpusName(corpus: string, cwd: string): string {
  const stem = cutEnding(corpus)
  return stem === 'manifest' ? basename(dirname(resolve(cwd, corpus))) : stem
}

function cutEnding(path: string): string {
  return basename(path, extname(path))
}
