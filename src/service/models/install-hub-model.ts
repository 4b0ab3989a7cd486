import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HubFile, HubProblem, HubRepository } from '#corpus/packages/hub-repository'
import type { BenchError } from '#prelude'
import {
  findCompanions,
  findFiles,
  type RoleFiles,
  readOnnxMetadata,
  type SherpaFamily,
  sherpaFamilies,
} from '../engines/sherpa-families.ts'
import { serviceErrors } from '../errors.ts'
import { addableFamilies, checkByLoading, idPattern, register } from './add-model.ts'
import { type HubModel, hubModels, isOfRegister } from './known-models.ts'
import { checkRoom, fetchedPath, modelFolder } from './model-folder.ts'

/** A model of the hub to install. */
export interface HubInstallation extends Pick<HubModel, 'id' | 'repository'> {
  readonly revision?: string | undefined
}

interface HubInstallOptions {
  readonly modelsDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal | undefined
  /** Reports the progress of all files together. */
  onDownload(source: string, receivedBytes: number, totalBytes: number): void
}

/** The form of a reference to a repository of the hub. */
const reference = /^hf:([\w.-]+\/[\w.-]+)(?:@([\w./-]+))?$/

/**
 * Parses `hf:<owner>/<repository>[@<revision>]`; a repository of the catalogue gets its id there.
 *
 * @returns null for a name that does not begin with `hf:`
 * @throws BenchError MODEL_UNKNOWN for a malformed reference
 */
