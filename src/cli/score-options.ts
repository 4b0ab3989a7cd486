import { basename, extname, resolve } from 'node:path'
import type { NoSpeechRule } from '#contract/failures'
import { withoutUndefined } from '#prelude'
import { readLanguage } from '#prelude/languages'
import type { NamedRules } from '#rates/scored-pair'
import type { ScoreOptions } from '#results/scores'
import { parseGlm } from '#scoring/formats/plain-text'
import { defaultProfile } from '#scoring/profiles/index'
import type { CommandContext } from './command-context.ts'
import { cliErrors } from './errors.ts'
import { readNamed, readStandardInput, standardStream } from './named-files.ts'

/** Scoring options of a run as typed. */
export interface ScoreFlags {
  readonly profile?: string
  /** Language whose profile is used if no profile is named. */
  readonly language?: string
  readonly rules?: string
  readonly glm?: string
  readonly vocabulary?: string
  /** True for the corpus's own corrections. */
  readonly corrections?: string | boolean
}

/**
 * Reads the files that the flags name.
 *
 * @param folder of the run, whose corpus has the corrections
 * @throws BenchError of the files: FILE_UNREADABLE, CONFIG_INVALID, GLM_INVALID, CORRECTIONS_UNREADABLE,
 * LANGUAGE_UNKNOWN
 */
export async function scoreOptions(
  context: CommandContext,
  flags: ScoreFlags,
  folder: string,
): Promise<ScoreOptions> {
  const { profile, rules, noSpeech } = await ownRules(context, flags)
  const words = flags.vocabulary === undefined ? [] : [await readVocabulary(context, flags.vocabulary)]
  const added = [...rules, ...words]
  const language = flags.language === undefined ? undefined : readLanguage(flags.language)
  const spoken = language === undefined ? undefined : defaultProfile(language).id
  const chosen = profile ?? flags.profile ?? spoken
  return {
    ...withoutUndefined({ profile: chosen }),
    ...(added.length === 0 ? {} : { rules: added }),
    ...withoutUndefined({ noSpeech }),
    ...(flags.corrections === undefined || flags.corrections === false
      ? {}
      : { corrections: await corrections(context, flags.corrections, folder) }),
  }
}

/** Reads a vocabulary with a word or phrase per line; lines that begin with # are comments. */
async function readVocabulary(
  context: CommandContext,
  path: string,
): Promise<NonNullable<ScoreOptions['rules']>[number]> {
  const content = await readNamed(context, path, {
    what: 'the vocabulary',
    hint: 'name a file with a word or a phrase a line',
  })
  const vocabulary = content
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (vocabulary.length === 0) {
    throw cliErrors.make('FILE_UNREADABLE', {
      message: `the vocabulary ${path} holds no word`,
      hint: 'write a word or a phrase a line; lines that begin with # are remarks',
    })
  }
  return { name: nameOfRules(path), rules: { vocabulary } }
}

/**
 * The corrections that a flag selects.
 *
 * @param named a file, or true for the corrections of the run's own corpus
 * @param folder of the run
 * @throws BenchError CORRECTIONS_UNREADABLE, CORPUS_UNKNOWN
 */
export async function corrections(
  context: CommandContext,
  named: string | true,
  folder: string,
): Promise<NonNullable<ScoreOptions['corrections']>> {
  // The import is dynamic, because all scoring commands load this file, and few are given corrections.
  const { correctionsPath, readCorrections } = await import('#corpus/corrections')
  if (named === standardStream)
    return await readCorrections('stdin', 'stdin', await readStandardInput(context, 'the corrections'))
  if (named !== true) return await readCorrections(resolve(context.cwd, named), named)
  const { findRunCorpus, readRecord } = await import('#journal/run-reader')
  const record = await readRecord(folder)
  const path = await correctionsPath((await findRunCorpus({ folder, record })) ?? record.corpus.name, context)
  return await readCorrections(path, `${record.corpus.name}/${basename(path)}`)
}

/** Rules that the user adds to a profile, and the profile if a file names one. */
export interface OwnRules {
  readonly profile?: string
  readonly rules: readonly NamedRules[]
  /** Refusals that mean that no speech was recognised, if a file sets them. */
  readonly noSpeech?: readonly NoSpeechRule[]
}

/**
 * Reads the files of `--glm` and `--rules`; the mapping goes first. A profile on the command line overrides the one
 * in the rules. Entries of a mapping that a profile cannot apply are reported, never dropped silently.
 *
 * @throws BenchError FILE_UNREADABLE, GLM_INVALID, CONFIG_INVALID
 */
export async function ownRules(
  context: CommandContext,
  options: { readonly profile?: string; readonly rules?: string; readonly glm?: string },
): Promise<OwnRules> {
  const mapping = options.glm === undefined ? [] : [await readGlm(context, options.glm)]
  if (options.rules === undefined) return { rules: mapping }
  // The imports are dynamic, because most texts are scored without a file of rules.
  const { automaticProfile } = await import('#config/scoring-file')
  const { readScoring } = await import('#config/read-config')
  const { profile, noSpeech, ...rules } = readScoring(
    await readRules(context, options.rules, '--rules'),
    options.rules,
  )
  const chosen = options.profile ?? (profile === automaticProfile ? undefined : profile)
  return {
    ...withoutUndefined({ profile: chosen, noSpeech }),
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

/** The name of a rules file within a profile's id: its file name without the extension. */
export function nameOfRules(path: string): string {
  return path === standardStream ? 'stdin' : basename(path, extname(path))
}

async function readRules(context: CommandContext, path: string, flag: string): Promise<string> {
  const hint = 'name a file of rules, or leave the option out'
  return await readNamed(context, path, { what: `the rules of ${flag}`, hint })
}
