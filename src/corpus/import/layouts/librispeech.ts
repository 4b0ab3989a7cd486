import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseKaldiText } from '#scoring/formats/plain-text'
import type { SourceRecording } from '../source.ts'
import { makeSegment } from '../source.ts'
import type { Layout, Tree } from './layout.ts'

const transcripts = '.trans.txt'
const endings = ['.flac', '.wav', '.opus', '.mp3']

/** LibriSpeech and similar: `<speaker>/<chapter>/<speaker>-<chapter>.trans.txt`, one `<id>.flac` per line. */
export const librispeech: Layout = {
  name: 'librispeech',
  title: 'LibriSpeech tree',
  mark: `files ending in ${transcripts}`,
  usualLanguage: 'en',

  async matches(path) {
    return (await findTranscripts(path, 1)).length > 0
  },

  async read(tree) {
    const recordings: SourceRecording[] = []
    for (const path of await findTranscripts(tree.root, Infinity)) {
      for (const recording of await readChapter(path, tree)) recordings.push(recording)
    }
    return recordings
  },
}

async function readChapter(path: string, tree: Tree): Promise<readonly SourceRecording[]> {
  const recordings: SourceRecording[] = []
  for (const { number, text } of await tree.lines(path)) {
    const [record] = parseKaldiText(text)
    if (record === undefined) continue
    const where = `${tree.shown(path)}:${number}`
    const folder = dirname(path)
    const names = endings.map((ending) => join(folder, record.id + ending))
    const read = await tree.audio(names, folder, where)
    if (read === null) continue
    const [speaker = null] = record.id.split('-')
    recordings.push({
      id: record.id,
      where,
      segments: [makeSegment({ id: record.id, text: record.text, speaker })],
      read,
    })
  }
  return recordings
}

/** Finds transcripts in path order. @param limit maximum number */
async function findTranscripts(folder: string, limit: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found: string[] = []
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    if (found.length >= limit) break
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      // There may be as many paths as chapters, too many for arguments of `push`.
      for (const inner of await findTranscripts(path, limit - found.length)) found.push(inner)
    } else if (entry.name.endsWith(transcripts)) found.push(path)
  }
  return found
}
