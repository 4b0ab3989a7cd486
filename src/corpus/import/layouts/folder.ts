import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { TimedText } from '#scoring'
import { readTimes } from '#transcripts/times'
import { type SourceRecording, type SourceSegment, wholeRecording } from '../source.ts'
import type { Layout, Tree } from './layout.ts'
import { otherForms, textForms } from './recording-texts.ts'

/** When the words of a whole recording are spoken; and what they are, where no text says it. */
const wordEndings = ['.textgrid', '.ctm'] as const
/** A folder of what cannot be read is known too, so that each file is named with the way to convert it. */
const known = [...textForms.map(({ ending }) => ending), ...wordEndings, ...Object.keys(otherForms)]
export const audioEndings = /\.(?:wav|flac|mp3|ogg|oga|opus|m4a|mp4|aac|webm|aiff?|au|caf|w64|sph)$/i

/** A folder with one text next to each recording: `talk.mp3` and `talk.srt`. */
export const folder: Layout = {
  name: 'folder',
  title: 'folder of recordings with texts',
  mark: `audio files with ${textForms.map(({ ending }) => ending).join(', ')}, .TextGrid or .ctm of the same name`,
  matches: async (path) =>
    pairsOf(await listFiles(path)).some(({ texts }) => known.some((ending) => texts.has(ending))),

  async read(tree) {
    const recordings: SourceRecording[] = []
    for (const { id, audio, texts } of pairsOf(await listFiles(tree.root))) {
      const read = await tree.audio(join(tree.root, audio), tree.root, audio)
      const text = await firstText(texts, tree)
      const segments = withTimes(text?.segments ?? null, await readWords(texts, id, tree))
      if (segments === null) tree.report({ where: audio, ...lackOf(id, texts, text?.faults ?? []) })
      else if (read !== null) {
        const cutAt = text?.isExact === true ? 'given' : 'silences'
        recordings.push({ id, where: audio, channel: null, cutAt, segments, read })
      }
    }
    return recordings
  },
}

interface Pair {
  readonly id: string
  readonly audio: string
  /** Of the same name, by their endings in lower case. */
  readonly texts: ReadonlyMap<string, string>
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
  const byStem = Map.groupBy(names, (name) => keyOf(name.slice(0, -extname(name).length || undefined)))
  return names
    .filter((name) => audioEndings.test(name))
    .map((audio) => {
      const id = audio.slice(0, -extname(audio).length)
      // Some tools append: talk.mp3.srt. What is next to the name without the ending comes first.
      const beside = [...(byStem.get(keyOf(audio)) ?? []), ...(byStem.get(keyOf(id)) ?? [])]
      const texts = beside.filter((name) => !audioEndings.test(name))
      return { id, audio, texts: new Map(texts.map((name) => [extname(name).toLowerCase(), name])) }
    })
}

/** Some systems take a name with accents apart, and a copy from there has another spelling. */
function keyOf(stem: string): string {
  return stem.normalize('NFC')
}

interface FoundText {
  readonly segments: readonly SourceSegment[] | null
  readonly isExact: boolean
  /** Of those that came before it. */
  readonly faults: readonly string[]
}

/** Of several texts the first that can be used: Whisper writes all of them for every recording. */
async function firstText(texts: Pair['texts'], tree: Tree): Promise<FoundText> {
  const faults: string[] = []
  for (const { ending, isExact = false, read } of textForms) {
    const name = texts.get(ending)
    if (name === undefined) continue
    const { captions, onNote } = tree.options
    const found = read(await tree.text(join(tree.root, name)), {
      captions,
      onNote: (note) => onNote?.(`${name}: ${note}`),
      report: (problem) => tree.report({ where: name, ...problem }),
    })
    if (found.ok) return { segments: found.value, isExact, faults }
    faults.push(`${name} ${found.failure}`)
  }
  return { segments: null, isExact: false, faults }
}

function lackOf(
  id: string,
  texts: Pair['texts'],
  faults: readonly string[],
): { readonly what: string; readonly hint: string } {
  const others = [...texts].flatMap(([ending, name]) => {
    const what = otherForms[ending]
    return what === undefined ? [] : [`${basename(name)} ${what}`]
  })
  const [found] = [...faults, ...others]
  return {
    what: found === undefined ? 'has no text of the same name' : `has no text that can be read: ${found}`,
    hint: `write what is said into ${id}.txt, or move the recording away`,
  }
}

async function readWords(texts: Pair['texts'], id: string, tree: Tree): Promise<readonly TimedText[] | null> {
  const name = wordEndings.map((ending) => texts.get(ending)).find((each) => each !== undefined)
  if (name === undefined) return null
  const read = readTimes(await tree.text(join(tree.root, name)), name)
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
