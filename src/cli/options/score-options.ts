import { basename, resolve } from 'node:path'
import { readRecord } from '#journal'
import { readLanguage } from '#languages'
import { defaultProfile } from '#scoring'
import type { ScoreOptions } from '#session/stored'
import type { CommandContext } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { readNamed, readStandardInput, standardStream } from '../input/read-named.ts'
import { nameOfRules, ownRules } from './own-rules.ts'

/** How a run is to be scored, as typed. */
export interface ScoreFlags {
  readonly profile?: string
  /** For the profile, where none is named. */
  readonly language?: string
  readonly rules?: string
  readonly glm?: string
  readonly vocabulary?: string
  /** True for the corpus's own. */
  readonly corrections?: string | boolean
}

/**
 * Reads the files that the flags name.
 *
 * @param folder of the run, whose corpus the corrections are of
 * @throws BenchError of the files: FILE_UNREADABLE, CONFIG_INVALID, GLM_INVALID, CORRECTIONS_UNREADABLE; LANGUAGE_UNKNOWN
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
    ...(chosen === undefined ? {} : { profile: chosen }),
    ...(added.length === 0 ? {} : { rules: added }),
    ...(noSpeech === undefined ? {} : { noSpeech }),
    ...(flags.corrections === undefined || flags.corrections === false
      ? {}
      : { corrections: await corrections(context, flags.corrections, folder) }),
  }
}

/** A word or a phrase a line; lines that begin with # are remarks. */
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
 * The corrections that a flag asks for.
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
  // Few commands are given corrections, and all that score import this file.
  const { correctionsPath, readCorrections } = await import('#corpus')
  if (named === standardStream)
    return await readCorrections('stdin', 'stdin', await readStandardInput(context, 'the corrections'))
  if (named !== true) return await readCorrections(resolve(context.cwd, named), named)
  const { config, corpus } = await readRecord(folder)
  const asked = typeof config === 'object' && config !== null && 'corpus' in config ? config['corpus'] : null
  const path = await correctionsPath(typeof asked === 'string' ? asked : corpus.name, context)
  return await readCorrections(path, `${corpus.name}/${basename(path)}`)
}
