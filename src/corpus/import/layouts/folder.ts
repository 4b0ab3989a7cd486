import { basename, extname, join } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import { audioEndings } from '#audio/format'
import { failed, type Outcome, type Problem, parseJson, succeeded } from '#prelude'
import type { TimedText } from '#scoring/shapes'
import { listFiles } from '#transcripts/documents'
import type { CaptionRule } from '#transcripts/formats'
import {
  type Captions,
  type Cue,
  findSubtitles,
  hasTimedLines,
  readCaptions,
  readTimedLines,
  readTimes,
  readWhisper,
  readWhisperCues,
} from '#transcripts/timed-texts'
import { makeSegment, type SourceRecording, type SourceSegment } from '../source.ts'
import type { Layout, Tree } from './layout.ts'

/** The text of the recording next to it; a failure is worded to follow the name of the file. */
type RecordingText = Outcome<readonly SourceSegment[], string>

/** A text format of files next to a recording. */
interface TextForm {
  /** File extension in lower case. */
  readonly ending: string
  /** Whether its times come from a person or an aligner, and not from subtitles. */
  readonly isExact?: boolean
  read(text: string, events: TextEvents): RecordingText
}

/** The rule for captions, and listeners for their problems and for notes to the user. */
interface TextEvents {
  readonly captions: CaptionRule | undefined
  readonly report: (problem: Omit<Problem, 'where'>) => void
  readonly onNote: (note: string) => void
}

/** Formats in order of precedence. Those with times come first, because the times show where a recording can be cut. */
const textForms: readonly TextForm[] = [
  { ending: '.json', read: readJson },
  { ending: '.srt', read: (text, events) => ofCaptions(readCaptions(text, 'srt', events.captions), events) },
  { ending: '.vtt', read: (text, events) => ofCaptions(readCaptions(text, 'vtt', events.captions), events) },
  { ending: '.tsv', read: readWhisperTable },
  { ending: '.eaf', isExact: true, read: readElan },
  { ending: '.nlp', read: readRev },
  { ending: '.txt', read: readPlain },
]

/** Unsupported formats, with advice on conversion. */
const otherForms: Readonly<Record<string, string>> = {
  '.trs': 'is of Transcriber: open it in ELAN and save it as .eaf',
  '.cha': 'is of CLAN: convert it with its program chat2elan to .eaf',
  '.exb': 'is of EXMARaLDA: export it as .eaf',
  '.ass': 'is of SubStation: ffmpeg -i <name>.ass <name>.srt',
  '.ssa': 'is of SubStation: ffmpeg -i <name>.ssa <name>.srt',
  '.lrc': 'is of song lyrics: ffmpeg -i <name>.lrc <name>.srt',
  '.sbv': 'is of YouTube: fetch the subtitles as .srt or .vtt',
  '.ttml': 'is Timed Text: convert it to .srt or .vtt',
  '.dfxp': 'is Timed Text: convert it to .srt or .vtt',
  '.docx': 'is of a word processor: save it as .txt',
  '.odt': 'is of a word processor: save it as .txt',
  '.rtf': 'is of a word processor: save it as .txt',
  '.pdf': 'is a PDF: save its text as .txt',
  '.mlf': 'is of HTK: write each label file as .TextGrid or .ctm',
  '.phn': 'holds sounds and no words: add a .txt',
}

/** Extensions of files with word times of a whole recording, whose words also replace a missing text. */
const wordEndings = ['.textgrid', '.ctm'] as const
/** Unsupported formats also identify a folder, so that the import can advise on their conversion. */
const knownEndings = [...textForms.map(({ ending }) => ending), ...wordEndings, ...Object.keys(otherForms)]

