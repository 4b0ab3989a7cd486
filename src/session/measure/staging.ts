import { randomUUID } from 'node:crypto'
import { constants, copyFile, mkdir, rm } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { VerifiedUtterance } from '#corpus'
import { appendStagingLine, listRuns, readStagedFolders } from '#journal'
import type { Route, TranscriptionSending, Way } from '#run'
import { sessionErrors } from '../errors.ts'
import type { MeasurePlan, PlannedTarget } from '../plan/measure-plan.ts'
import { isRunAlive } from './run-life.ts'

/** The utterances of a plan, ready to be sent. Disposing removes the copies that were made. */
export interface StagedUtterances extends AsyncDisposable {
  /** By contender. */
  readonly sendables: TranscriptionSending['sendables']
}

/** Where the name of every folder of copies begins; nothing else is ever removed. */
const folderPrefix = 'transcribench-staged-'

/**
 * Makes the copies that a plan needs, in one new folder that the journal knows before it exists. Where copies are
 * only a way to fall back on, they are made as well: in the middle of a run they would disturb it.
 *
 * @param runFolder where the journal of the run is
 * @throws BenchError STAGING_FAILED; nothing is left behind then
 */
export async function stageCopies(
  plan: Pick<MeasurePlan, 'corpus'> & Pick<PlannedTarget, 'routes' | 'stagingFolder'>,
  runFolder: string,
): Promise<StagedUtterances> {
  const { stagingFolder, corpus } = plan
  const isStaged = (utterance: VerifiedUtterance): boolean =>
    [...plan.routes.values()].some((routes) =>
      routes.of(utterance).some(({ transport }) => transport === 'staged'),
    )
  const wanted = stagingFolder === null ? [] : corpus.utterances.filter(isStaged)
  const copies = new Map<string, string>()
  const folder = join(stagingFolder ?? '', `${folderPrefix}${randomUUID()}`)
  if (wanted.length > 0 && stagingFolder !== null) {
    await appendStagingLine(runFolder, { kind: 'staging', folder })
    try {
      await mkdir(folder)
      for (const { id, audioPath, sha256 } of wanted) {
        const path = join(folder, `${sha256}${extname(audioPath)}`)
        // Two utterances may have the same recording.
        await copyFile(audioPath, path, constants.COPYFILE_FICLONE)
        copies.set(id, path)
      }
    } catch (cause) {
      await removeCopies(runFolder, folder)
      throw sessionErrors.make('STAGING_FAILED', {
        message: `recordings could not be copied to ${stagingFolder}: ${(cause as Error).message}`,
        hint: 'name a folder that you may write and the target may read: --stage <folder>',
        cause,
      })
    }
  }
  const utteranceById = new Map(corpus.utterances.map((utterance) => [utterance.id, utterance]))
  return {
    sendables: new Map(
      [...plan.routes].map(([contenderId, routes]) => [
        contenderId,
        (id) => {
          const utterance = utteranceById.get(id)
          if (utterance === undefined) throw new TypeError(`${id} is not in the plan`)
          const ways = waysOf(routes.of(utterance), copies.get(id))
          return { ways, audioSeconds: utterance.durationSeconds, times: utterance.times }
        },
      ]),
    ),
    async [Symbol.asyncDispose]() {
      if (copies.size > 0) await removeCopies(runFolder, folder)
    },
  }
}

function waysOf(routes: readonly Route[], copy: string | undefined): Way[] {
  return routes.flatMap((route): Way[] => {
    if (route.transport !== 'staged') return [route]
    return copy === undefined ? [] : [{ transport: 'staged', audio: { transport: 'path', path: copy } }]
  })
}

async function removeCopies(runFolder: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await appendStagingLine(runFolder, { kind: 'removed', folder })
}

/**
 * Removes the copies that dead runs left behind, by their journals.
 *
 * @returns the folders that were removed
 */
export async function removeStaleCopies(resultsFolder: string): Promise<readonly string[]> {
  const removed: string[] = []
  for (const runFolder of await listRuns(resultsFolder)) {
    const folders = await readStagedFolders(runFolder)
    if (folders.length === 0 || (await isRunAlive(runFolder))) continue
    for (const folder of folders) {
      // A manipulated journal must not be able to name what is removed.
      if (!basename(folder).startsWith(folderPrefix)) continue
      await removeCopies(runFolder, folder)
      removed.push(folder)
    }
  }
  return removed
}
