import { createHash } from 'node:crypto'
import { mkdir, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFile, readCorpus, type VerifiedUtterance } from '#corpus'
import { writeSelection } from '#corpus/select'
import { BenchError } from '#prelude'
import { fleetErrors } from '../errors.ts'
import { pieceBytes } from '../queue/messages.ts'

export interface CorpusSource {
  /** Corpora on this host, by name or path of their manifests; those that are not there are passed over. */
  readonly corpora: readonly string[]
  /** Where fetched files are kept, by the hashes of their contents. */
  readonly objectsFolder: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Asks the coordinator for a piece of a file. */
  fetchPiece(piece: { sha256: string; offset: number }): Promise<{ base64: string; sizeBytes: number }>
}

/** Files above this go another way than through Redis. */
const maxFileBytes = 1024 ** 3

/**
 * Makes a corpus of these utterances on this host: of recordings that it has where their content is the wanted one, otherwise of files that
 * the coordinator sends.
 *
 * @returns the path of a manifest in the folder
 * @throws BenchError FLEET_FILE_TOO_LARGE, FLEET_BLOCKS_FAILED
 */
export async function provideCorpus(
  folder: string,
  utterances: readonly VerifiedUtterance[],
  source: CorpusSource,
): Promise<string> {
  const here = await recordingsHere(utterances, source)
  const provided: VerifiedUtterance[] = []
  for (const utterance of utterances) {
    const { sha256 } = utterance
    const audioPath = here.get(sha256) ?? (await fetchObject(sha256, source))
    provided.push({ ...utterance, audioPath })
  }
  return writeSelection(folder, provided)
}

/** Recordings of this host with the wanted contents, by their hashes. */
async function recordingsHere(
  utterances: readonly VerifiedUtterance[],
  { corpora, env }: CorpusSource,
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Map(utterances.map(({ id, sha256 }) => [id, sha256]))
  const found = new Map<string, string>()
  for (const name of corpora) {
    const own = await readCorpus(name, { env }).catch((error: unknown) => {
      if (error instanceof BenchError) return null
      throw error
    })
    for (const { id, audioPath } of own?.utterances ?? []) {
      const sha256 = wanted.get(id)
      if (sha256 === undefined || found.has(sha256)) continue
      const isSame = await hashFile(audioPath).then(
        (hash) => hash === sha256,
        () => false,
      )
      if (isSame) found.set(sha256, audioPath)
    }
  }
  return found
}

/** @returns the path of a file with this content, fetched in pieces where it is not there yet */
export async function fetchObject(
  sha256: string,
  { objectsFolder, fetchPiece }: Pick<CorpusSource, 'objectsFolder' | 'fetchPiece'>,
): Promise<string> {
  const path = join(objectsFolder, sha256)
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  if (isThere) return path
  await mkdir(objectsFolder, { recursive: true })
  const draft = `${path}.${process.pid}.draft`
  const hash = createHash('sha256')
  await using file = await open(draft, 'w')
  for (let offset = 0, sizeBytes = 1; offset < sizeBytes; offset += pieceBytes) {
    const piece = await fetchPiece({ sha256, offset })
    sizeBytes = piece.sizeBytes
    if (sizeBytes > maxFileBytes) throw tooLarge(sha256, sizeBytes)
    const bytes = Buffer.from(piece.base64, 'base64')
    hash.update(bytes)
    await file.write(bytes, 0, bytes.length, offset)
  }
  if (hash.digest('hex') !== sha256) throw changed(sha256)
  await file.datasync()
  await rename(draft, path)
  return path
}

function changed(sha256: string): Error {
  return fleetErrors.make('FLEET_BLOCKS_FAILED', {
    message: `the recording ${sha256.slice(0, 12)}… has other content on the coordinator than when the run was planned`,
    hint: 'restore the file on the host of the coordinator, or measure anew: transcribench fleet run',
  })
}

function tooLarge(sha256: string, sizeBytes: number): Error {
  return fleetErrors.make('FLEET_FILE_TOO_LARGE', {
    message: `the recording ${sha256.slice(0, 12)}… has ${Math.round(sizeBytes / 1e6)} MB and is not on this host`,
    hint: 'copy the corpus to the host: transcribench fleet agent --corpus <manifest>',
  })
}
