import { type FileHandle, open, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Header, Pax } from 'tar'
import { exists } from '#installation/files'
import { grouped } from '#prelude'
import { makeSegment, type SourceRecording, type SourceSegment } from '../source.ts'
import { type JsonRow, readJsonRows, secondsField, textField } from './json-rows.ts'
import { cutEnding, type Layout, namesAt, readHead, type Tree } from './layout.ts'

/** NeMo manifests: JSON Lines with `audio_filepath`, `text`, `duration`, optional `offset`; audio may be in tars. */
export const nemo: Layout = {
  name: 'nemo',
  title: 'NeMo manifests',
  mark: 'JSON Lines with audio_filepath',
  matches: async (path) => (await manifestsAt(path)).length > 0,

  async read(tree) {
    const recordings: SourceRecording[] = []
    for (const path of await manifestsAt(tree.root)) {
      for (const recording of await readManifest(path, tree)) recordings.push(recording)
    }
    return recordings
  },
}

async function manifestsAt(path: string): Promise<readonly string[]> {
  const { folder, names, only } = await namesAt(path)
  const found: string[] = []
  for (const name of only ?? names.filter((each) => each.includes('manifest'))) {
    const file = join(folder, name)
    // The content is checked, because other software also has files with such names.
    if (/\.jsonl?(?:\.gz)?$/i.test(file) && /"audio_filepath"\s*:/.test(await readHead(file)))
      found.push(file)
  }
  return found
}

async function readManifest(path: string, tree: Tree): Promise<readonly SourceRecording[]> {
  const folder = dirname(path)
  const tars = await openTars(path, tree)
  const groups = Map.groupBy(await readJsonRows(tree, path), (row) => textField(row, 'audio_filepath', tree))
  const recordings: SourceRecording[] = []
  for (const [name, rows] of groups) {
    const [first] = rows
    if (name === null || first === undefined) continue
    const shard = secondsField(first.fields, 'shard_id')
    // An archive next to a manifest may be the download from which the recordings were unpacked.
    const isInTar = tars !== null && !(await exists(resolve(folder, name)))
    const read = isInTar ? tars(name, shard, first.where) : await tree.audio(name, folder, first.where)
    const segments = rows.flatMap((row) => readSegment(row, cutEnding(name), tree) ?? [])
    if (read === null || segments.length === 0) continue
    recordings.push({ id: cutEnding(name), where: first.where, segments, read })
  }
  return recordings
}

function readSegment(row: JsonRow, id: string, tree: Tree): SourceSegment | null {
  const text = textField(row, 'text', tree)
  if (text === null) return null
  // NeMo's create_manifest writes this for recordings without texts, and NeMo's readers would take it for the text.
  if (text === '-' && row.fields['label'] === 'infer') {
    tree.report({ where: row.where, what: 'has no text: NeMo writes "-" for none' })
    return null
  }
  const offset = secondsField(row.fields, 'offset')
  const duration = secondsField(row.fields, 'duration')
  const facts = {
    text,
    where: row.where,
    speaker: textField(row, 'speaker', null),
    language: textField(row, 'lang', null),
  }
  if (offset === null && row.fields['offset'] != null) {
    tree.report({ where: row.where, what: 'has an "offset" that is no number of seconds' })
    return null
  }
  // NeMo reads only the duration that the manifest states. For a whole file its create_manifest writes an
  // offset of 0 and no duration.
  if (offset === null || (offset === 0 && !duration))
    return makeSegment({ ...facts, id, endSeconds: duration || null })
  if (duration === null || duration === 0) {
    tree.report({ where: row.where, what: 'has an "offset" and no "duration" in seconds' })
    return null
  }
  const endSeconds = Math.round((offset + duration) * 1e8) / 1e8
  return makeSegment({ ...facts, startSeconds: offset, endSeconds })
}

