import { basename, extname } from 'node:path'
import type { NoSpeechRule } from '#contract'
import type { NamedRules } from '#rates'
import { parseGlm } from '#scoring/formats'
import type { CommandContext } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { readNamed, standardStream } from '../input/read-named.ts'

/** What a person adds to a profile, and the profile where a file names one. */
export interface OwnRules {
  readonly profile?: string
  readonly rules: readonly NamedRules[]
  /** Which refusals mean that no speech was recognised, where a file says so. */
  readonly noSpeech?: readonly NoSpeechRule[]
}

/**
 * Reads the files of `--glm` and `--rules`; the mapping goes first. A profile on the command line overrides the one in
 * the rules. Entries of a mapping that a profile cannot apply are reported, never dropped silently.
 *
 * @throws BenchError FILE_UNREADABLE, GLM_INVALID, CONFIG_INVALID
 */
export async function ownRules(
  context: CommandContext,
  options: { readonly profile?: string; readonly rules?: string; readonly glm?: string },
): Promise<OwnRules> {
  const mapping = options.glm === undefined ? [] : [await readGlm(context, options.glm)]
  if (options.rules === undefined) return { rules: mapping }
  // Loaded when it is needed: most texts are scored without a file of rules.
  const { automaticProfile, readScoring } = await import('#config')
  const { profile, noSpeech, ...rules } = readScoring(
    await readRules(context, options.rules, '--rules'),
    options.rules,
  )
  const chosen = options.profile ?? (profile === automaticProfile ? undefined : profile)
  return {
    ...(chosen === undefined ? {} : { profile: chosen }),
    ...(noSpeech === undefined ? {} : { noSpeech }),
    rules: [...mapping, { name: nameOfRules(options.rules), rules }],
  }
}

async function readGlm(context: CommandContext, path: string): Promise<NamedRules> {
  const { replacements, leftOut, problems } = parseGlm(await readRules(context, path, '--glm'))
  const placed = problems.map((problem) => ({ ...problem, where: `${basename(path)}:${problem.where}` }))
  if (problems.length > 0) {
    throw cliErrors.make('GLM_INVALID', {
      message: `${path} cannot be used: nothing was scored`,
      hint: 'correct or remove these lines',
      problems: placed,
    })
  }
  const [first] = leftOut
  if (first !== undefined) {
    context.say(
      `  ~ ${leftOut.length} of ${leftOut.length + replacements.length} rules of ${basename(path)} are left out, the ` +
        `first in line ${first.where}: a profile\n    cannot write alternatives, nor treat one side otherwise than the other. For those filter\n    with csrfilt.sh: the choices that it writes are read from trn files`,
    )
  }
  return { name: nameOfRules(path), rules: { replacements } }
}

/** How a profile calls rules of a file: by its name without the ending. */
export function nameOfRules(path: string): string {
  return path === standardStream ? 'stdin' : basename(path, extname(path))
}

async function readRules(context: CommandContext, path: string, flag: string): Promise<string> {
  const hint = 'name a file of rules, or leave the option out'
  return await readNamed(context, path, { what: `the rules of ${flag}`, hint })
}
