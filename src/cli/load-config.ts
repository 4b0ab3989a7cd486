import { isTwoSided, parseThreshold } from '#analysis'
import { corpusNamedIn, type ResolvedConfig, readConfig, resolveConfig } from '#config'
import { locateCorpus } from '#corpus'
import { allOf } from '#prelude'
import type { CommandContext } from './command-context.ts'
import { cliErrors } from './errors.ts'
import { readNamed } from './read-named.ts'
import { namedRun } from './run-name.ts'

/**
 * Puts defaults, the config file, the environment and the flags together. Where something is wrong with them, it is
 * looked at once whether the corpus is there as well: users correct everything in one go.
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
    isFileMissing: !isFileRight,
    flags,
    env: context.env,
    checkThreshold,
  }
  const resolving = Promise.resolve().then(() => resolveConfig(layers))
  if (isFileRight && (await succeeds(resolving))) return namedRun(await resolving, path, context.cwd)
  const [, resolved] = await allOf([reading, resolving, findCorpus(context, flags, text)])
  return namedRun(resolved, path, context.cwd)
}

function succeeds(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  )
}

/**
 * Looks for the corpus that a flag names, or a file that may be wrong in other places.
 *
 * @throws BenchError CORPUS_UNKNOWN
 */
async function findCorpus(
  { env }: CommandContext,
  { corpus }: Readonly<Record<string, unknown>>,
  text: Promise<string> | null,
): Promise<void> {
  // A file that cannot be opened is reported by the code that reads it.
  const named = typeof corpus === 'string' ? corpus : corpusNamedIn((await text?.catch(() => '')) ?? '')
  if (named !== null) await locateCorpus(named, { env })
}

/** A config by its path; `-` is standard input. */
async function readText(context: CommandContext, path: string): Promise<string> {
  const content = await readNamed(context, path).catch((cause: NodeJS.ErrnoException) => {
    throw cliErrors.make('FILE_UNREADABLE', {
      message: `the config ${path} cannot be read (${cause.code})`,
      hint: 'write one to start from: transcribench init',
      cause,
    })
  })
  return content.toString()
}

function checkThreshold(text: string): { readonly what: string; readonly hint?: string } | null {
  const parsed = parseThreshold(text)
  if (!parsed.ok) return parsed.failure
  if (!isTwoSided(parsed.value.metric.from)) return null
  const hint = `measure first, then: transcribench compare <older run> latest --threshold '${parsed.value.text}'`
  return { what: 'needs an older run to compare with', hint }
}
