import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { journalErrors } from '#journal/run-writer'
import { allOf, BenchError, type DeepReadonly, nearest, shellWord } from '#prelude'
import { changeStored, readStored } from './stored-file.ts'

export const baselinesSchema = z
  .strictObject({
    formatVersion: z.literal(1).describe('Version of this file.'),
    baselines: z
      .record(z.string(), z.array(z.string()).min(1))
      .describe('Names of run folders, by the name of the baseline.'),
  })
  .describe(
    '`baselines.json` of a results folder: named baselines, as `transcribench baseline set` writes them.',
  )

export type Baselines = DeepReadonly<z.infer<typeof baselinesSchema>['baselines']>

const fileName = 'baselines.json'

/** @throws BenchError BASELINES_UNREADABLE */
export async function readBaselines(results: string): Promise<Baselines> {
  const stored = await readStored(join(results, fileName), {
    schema: baselinesSchema,
    code: 'BASELINES_UNREADABLE',
    content: 'baselines',
    hint: 'restore it from a copy, or remove it and set the baselines again: transcribench baseline set main latest',
  })
  return stored?.baselines ?? {}
}

/**
 * Gives one or more runs a name, such as that of a branch.
 *
 * @returns the names of the run folders
 * @throws BenchError RUN_NOT_FOUND, RUN_AMBIGUOUS, BASELINES_UNREADABLE
 */
export async function setBaseline(
  name: string,
  runs: readonly string[],
  results: string,
): Promise<readonly string[]> {
  const { findRuns } = await import('#journal/find-run')
  const folders = await findRuns(runs, results)
  const elsewhere = folders.find((folder) => !existsSync(join(results, basename(folder))))
  if (elsewhere !== undefined) throw runElsewhere(name, elsewhere, results)
  const ids = [...new Set(folders.map((folder) => basename(folder)))]
  await changeBaselines(results, (baselines) => ({ ...baselines, [name]: ids }))
  return ids
}

/** A baseline names folders next to its file, so that a results folder can be moved with it. */
function runElsewhere(name: string, folder: string, results: string): Error {
  return journalErrors.make('RUN_NOT_FOUND', {
    message: `${folder} is not in ${results}, which holds the baselines`,
    hint: `set it where the run is: transcribench baseline set ${shellWord(name)} ${shellWord(basename(folder))} --results ${shellWord(dirname(folder))}`,
  })
}

/**
 * Removes a name; its runs stay.
 *
 * @returns false if there was no such baseline
 */
export async function removeBaseline(name: string, results: string): Promise<boolean> {
  const stored = await readBaselines(results)
  if (!Object.hasOwn(stored, name)) return false
  await changeBaselines(results, ({ [name]: _removed, ...baselines }) => baselines)
  return true
}

function changeBaselines(results: string, change: (baselines: Baselines) => Baselines): Promise<void> {
  return changeStored(
    join(results, fileName),
    () => readBaselines(results),
    (baselines) => ({ formatVersion: 1, baselines: change(baselines) }),
  )
}

/**
 * The folders of one side of a comparison: a baseline by its name, or runs as `findRun` finds them, several separated
 * by commas.
 *
 * @throws BenchError RUN_NOT_FOUND, also for an empty text; RUN_AMBIGUOUS, BASELINES_UNREADABLE
 */
export async function findSide(text: string, results: string): Promise<readonly string[]> {
  const baselines = await readBaselines(results)
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.length === 0) {
    throw journalErrors.make('RUN_NOT_FOUND', {
      message: `"${text}" names no run`,
      hint: 'name a baseline, a run, several with commas between them, or say latest',
    })
  }
  const found = await allOf(
    names.flatMap((name): readonly Promise<string>[] =>
      // `latest` always means the newest run, even if a hand-written file has a baseline of this name.
      name === 'latest' || !Object.hasOwn(baselines, name)
        ? [findSideRun(name, results, Object.keys(baselines))]
        : (baselines[name] ?? []).map((run) => findBaselineRun(name, run, results)),
    ),
  )
  return [...new Set(found)]
}

/** Finds a run of a baseline, which may have been removed since. */
async function findBaselineRun(name: string, run: string, results: string): Promise<string> {
  const { findRun } = await import('#journal/find-run')
  return await findRun(run, results).catch((cause: unknown) => {
    if (!(cause instanceof BenchError) || cause.code !== 'RUN_NOT_FOUND') throw cause
    throw journalErrors.make('RUN_NOT_FOUND', {
      message: `the run ${run} of the baseline "${name}" is not in ${results} any more`,
      hint: `restore its folder, or set the baseline anew: transcribench baseline set ${shellWord(name)} latest`,
      cause,
    })
  })
}

/** Finds a run that is no baseline. If there is none, the error explains how to set a baseline. */
async function findSideRun(name: string, results: string, baselines: readonly string[]): Promise<string> {
  const { findRun } = await import('#journal/find-run')
  try {
    return await findRun(name, results)
  } catch (error) {
    if (!(error instanceof BenchError) || error.code !== 'RUN_NOT_FOUND') throw error
    const meant = nearest(name, baselines)
    const message = error.message.replace('there is no run', 'there is no baseline and no run')
    throw journalErrors.make('RUN_NOT_FOUND', {
      message: meant === null ? message : `${message.split(';')[0]}; did you mean the baseline "${meant}"?`,
      hint:
        error.problems.length === 0
          ? error.hint
          : `name one of these runs, say latest, or make one the baseline: transcribench baseline set ${shellWord(name)} latest`,
      problems: error.problems,
      cause: error,
    })
  }
}