/** A folder with one text next to each recording, such as `talk.mp3` and `talk.srt`. */
export const folder: Layout = {
  name: 'folder',
  title: 'folder of recordings with texts',
  mark: `audio files with ${textForms.map(({ ending }) => ending).join(', ')}, .TextGrid or .ctm of the same name`,
  matches: async (path) =>
    (await findPairs(path)).some(({ texts }) => knownEndings.some((ending) => texts.has(ending))),

  async read(tree) {
    const recordings: SourceRecording[] = []
    const owners = new Map<string, string>()
    for (const { id, audio, texts } of await findPairs(tree.root)) {
      const names = [...texts.values()]
      const shared = names.find((name) => owners.has(name))
      if (shared !== undefined) {
        // Two codings of one recording would count its text twice.
        tree.report({
          where: audio,
          what: `has the text of ${owners.get(shared)}, ${shared}`,
          hint: `move one of the two recordings away; or, if they are different ones, name the text of this one ${audio}${extname(shared)}, and that of the other one in the same way`,
        })
        continue
      }
      for (const name of names) owners.set(name, audio)
      const read = await tree.audio(join(tree.root, audio), tree.root, audio)
      const text = await firstText(texts, tree)
      const segments = withTimes(text.segments, await readWords(texts, id, tree))
      if (segments === null) tree.report({ where: audio, ...describeLack(id, texts, text.faults) })
      else if (read !== null) {
        const cutAt = text.isExact ? 'given' : 'silences'
        recordings.push({ id, where: audio, channel: null, cutAt, segments, read })
      }
    }
    return recordings
  },
}

interface Pair {
  readonly id: string
  readonly audio: string
  /** Texts of the same name, by lower-case extension. */
  readonly texts: ReadonlyMap<string, string>
}

async function findPairs(path: string): Promise<readonly Pair[]> {
  const names = await listFiles(path).catch(() => [])
  const sounds = names.filter((name) => audioEndings.test(name))
  const texts = names.filter((name) => !audioEndings.test(name))
  const byStem = Map.groupBy(texts, stemKey)
  const owned = new Set(sounds.flatMap((name) => [name.normalize('NFC'), stemKey(name)]))
  const byTitle = Map.groupBy(
    texts.filter((name) => !owned.has(stemKey(name))),
    (name) => stemKey(name).replace(/\.[a-z]{2,3}(?:-[a-z\d]+)*$/i, ''),
  )
  return sounds.map((audio) => {
    const id = audio.slice(0, -extname(audio).length)
    // Some tools append the extension, as in talk.mp3.srt; the name without the audio extension takes precedence.
    const beside = [...(byStem.get(audio.normalize('NFC')) ?? []), ...(byStem.get(stemKey(audio)) ?? [])]
    // Others add the language, as in talk.en.srt. Of several languages, none is known to be the spoken one.
    const titled = beside.length > 0 ? [] : (byTitle.get(stemKey(audio)) ?? [])
    const found = new Set(titled.map(stemKey)).size === 1 ? titled : beside
    return { id, audio, texts: new Map(found.map((name) => [extname(name).toLowerCase(), name])) }
  })
}

/** The name without its ending, normalised, because some systems decompose accents, so that copies differ in spelling. */
function stemKey(name: string): string {
  return name.slice(0, -extname(name).length || undefined).normalize('NFC')
}

/** The first usable text, and the faults of those before it. Whisper writes several for each recording. */
async function firstText(texts: Pair['texts'], tree: Tree) {
  const faults: string[] = []
  for (const { ending, isExact = false, read } of textForms) {
    const name = texts.get(ending)
    if (name === undefined) continue
    const { captions, onNote } = tree.options
    const text = await tree.text(join(tree.root, name))
    const events: TextEvents = {
      captions,
      onNote: (note) => onNote?.(`${name}: ${note}`),
      report: (problem) => tree.report({ where: name, ...problem }),
    }
    const found = text === null ? failed('cannot be read') : read(text, events)
    if (found.ok) return { segments: found.value, isExact, faults }
    faults.push(`${name} ${found.failure}`)
  }
  return { segments: null, isExact: false, faults }
}

function describeLack(
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
  const text = await tree.text(join(tree.root, name))
  if (text === null) return null
  const read = readTimes(text, name)
  const words = read.ok ? (read.value.get(null) ?? read.value.get(basename(id)) ?? null) : null
  if (words === null) tree.report({ where: name, what: read.ok ? `has no words of ${id}` : read.failure })
  return words
}

