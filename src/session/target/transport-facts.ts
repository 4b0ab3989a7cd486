import { realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import pLimit from 'p-limit'
import type { BenchConfig } from '#config'
import { hostPlatform } from '#contract'
import type { VerifiedUtterance } from '#corpus'
import type { TransportFacts } from '#run'
import { sessionErrors } from '../errors.ts'
import type { OpenTarget } from './open-target.ts'

/** What is known of how audio can reach a target. */
export interface AudioReach extends TransportFacts {
  /** Absolute path of the folder for staged copies; null where none are made. */
  readonly stagingFolder: string | null
}

type ServiceReach = Pick<OpenTarget, 'kind' | 'connection' | 'serverPid' | 'discoveryPath'>

/**
 * Finds out which files the target may read. The built-in service may read the corpus. Of a service on
 * this machine the recordings folder is known: next to its discovery file, or where its past recordings are.
 *
 * @throws BenchError STAGING_FOLDER_UNKNOWN where copies are asked for and there is no place for them
 */
export async function audioReach(
  config: Pick<BenchConfig, 'platform' | 'stage'>,
  utterances: readonly Pick<VerifiedUtterance, 'audioPath'>[],
  target: ServiceReach,
): Promise<AudioReach> {
  if (target.kind === 'embedded') {
    return {
      platform: hostPlatform(process.platform),
      mayRead: () => true,
      canStage: false,
      stagingFolder: null,
    }
  }
  const isHere = target.serverPid !== null
  const folders = isHere ? await readableFolders(target) : []
  const readable = await pathsInside(
    utterances.map(({ audioPath }) => audioPath),
    folders,
  )
  const stagingFolder = config.stage === null ? null : await findStagingFolder(config.stage, folders)
  return {
    platform: config.platform ?? (isHere ? hostPlatform(process.platform) : null),
    mayRead: (path) => readable.has(path),
    canStage: stagingFolder !== null,
    stagingFolder,
  }
}

/** Recordings that are asked for, in the search for the folder they lie in. */
const fewRecordings = 20

async function readableFolders({ connection, discoveryPath }: ServiceReach): Promise<readonly string[]> {
  const searched = await connection.searchRecordings({ limit: fewRecordings })
  const recordings = searched.ok ? searched.value.recordings : []
  const candidates = [
    ...(discoveryPath === null ? [] : [join(dirname(discoveryPath), 'recordings')]),
    ...recordings
      .map(({ audioFilePath }) => audioFilePath)
      .filter((path) => path !== '')
      .map((path) => dirname(path)),
  ]
  const real = await Promise.all([...new Set(candidates)].map(realFolder))
  return [...new Set(real.filter((folder) => folder !== null))]
}

async function realFolder(path: string): Promise<string | null> {
  // What a service says of its files may be true on another machine only.
  const real = await realpath(path).catch(() => null)
  return real !== null && (await stat(real)).isDirectory() ? real : null
}

/** The paths that lie, with every symbolic link resolved, in one of the folders: the service looks likewise. */
async function pathsInside(
  paths: readonly string[],
  folders: readonly string[],
): Promise<ReadonlySet<string>> {
  if (folders.length === 0) return new Set()
  const limited = pLimit(16)
  const inside = await Promise.all(
    paths.map((path) =>
      limited(async () => {
        const real = await realpath(path)
        return folders.some((folder) => real.startsWith(folder + sep))
      }),
    ),
  )
  return new Set(paths.filter((_, index) => inside[index]))
}

async function findStagingFolder(wanted: string, folders: readonly string[]): Promise<string> {
  const [known] = folders
  if (wanted === 'auto' && known !== undefined) return known
  const folder = wanted === 'auto' ? null : await realFolder(resolve(wanted))
  if (folder !== null) return folder
  throw sessionErrors.make('STAGING_FOLDER_UNKNOWN', {
    message:
      wanted === 'auto'
        ? 'it is not known which folder the target may read: it runs elsewhere, or has no recordings yet'
        : `there is no folder ${wanted} to put copies of recordings in`,
    hint: 'name the recordings folder of the application, as its settings show it: --stage <folder>',
  })
}
