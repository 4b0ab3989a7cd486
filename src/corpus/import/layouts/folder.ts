import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { parseJson } from '#prelude'
import type { TimedText } from '#scoring'
import { readCues, readTimes, readWhisperCues } from '#transcripts/times'
import { type SourceRecording, type SourceSegment, wholeRecording } from '../source.ts'
import type { Layout, Tree } from './layout.ts'

/** With times first: of a long recording, they say where it can be cut. */
const textEndings = ['.json', '.srt', '.vtt', '.txt'] as const
/** When the words of a whole recording are spoken; and what they are, where no text says it. */
const wordEndings = ['.TextGrid', '.ctm'] as const
const audioEndings = /\.(?:wav|flac|mp3|ogg|oga|opus|m4a|mp4|aac|webm|aiff?|au|caf|w64|sph)$/i

/** A folder with one text next to each recording: `talk.mp3` and `talk.srt`. */
export const folder: Layout = {
  name: 'folder',
  title: 'folder of recordings with texts',
  mark: `audio files with ${[...textEndings, ...wordEndings].join(', ')} of the same name`,
  matches: async (path) =>
    pairsOf(await listFiles(path)).some(({ texts, words }) => texts.length + words.length > 0),

  async read(tree) {
    const names = await listFiles(tree.root)
    const recordings: SourceRecording[] = []
    for (const { id, audio, texts, words } of pairsOf(names)) {
      const read = await tree.audio(join(tree.root, audio), tree.root, audio)
      const segments = withTimes(await firstText(texts, tree), await readWords(words, id, tree))
      if (segments === null) {
        const hint = `write what is said into ${id}.txt, or move the recording away`
        tree.report({ where: audio, what: 'has no text of the same name', hint })
      } else if (read !== null) {
        recordings.push({ id, where: audio, channel: null, cutAt: 'silences', segments, read })
      }
    }
    return recordings
  },
}

interface Pair {
  readonly id: string
  readonly audio: string
  readonly texts: readonly string[]
  readonly words: readonly string[]
}

async function listFiles(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(path.length + 1)
        .replaceAll('\\', '/'),
    )
  return names.sort()
}

function pairsOf(names: readonly string[]): readonly Pair[] {
  const all = new Set(names)
  return names
    .filter((name) => audioEndings.test(name))
    .map((audio) => {
      const id = audio.slice(0, -extname(audio).length)
      // Some tools append: talk.mp3.srt.
      const withEnding = (ending: string): readonly string[] =>
        [id + ending, audio + ending].filter((name) => all.has(name))
      return { id, audio, texts: textEndings.flatMap(withEnding), words: wordEndings.flatMap(withEnding) }
    })
}

/** Of several texts the first that can be used: Whisper writes all of them for every recording. */
async function firstText(names: readonly string[], tree: Tree): Promise<readonly SourceSegment[] | null> {
  for (const name of names) {
    const text = await tree.text(join(tree.root, name))
    const segments = segmentsOf(name, text)
    if (segments !== null) return segments
  }
  return null
}

async function readWords(
  [name]: readonly string[],
  id: string,
  tree: Tree,
): Promise<readonly TimedText[] | null> {
  if (name === undefined) return null
  const text = await tree.text(join(tree.root, name))
  const read = readTimes(text, name)
  const words = read.ok ? (read.value.get(null) ?? read.value.get(basename(id)) ?? null) : null
  if (words === null) tree.report({ where: name, what: read.ok ? `has no words of ${id}` : read.failure })
  return words
}

/** Words that are timed in a separate file belong to a whole recording: a text with its own times is cut by those. */
function withTimes(
  segments: readonly SourceSegment[] | null,
  times: readonly TimedText[] | null,
): readonly SourceSegment[] | null {
  if (times === null) return segments
  if (segments === null) return [wholeRecording({ text: times.map(({ text }) => text).join(' '), times })]
  const [segment, ...others] = segments
  return segment?.endSeconds === null && others.length === 0 ? [{ ...segment, times }] : segments
}

function segmentsOf(name: string, text: string): readonly SourceSegment[] | null {
  const ending = extname(name)
  if (ending === '.txt') {
    const said = text.replace(/\s+/g, ' ').trim()
    return [wholeRecording({ text: said, tags: said === '' ? ['no-speech'] : [] })]
  }
  const cues =
    ending === '.json' ? readWhisperCues(parseJson(text)) : readCues(text, ending === '.srt' ? 'srt' : 'vtt')
  const said = (cues ?? []).filter((cue) => cue.text !== '')
  return said.length === 0 ? null : said.map((cue) => ({ ...wholeRecording(cue), ...cue }))
}