/** Adds word times from a separate file to a text of the whole recording; a text with its own times is cut by those. */
function withTimes(
  segments: readonly SourceSegment[] | null,
  times: readonly TimedText[] | null,
): readonly SourceSegment[] | null {
  if (times === null) return segments
  if (segments === null) return [makeSegment({ text: times.map(({ text }) => text).join(' '), times })]
  const [segment, ...others] = segments
  return segment?.endSeconds === null && others.length === 0 ? [{ ...segment, times }] : segments
}

function ofCues(cues: readonly Cue[]): RecordingText {
  const said = cues.filter(({ text }) => text !== '')
  if (said.length === 0) return failed('has no words with their times')
  return succeeded(said.map(makeSegment))
}

function ofCaptions(
  captions: Captions | null,
  { captions: rule, report, onNote }: TextEvents,
): RecordingText {
  if (captions?.isRepeating === true && rule === undefined) {
    report({
      what: 'rolls up: most cues repeat the end of the one before, and a reference would hold those words twice',
      hint: 'take them out: --captions merge; or keep them, where they are said twice: --captions keep',
    })
  } else for (const note of captions?.notes ?? []) onNote(note)
  return ofCues(captions?.cues ?? [])
}

/** Reads Whisper's JSON: segments with times, or only a text. */
function readJson(text: string): RecordingText {
  const value = parseJson(text)
  const cues = readWhisperCues(value)
  const said = cues === null ? readWhisper(value) : null
  return said === null ? ofCues(cues ?? []) : ofText(said)
}

function ofText(text: string): RecordingText {
  return succeeded([makeSegment({ text, tags: text === '' ? ['no-speech'] : [] })])
}

/** Reads plain text, printed Whisper output, subtitles, Audacity labels, or TIMIT text, which begins with sample numbers. */
function readPlain(text: string, events: TextEvents): RecordingText {
  if (hasTimedLines(text)) return ofCaptions(readTimedLines(text, events.captions), events)
  const subtitles = findSubtitles(text)
  if (subtitles !== null) return ofCaptions(readCaptions(text, subtitles, events.captions), events)
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  // A line that starts with a backslash is the frequency range of the preceding label.
  const labels = lines.filter((line) => !/^\\\t/.test(line)).map((line) => label.exec(line))
  if (labels.length > 0 && labels.every((found) => found !== null)) {
    return ofCues(
      labels.map(([, start = '', end = '', said = '']) => ({
        startSeconds: Number(start.replace(',', '.')),
        endSeconds: Number(end.replace(',', '.')),
        text: said.trim(),
      })),
    )
  }
  const [, words] = lines.length === 1 ? (/^0 \d{4,} (\S.*)$/.exec(lines[0] ?? '') ?? []) : []
  return ofText((words ?? text).replace(/\s+/g, ' ').trim())
}

/** @see https://manual.audacityteam.org/man/importing_and_exporting_labels.html */
const label = /^(\d+(?:[.,]\d+)?)\t(\d+(?:[.,]\d+)?)(?:\t(.*))?$/

/** Reads the table `start end text` in milliseconds that Whisper's command line writes. */
function readWhisperTable(text: string): RecordingText {
  const [header = '', ...lines] = text.split(/\r?\n/)
  if (header.trim() !== 'start\tend\ttext') return failed('is no table of Whisper: start, end and text')
  const cues = lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [start, end, ...said] = line.split('\t')
      const [startSeconds, endSeconds] = [Number(start) / 1000, Number(end) / 1000]
      return { startSeconds, endSeconds, text: said.join(' ').trim() }
    })
  const isTimed = cues.every(({ startSeconds, endSeconds }) => endSeconds >= startSeconds)
  return isTimed ? ofCues(cues) : failed('has lines without times in milliseconds')
}