export function parseHubReference(name: string): HubInstallation | null {
  if (!name.startsWith('hf:')) return null
  const [, repository, revision] = reference.exec(name) ?? []
  const hubModel = hubModels.find((model) => model.repository === repository)
  const id = hubModel?.id ?? repository?.replace(/^.*\//, '').replace(/^sherpa-onnx-(?=.)/, '') ?? ''
  // The id becomes the name of the model's folder.
  if (repository === undefined || !idPattern.test(id) || isOfRegister(id)) {
    throw serviceErrors.make('MODEL_UNKNOWN', {
      message: `"${name}" names no repository of the hub.`,
      hint: 'write hf:<owner>/<repository>, or hf:<owner>/<repository>@<revision>',
    })
  }
  return { id, repository, revision }
}

const codes = {
  unknown: 'MODEL_UNKNOWN',
  refused: 'MODEL_REFUSED',
  unreachable: 'MODEL_UNREACHABLE',
} as const satisfies Record<HubProblem, string>

/**
 * Fetches a model's files from the hub, checks each with the hash that the hub lists, loads the model once,
 * and registers it with the commit. An interrupted download is resumed by the next call. The caller must hold
 * the models directory.
 *
 * @throws BenchError MODEL_UNKNOWN, MODEL_REFUSED, MODEL_UNREACHABLE, MODEL_UNUSABLE, MODELS_DISK_FULL
 */
export async function installHubModel(
  { id, repository: name, revision }: HubInstallation,
  { modelsDir, environment, signal, onDownload }: HubInstallOptions,
): Promise<void> {
  // Models outside of the catalogue are identified by their file names.
  const hubModel = hubModels.find((model) => model.id === id && model.repository === name) ?? null
  const { openHubRepository } = await import('#corpus/packages/hub-repository')
  const repository = await openHubRepository({
    kind: 'model',
    name,
    revision: revision ?? hubModel?.revision,
    env: environment,
    fail: (problem, words) => serviceErrors.make(codes[problem], words),
  })
  const listed = ((await repository.list()) ?? []).filter(({ path }) => !/[\\/:]/.test(path))
  const candidates = hubModel === null ? byNames(listed, repository) : [named(hubModel, listed, repository)]
  // All candidates have the same files; their metadata decides between the families.
  const names = Object.values(candidates[0]?.files ?? {})
  const wanted = [
    ...names,
    ...findCompanions(
      listed.map(({ path }) => path),
      candidates[0]?.files ?? {},
    ),
  ]
  const files = listed.filter(({ path }) => wanted.includes(path))
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const fetched = fetchedPath(modelsDir, id)
  // Files of another commit may have the same names, so each commit has a separate folder.
  const folder = join(fetched, repository.commit)
  for (const other of await readdir(fetched).catch(() => []))
    if (other !== repository.commit) await rm(join(fetched, other), { recursive: true, force: true })
  await checkRoom(
    modelsDir,
    totalBytes,
    files.map(({ path }) => join(folder, path)),
  )
  let doneBytes = 0
  for (const file of files) {
    await repository.fetch(file, join(folder, file.path), {
      onProgress: ({ receivedBytes }) =>
        onDownload(`hf:${name} ${file.path}`, doneBytes + receivedBytes, totalBytes),
      signal,
    })
    doneBytes += file.sizeBytes
  }
  const found = await recognised(candidates, folder)
  if (found === null) {
    await rm(fetched, { recursive: true, force: true })
    throw unusable(repository, 'is of a family that no engine here runs', listed)
  }
  await checkByLoading(id, found.family, folder, signal)
  const home = modelFolder(modelsDir, { id })
  await rm(home, { recursive: true, force: true })
  await rename(folder, home)
  await rm(fetched, { recursive: true, force: true })
  await register(
    {
      ...found,
      id,
      companions: wanted.slice(names.length),
      folder: home,
      copied: true,
      facts: {
        displayName: hubModel?.displayName ?? `${found.family.displayName} ${id}`,
        languages: hubModel?.languages ?? [],
        licence: hubModel?.licence ?? repository.licence ?? undefined,
        hub: { repository: name, revision: repository.commit },
      },
    },
    modelsDir,
  )
}

interface Candidate {
  readonly family: SherpaFamily
  readonly files: RoleFiles
}

/** Checks the files that the catalogue names, because the repository may have renamed them. */
function named(
  { family: name, files }: HubModel,
  listed: readonly HubFile[],
  repository: HubRepository,
): Candidate {
  const family = sherpaFamilies.find((known) => known.family === name)
  const missing = Object.values(files).filter((file) => !listed.some(({ path }) => path === file))
  if (family === undefined || missing.length > 0)
    throw unusable(repository, `has no ${missing.join(', ')}`, listed)
  return { family, files }
}

/**
 * Families whose file names match, those with the most files only: a transducer has all files of a Whisper,
 * and one more.
 */
function byNames(listed: readonly HubFile[], repository: HubRepository): readonly Candidate[] {
  const names = listed.map(({ path }) => path)
  const fitting = sherpaFamilies.flatMap((family): Candidate[] => {
    const files = findFiles(names, family.roles)
    return files.ok ? [{ family, files: files.value }] : []
  })
  const partCount = Math.max(...fitting.map(({ files }) => Object.keys(files).length))
  const candidates = fitting.filter(({ files }) => Object.keys(files).length === partCount)
  if (candidates.length === 0)
    throw unusable(repository, 'has not the files of a model that runs here', listed)
  return candidates
}

async function recognised(candidates: readonly Candidate[], folder: string): Promise<Candidate | null> {
  for (const candidate of candidates) {
    const { family, files } = candidate
    if (family.recognises(await readOnnxMetadata(join(folder, files[family.describedBy] ?? ''))))
      return candidate
  }
  return null
}

const maxNamedFiles = 20

function unusable({ name, commit }: HubRepository, what: string, listed: readonly HubFile[]): BenchError {
  const named = listed.slice(0, maxNamedFiles).map(({ path }) => path)
  const more = listed.length > named.length ? ` and ${listed.length - named.length} more` : ''
  return serviceErrors.make('MODEL_UNUSABLE', {
    message: `hf:${name} (commit ${commit.slice(0, 7)}) ${what}.`,
    hint:
      `It has to be an export for sherpa-onnx, of ${addableFamilies.join(', ')}, with its files at the top. ` +
      'docs/engines.md lists the names of the files.',
    problems: [{ where: `hf:${name}`, what: `has ${named.join(', ') || 'no files'}${more}` }],
  })
}
