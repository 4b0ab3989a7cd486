import { once } from 'node:events'
import { userInfo } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import process from 'node:process'
import type { Command } from 'commander'
import { findRun } from '#journal/find-run'
import { BenchError, counted, shellWord } from '#prelude'
import { type Reviewing, type ReviewOptions, reviewCorpus, reviewRun } from '#results/review'
import { type Attach, listenForInterruption } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { findRunsIn, resultsOption, shortened, wholeNumber } from '../options.ts'
import { option, readOption } from '../typed-options.ts'

const reviewOptions = () => [
  option('--reviewer <name>', 'name to record with every correction (default: the user of this machine)'),
  readOption('--port <number>', 'port of the page (default: any free port)', wholeNumber(0), 0),
  resultsOption(),
]

/** `transcribench review <run|corpus>`: serves a local page to listen to recordings and correct references. */
export function defineReviewCommand(review: Command, attach: Attach): void {
  review.argument('<run|corpus>', 'a run as report takes it, or the name or path of a corpus')
  attach(review, reviewOptions, async (context, { reviewer, port, results }, [name = '']) => {
    const options: ReviewOptions = {
      env: context.env,
      by: reviewer ?? userName(),
      port,
      today: () => new Date(),
      scoreCommand: (folder) => {
        findRunsIn(dirname(folder), context)
        return context.asTyped(`transcribench score ${shellWord(basename(folder))} --corrections`)
      },
    }
    using interruption = listenForInterruption(() => undefined)
    await using reviewing = await startReview(name, resolve(context.cwd, results), options)
    const { address, file, utteranceCount, audibleCount } = reviewing
    context.print(`\n  open       ${address}`)
    context.say(
      [
        '             the link works once, in one tab of a browser on this machine',
        `  listen     ${audibleCount} of ${utteranceCount} recordings are here`,
        ...(reviewing.doubtCount === 0 ? [] : [`  decide     ${doubtWords(reviewing)}, listed first`]),
        `  correct    as ${options.by}; written to ${shortened(file, context.cwd)}`,
        '  stop       Ctrl-C: what is confirmed is on disk',
        '',
      ].join('\n'),
    )
    if (!interruption.stop.aborted) await once(interruption.stop, 'abort')
    return 'done'
  })
}

/** The name of this user; the number where the system has no name for it, as in many containers. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

function doubtWords({ doubtCount, isCorpus }: Reviewing): string {
  return isCorpus ? counted(doubtCount, 'draft') : `${counted(doubtCount, 'reference')} in doubt`
}

/** Finds a run by its folder, else a corpus, else a run by its name, whose default is that of its corpus. */
async function startReview(name: string, results: string, options: ReviewOptions): Promise<Reviewing> {
  const folder = await findRun(name, results).catch((error: unknown) => {
    if (error instanceof BenchError && error.code === 'RUN_NOT_FOUND') return error
    throw error
  })
  const isOnlyNamed =
    typeof folder === 'string' &&
    name !== 'latest' &&
    resolve(name) !== folder &&
    !basename(folder).startsWith(name)
  if (typeof folder === 'string' && !isOnlyNamed) return await reviewRun(folder, options)
  return await reviewCorpus(name, options).catch(async (error: unknown) => {
    if (!(error instanceof BenchError) || error.code !== 'CORPUS_UNKNOWN') throw error
    if (typeof folder === 'string') return await reviewRun(folder, options)
    throw cliErrors.make('NOTHING_TO_REVIEW', {
      message: `"${name}" is neither a run nor a corpus`,
      hint: error.hint,
      problems: [folder, error].map(({ message }) => ({ where: null, what: message })),
      cause: error,
    })
  })
}