/** Reads Rev tokens, one a line: `token|speaker|ts|endTs|punctuation|…`. @see https://github.com/revdotcom/fstalign */
function readRev(text: string): RecordingText {
  const [header = '', ...lines] = text.split(/\r?\n/)
  const names = header.split('|').map((name) => name.trim())
  const [token, ts, endTs, punctuation] = ['token', 'ts', 'endTs', 'punctuation'].map((name) =>
    names.indexOf(name),
  ) as [number, number, number, number]
  if (token !== 0 || punctuation < 1)
    return failed('has no header of Rev: token|speaker|ts|endTs|punctuation|…')
  const words = lines
    .filter((line) => line.trim() !== '')
    .map((line): TimedText => {
      const cells = line.split('|')
      return {
        text: `${cells[token]?.trim() ?? ''}${cells[punctuation]?.trim() ?? ''}`,
        startSeconds: Number(cells[ts]),
        endSeconds: Number(cells[endTs]),
      }
    })
  const isTimed = words.every(({ startSeconds, endSeconds }) => endSeconds > startSeconds)
  const said = words.map((word) => word.text).join(' ')
  if (said.trim() === '') return failed('has no words')
  return succeeded([makeSegment({ text: said, ...(isTimed ? { times: words } : {}) })])
}

/** Maximum length, far above the annotations of a day of speech, and parsed in a second. */
const maxElanLength = 2 ** 24

type Element = Readonly<Record<string, unknown>>

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  // The library decodes references by number only with those of HTML.
  htmlEntities: true,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (_name, _path, _isLeaf, isAttribute) => !isAttribute,
})

/**
 * Reads the annotations of ELAN's only top-level tier, or of several with different participants.
 *
 * @see https://www.mpi.nl/tools/elan/EAFv3.0.xsd
 */
function readElan(text: string): RecordingText {
  if (text.length > maxElanLength) return failed('is longer than any document of ELAN')
  if (text.includes('<!DOCTYPE') || text.includes('<!ENTITY')) return failed('has a document type')
  let root: Element | undefined
  try {
    root = childrenNamed(parser.parse(text) as Element, 'ANNOTATION_DOCUMENT')[0]
  } catch (error) {
    return failed(`is not XML: ${(error as Error).message}`)
  }
  if (root === undefined) return failed('is no document of ELAN')
  const slots = new Map(
    childrenNamed(root, 'TIME_ORDER')
      .flatMap((order) => childrenNamed(order, 'TIME_SLOT'))
      .map((slot) => [slot['TIME_SLOT_ID'], Number(slot['TIME_VALUE']) / 1000]),
  )
  const tiers = childrenNamed(root, 'TIER').filter(
    (tier) => tier['PARENT_REF'] === undefined && childrenNamed(tier, 'ANNOTATION').length > 0,
  )
  const speakers = tiers.map((tier) => String(tier['PARTICIPANT'] ?? '').trim())
  if (tiers.length === 0) return failed('has no annotations')
  if (tiers.length > 1 && (speakers.includes('') || new Set(speakers).size < speakers.length)) {
    const names = tiers.map((tier) => `“${String(tier['TIER_ID'])}”`).join(', ')
    return failed(`has the tiers ${names}: keep the one with what is said, or give each its own participant`)
  }
  const segments = tiers.flatMap((tier, index) =>
    childrenNamed(tier, 'ANNOTATION')
      .flatMap((each) => childrenNamed(each, 'ALIGNABLE_ANNOTATION'))
      .map((each) => ({
        startSeconds: slots.get(each['TIME_SLOT_REF1']) ?? Number.NaN,
        endSeconds: slots.get(each['TIME_SLOT_REF2']) ?? Number.NaN,
        text: annotationText(each),
        speaker: speakers[index] || null,
      })),
  )
  const untimed = segments.find(({ startSeconds, endSeconds }) => !(endSeconds > startSeconds))
  if (untimed !== undefined) return failed(`has an annotation without times: “${untimed.text}”`)
  const said = segments.filter((segment) => segment.text !== '')
  return said.length === 0 ? failed('has no words') : succeeded(said.map(makeSegment))
}

function childrenNamed(element: Element, name: string): readonly Element[] {
  const found = element[name]
  return Array.isArray(found) ? found.filter((each) => typeof each === 'object' && each !== null) : []
}

function annotationText(annotation: Element): string {
  const found = annotation['ANNOTATION_VALUE']
  const [value]: readonly unknown[] = Array.isArray(found) ? found : []
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : ''
}
