import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { type ImportedCorpus, importCorpus } from '#corpus/import/import-corpus'
import { importableArchives, importableNames, openImportSource } from '#corpus/import/open-source'
import type { ImportSource } from '#corpus/import/source'
import { locateCorpus } from '#corpus/locate'
import { dataDirectory } from '#installation/installation'
import { shellWord, withoutUndefined } from '#prelude'
import { readLanguage } from '#prelude/languages'
import { counted } from '#reports/layout/units'
import { captionRules } from '#transcripts/formats'
import { type Attach, type CommandContext, listenForInterruption } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { hasRecordings } from '../fetch.ts'
import { positiveNumber, wholeNumber } from '../options.ts'
import { importLine } from '../progress-lines.ts'
import { choice, option, readOption } from '../typed-options.ts'

const importOptions = () => [
  option('--split <name>', 'split or subfolder, such as test-clean'),
  option('--language <language>', 'language of recordings whose source names none'),
  readOption('--limit <n>', 'max. number of utterances', wholeNumber(1)),
  readOption('--hours <h>', 'stop after so much audio', positiveNumber('hours')),
  readOption('--seed <number>', 'draw at random; the same seed draws the same utterances', wholeNumber(0)),
  option('--output <folder>', 'folder of the corpus (default: corpora/<name> in the data directory)'),
  option('--audio-root <folder>', 'audio files that the source names may lie below this folder too'),
  option('--text-column <name>', 'column of a table or data set that holds the text'),
  option('--audio-column <name>', 'column that holds the audio'),
  option('--allow-commands', 'run sox, ffmpeg and sph2pipe where a wav.scp pipes through them'),
  option('--accept-licence', 'accept the terms of a data set that asks for consent'),
  option('--skip-unusable', 'go without what cannot be used; import.json lists it'),
  choice('--captions <rule>', 'subtitles that repeat the end of the cue before', captionRules),
  option('--json', 'one JSON document on stdout'),
]

/** Prefix of the source of dictations on this machine; a discovery file or an address may follow. */
const dictated = 'recordings:'

async function openDictated(target: string, { env }: CommandContext): Promise<ImportSource> {
  const { openDictatedRecordings } = await import('#run/target/dictated-recordings')
  return await openDictatedRecordings(target === '' ? 'auto' : target, env)
}

/** `transcribench corpus import`: a corpus from any recordings with texts. */
export function defineCorpusImport(corpus: Command, attach: Attach): void {
  const names = importableNames.join(', ')
  const command = corpus
    .command('import')
    .description('make a corpus from a public data set, or from recordings on disk')
    .argument('<source>', `${names}, hf:<owner>/<name>[/<config>], ${dictated}, or a path`)
    .addHelpText('after', `\n${sizeHelp()}`)
  attach(command, importOptions, async (context, flags, [name = '']) => {
    const language = flags.language === undefined ? null : readLanguage(flags.language)
    const options = {
      split: flags.split ?? null,
      audioRoot: flags.audioRoot === undefined ? null : resolve(context.cwd, flags.audioRoot),
      audioColumn: flags.audioColumn,
      textColumn: flags.textColumn,
      allowsCommands: flags.allowCommands === true,
      acceptsLicence: flags.acceptLicence === true,
      captions: flags.captions,
      onNote: (note: string) => context.say(`  ~ ${note}`),
    }
    const isAskedForMore = Object.keys(flags).some((flag) => flag !== 'json')
    if (
      !isAskedForMore &&
      /\.(?:jsonl|csv|tsv)$/i.test(name) &&
      (await hasRecordings(resolve(context.cwd, name), context.env))
    ) {
      throw cliErrors.make('IMPORT_NOT_NEEDED', {
        message: `${name} can be measured as it is, without an import; nothing was imported`,
        hint: `measure it: transcribench run --corpus ${shellWord(name)}; for a copy, name its folder: --output <folder>`,
      })
    }
    const source = name.startsWith(dictated)
      ? await openDictated(name.slice(dictated.length), context)
      : await openImportSource(name, options, context)
    const output =
      flags.output === undefined
        ? join(dataDirectory(context.env), 'corpora', source.name)
        : resolve(context.cwd, flags.output)
    const line = importLine(context)
    using interruption = listenForInterruption(() => context.say('stopping after this recording'))
    const { split = null, limit = null, hours = null, seed = null, textColumn, audioColumn, captions } = flags
    const named = withoutUndefined({ textColumn, audioColumn, captions })
    const imported = await importCorpus(source, {
      output,
      request: { source: name, split, language, limit, hours, seed, ...named },
      language,
      limit,
      audioSeconds: hours === null ? null : hours * 3600,
      seed,
      skipUnusable: flags.skipUnusable === true,
      onBegin({ isResumed }) {
        const isPart = isResumed || limit !== null || hours !== null
        if (source.fetchedBytes !== undefined) context.say(toFetch(source, source.fetchedBytes, isPart))
      },
      onProgress: line.show,
      onDownload: line.showDownload,
      signal: interruption.stop,
    })
      .catch((error: unknown) => {
        if (interruption.stop.aborted) return null
        throw error
      })
      .finally(line.done)
    if (imported === null) {
      context.say('  interrupted; what was imported is kept, and the same command goes on from there')
      return 'interrupted'
    }
    // A corpus of the working directory may have the name too, and comes first.
    const found = await locateCorpus(source.name, context).catch(() => null)
    const corpus = found?.manifestPath === imported.manifestPath ? source.name : output
    context.printResult(flags, imported, () => describe(imported, source, corpus))
    return 'done'
  })
}

function sizeHelp(): string {
  const rows = importableArchives.map(
    ({ name, split, sizeBytes }) => `  ${name} --split ${split}: ${sizeText(sizeBytes)}`,
  )
  return ['Sizes (all others are printed, with the licence, before anything is fetched):', ...rows].join('\n')
}

function sizeText(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

/** Size and licence of a download, shown before it starts. */
function toFetch({ title, licence }: ImportSource, bytes: number, isPart: boolean): string {
  const size = `${isPart ? 'at most ' : ''}${sizeText(bytes)}`
  return `  source: ${title}\n  to fetch: ${size}\n  licence: ${licence ?? notNamed}`
}

const notNamed = 'not named by the source'

/** Summary of an import, ending with the next command. */
function describe(
  imported: ImportedCorpus,
  { licence, isOfDrafts = false }: ImportSource,
  corpus: string,
): string {
  const { manifestPath, utteranceCount, audioSeconds, renamedCount, skipped, wasThere } = imported
  const lines = [
    `${wasThere ? 'was imported before' : 'imported'}: ${counted(utteranceCount, 'utterance')}, ${formatHours(audioSeconds)} of audio`,
    `manifest: ${manifestPath}`,
    `licence: ${licence ?? notNamed}`,
    ...(renamedCount === 0
      ? []
      : [
          `${renamedCount === 1 ? '1 id was' : `${renamedCount} ids were`} in use already and got a number: a, a-2, a-3`,
        ]),
    ...(skipped.length === 0
      ? []
      : [
          `${skipped.length === 1 ? '1 problem was' : `${skipped.length} problems were`} skipped; import.json lists them`,
        ]),
    ...(isOfDrafts ? ['the texts are drafts of an engine: none is scored before it is reviewed'] : []),
    `next: transcribench ${isOfDrafts ? 'review' : 'run --corpus'} ${shellWord(corpus)}`,
  ]
  return lines.map((line) => `  ${line}`).join('\n')
}

function formatHours(seconds: number): string {
  if (seconds < 600) return `${seconds.toFixed(1)} s`
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(2)} h`
}
