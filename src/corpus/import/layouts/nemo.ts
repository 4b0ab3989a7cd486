import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SourceRecording, SourceSegment } from '../source.ts'
import { wholeRecording } from '../source.ts'
import { type JsonRow, readJsonRows, secondsField, textField } from './json-rows.ts'
import { type Layout, readHead, stemOf, type Tree } from './layout.ts'
import { indexTar, type TarIndex } from './tar-index.ts'

/** NeMo manifests: JSON Lines with `audio_filepath`, `text`, `duration` and perhaps `offset`; the audio in files or in tars. */
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
  const isFile = (await stat(path).catch(() => null))?.isFile() === true
  const names = isFile ? [] : (await readdir(path).catch(() => [])).sort()
  const named = isFile
    ? [path]
    : names.filter((name) => name.includes('manifest')).map((name) => join(path, name))
  const found: string[] = []
  for (const each of named) {
    // Other projects call their files so too: Transformers' feature extractors, browsers' extensions.
    if (/\.jsonl?(?:\.gz)?$/i.test(each) && /"audio_(?:filepath|file)"\s*:/.test(await readHead(each)))
      found.push(each)
  }
  return found
}

async function readManifest(path: string, tree: Tree): Promise<readonly SourceRecording[]> {
  const folder = dirname(path)
  const tars = await openTars(path, tree)
  const groups = new Map<string, JsonRow[]>()
  for (const row of await readJsonRows(tree, path)) {
    const name = textField(row, 'audio_filepath', tree)
    if (name === null) continue
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [row])
    else group.push(row)
  }
  const recordings: SourceRecording[] = []
  for (const [name, rows] of groups) {
    const [first] = rows
    if (first === undefined) continue
    const shard = secondsField(first.fields, 'shard_id')
    const read =
      tars === null ? await tree.audio(name, folder, first.where) : tars.find(name, shard, first.where, tree)
    const segments = rows.flatMap((row) => readSegment(row, stemOf(name), tree) ?? [])
    if (read === null || segments.length === 0) continue
    recordings.push({ id: stemOf(name), where: first.where, channel: null, cutAt: 'given', segments, read })
  }
  return recordings
}

function readSegment(row: JsonRow, id: string, tree: Tree): SourceSegment | null {
  const text = textField(row, 'text', tree)
  if (text === null) return null
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
  // NeMo reads so much of a file as the manifest says, also from its beginning.
  if (offset === null) return wholeRecording({ ...facts, id, endSeconds: duration || null })
  if (duration === null || duration === 0) {
    tree.report({ where: row.where, what: 'has an "offset" and no "duration" in seconds' })
    return null
  }
  const endSeconds = Math.round((offset + duration) * 1e8) / 1e8
  return { ...wholeRecording(facts), startSeconds: offset, endSeconds }
}

interface Tars {
  find(name: string, shard: number | null, where: string, tree: Tree): (() => Promise<Uint8Array>) | null
}

/** `tarred_audio_manifest.json` next to `audio_0.tar`, `audio_1.tar`, … */
async function openTars(manifest: string, tree: Tree): Promise<Tars | null> {
  const folder = dirname(manifest)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.tar')).sort()
  if (names.length === 0) return null
  const indexes = new Map<string, TarIndex>()
  for (const name of names) {
    const index = await indexTar(join(folder, name))
    for (const what of index.problems) tree.report({ where: name, what })
    indexes.set(name, index)
  }
  return {
    find(name, shard, where) {
      const searched = shard === null ? [...indexes] : [...indexes].filter(([tar]) => shardOf(tar) === shard)
      // NeMo writes folders into the names of entries as underscores, or leaves them out.
      const spellings = [name, name.replaceAll('/', '_'), name.split('/').at(-1) ?? name]
      for (const [tar, index] of searched) {
        for (const spelling of spellings) {
          const found = index.find(spelling)
          if (typeof found === 'string') {
            tree.report({ where, what: `${spelling} in ${tar} ${found}` })
            return null
          }
          if (found !== null) return found
        }
      }
      tree.report({
        where,
        what: `${name} is in none of ${searched.map(([tar]) => tar).join(', ') || 'the archives'}`,
      })
      return null
    },
  }
}

function shardOf(name: string): number {
  return Number(/(\d+)\.tar$/.exec(name)?.[1] ?? Number.NaN)
}