/** Opens the archives `audio_0.tar`, `audio_1.tar`, … next to `tarred_audio_manifest.json`. */
async function openTars(
  manifest: string,
  tree: Tree,
): Promise<((name: string, shard: number | null, where: string) => SourceRecording['read'] | null) | null> {
  const folder = dirname(manifest)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.tar')).sort()
  if (names.length === 0) return null
  const tars = new Map<string, TarFiles>()
  for (const name of names) {
    const { problems, files } = await listTar(join(folder, name))
    for (const what of problems) tree.report({ where: name, what })
    tars.set(name, files)
  }
  return (name, shard, where) => {
    const searched = [...tars].filter(
      ([tar]) => shard === null || Number(/(\d+)\.tar$/.exec(tar)?.[1] ?? Number.NaN) === shard,
    )
    // NeMo replaces slashes in the names of entries by underscores, or omits the folders.
    const spellings = [name, name.replaceAll('/', '_'), name.split('/').at(-1) ?? name]
    for (const [tar, files] of searched) {
      for (const spelling of spellings) {
        const found = files.get(spelling)
        if (typeof found === 'string') {
          tree.report({ where, what: `${spelling} in ${tar} ${found}` })
          return null
        }
        if (found !== undefined) return found
      }
    }
    const names = searched.map(([tar]) => tar).join(', ') || 'the archives'
    tree.report({ where, what: `${name} is in none of ${names}` })
    return null
  }
}

const blockBytes = 512
/** Maximum size of a buffer; a longer file would exhaust memory. */
const maxFileBytes = 2 ** 31 - 1
/** Maximum length of a name, to bound memory. */
const maxNameBytes = 1 << 16

/** Files of a tar archive by name: a function that reads one, or why it is not read, to follow its name. */
type TarFiles = ReadonlyMap<string, SourceRecording['read'] | string>

/**
 * Lists a tar archive without reading its files. Links are not followed, and devices are not listed.
 *
 * @returns the files, and problems of the archive; entries before a fault can be read
 */
async function listTar(
  path: string,
): Promise<{ readonly problems: readonly string[]; readonly files: TarFiles }> {
  const files = new Map<string, SourceRecording['read'] | string>()
  const problems: string[] = []
  await using file = await open(path)
  const { size } = await file.stat()
  let attributes: Pax | undefined
  for (let position = 0; position + blockBytes <= size; ) {
    const header = new Header(await readAt(file, position, blockBytes), 0, attributes)
    if (header.nullBlock) break
    const start = position + blockBytes
    const bytes = header.size ?? 0
    if (!header.cksumValid || start + bytes > size) {
      problems.push(`is cut short or damaged at byte ${position}, after ${files.size} files`)
      break
    }
    position = start + Math.ceil(bytes / blockBytes) * blockBytes
    const isName = header.type === 'ExtendedHeader' || header.type === 'NextFileHasLongPath'
    if (isName && bytes <= maxNameBytes) {
      const text = (await readAt(file, start, bytes)).toString('utf8')
      attributes =
        header.type === 'ExtendedHeader' ? Pax.parse(text) : new Pax({ path: text.replace(/\0.*$/s, '') })
      continue
    }
    attributes = undefined
    const name = (header.path ?? '').replace(/^\.\//, '')
    if (header.type === 'Link' || header.type === 'SymbolicLink') {
      files.set(name, 'is a link, and no link is followed')
    }
    if (header.type === 'File' || header.type === 'OldFile') {
      const isOutside = name.startsWith('/') || name.split(/[\\/]/).includes('..')
      if (isOutside) files.set(name, 'leaves the folder of the archive')
      else if (bytes <= maxFileBytes) files.set(name, () => readPart(path, start, bytes))
      else files.set(name, `has ${grouped(bytes)} bytes, and ${grouped(maxFileBytes)} are the most`)
    }
  }
  return { problems, files }
}

async function readPart(path: string, start: number, bytes: number): Promise<Uint8Array> {
  await using file = await open(path)
  return await readAt(file, start, bytes)
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}
