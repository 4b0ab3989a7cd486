import { join } from 'node:path'
import type { SourceRecording, SourceSegment } from '../source.ts'
import { parsePipe, runPipe } from './kaldi-pipe.ts'
import { exists, type Layout, type Tree } from './layout.ts'

/** A Kaldi data directory: `wav.scp` and `text`, where present also `segments`, `utt2spk` and `utt2lang`. */
export const kaldi: Layout = {
  name: 'kaldi',
  title: 'Kaldi data directory',
  mark: 'wav.scp and text',
  matches: async (path) => (await exists(path, 'wav.scp')) && (await exists(path, 'text')),

  async read(tree) {
    const wavs = await readTable(tree, 'wav.scp')
    const texts = await readTable(tree, 'text')
    const speakers = await readTable(tree, 'utt2spk', 'optional')
    const languages = await readTable(tree, 'utt2lang', 'optional')
    const hasSegments = await exists(tree.root, 'segments')
    const segments = hasSegments ? await readSegments(tree) : wholeWavs(wavs)
    for (const [id, { where }] of segments) {
      if (!texts.has(id)) tree.report({ where, what: `the utterance ${id} has no line in text` })
    }
    const byRecording = new Map<string, SourceSegment[]>()
    for (const [id, { where, value }] of texts) {
      const segment = segments.get(id)
      if (segment === undefined) {
        const table = hasSegments ? 'segments' : 'wav.scp'
        tree.report({ where, what: `the utterance ${id} has no line in ${table}` })
        continue
      }
      const { recording, startSeconds, endSeconds } = segment
      if (!wavs.has(recording)) {
        tree.report({ where: segment.where, what: `the recording ${recording} has no line in wav.scp` })
        continue
      }
      const speaker = speakers.get(id)?.value ?? null
      const language = languages.get(id)?.value ?? null
      const said = { id, where, text: value, startSeconds, endSeconds, speaker, language, tags: [] }
      const others = byRecording.get(recording)
      if (others === undefined) byRecording.set(recording, [said])
      else others.push(said)
    }
    return await openRecordings(tree, wavs, byRecording)
  },
}

interface TableLine {
  readonly where: string
  readonly value: string
}

type Table = ReadonlyMap<string, TableLine>

async function readTable(tree: Tree, name: string, isOptional?: 'optional'): Promise<Table> {
  const table = new Map<string, TableLine>()
  if (isOptional !== undefined && !(await exists(tree.root, name))) return table
  for (const { number, text } of await tree.lines(join(tree.root, name))) {
    const [, id, value = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(text) ?? []
    if (id === undefined) continue
    const where = `${name}:${number}`
    if (table.has(id)) tree.report({ where, what: `the id ${id} is on ${table.get(id)?.where} already` })
    else table.set(id, { where, value })
  }
  return table
}

interface TimedLine {
  readonly where: string
  readonly recording: string
  readonly startSeconds: number
  readonly endSeconds: number | null
}

function wholeWavs(wavs: Table): ReadonlyMap<string, TimedLine> {
  const whole = (id: string, where: string): TimedLine => ({
    where,
    recording: id,
    startSeconds: 0,
    endSeconds: null,
  })
  return new Map([...wavs].map(([id, { where }]) => [id, whole(id, where)]))
}

async function readSegments(tree: Tree): Promise<ReadonlyMap<string, TimedLine>> {
  const segments = new Map<string, TimedLine>()
  for (const [id, { where, value }] of await readTable(tree, 'segments')) {
    const [recording = '', start, end] = value.split(/\s+/)
    const [startSeconds, endSeconds] = [Number(start), Number(end)]
    if (!(startSeconds >= 0) || !(endSeconds > startSeconds || endSeconds === -1)) {
      tree.report({ where, what: 'is no segment', hint: 'write: utterance recording start end, in seconds' })
    } else
      segments.set(id, { where, recording, startSeconds, endSeconds: endSeconds === -1 ? null : endSeconds })
  }
  return segments
}

async function openRecordings(
  tree: Tree,
  wavs: Table,
  byRecording: ReadonlyMap<string, readonly SourceSegment[]>,
): Promise<readonly SourceRecording[]> {
  const recordings: SourceRecording[] = []
  for (const [id, segments] of byRecording) {
    const { where, value } = wavs.get(id) as TableLine
    const file = audioOf(value)
    const read =
      file === null ? await openPipe(id, value, where, tree) : await tree.audio(file.path, tree.root, where)
    if (read === null) continue
    recordings.push({ id, where, channel: file?.channel ?? null, cutAt: 'given', segments, read })
  }
  return recordings
}

async function openPipe(
  id: string,
  value: string,
  where: string,
  tree: Tree,
): Promise<(() => Promise<Uint8Array>) | null> {
  if (tree.options.allowsCommands !== true) {
    const what = `the recording ${id} is the output of a program, and none is run: ${value}`
    const hint =
      'write the audio to a file, and its path into wav.scp; or add --allow-commands, which runs sox, ffmpeg and sph2pipe'
    tree.report({ where, what, hint })
    return null
  }
  const pipe = parsePipe(value)
  if (!pipe.ok) {
    tree.report({
      where,
      what: `the recording ${id} is the output of programs that are not run, because ${pipe.failure}: ${value}`,
      hint: 'write the audio to a file, and its path into wav.scp',
    })
    return null
  }
  const { commands, input } = pipe.value
  const path = await tree.find(input, tree.root, where)
  return path === null ? null : () => runPipe(commands, path)
}

/** Programs that give a file as it is, which need not run: everything they read is read here. */
const decoders: readonly RegExp[] = [
  /^cat (?<path>\S+) \|$/,
  /^(?:\S*\/)?flac (?:-\S+ )*(?<path>\S+) \|$/,
  /^(?:\S*\/)?sph2pipe (?:-f wav |-p )*(?:-c (?<channel>[12]) )?(?:-f wav |-p )*(?<path>\S+) \|$/,
]

function audioOf(value: string): { readonly path: string; readonly channel: number | null } | null {
  if (!value.endsWith('|')) return { path: value, channel: null }
  const command = value.replace(/\s+/g, ' ').replace(/ ?\|$/, ' |')
  for (const decoder of decoders) {
    const { path, channel } = decoder.exec(command)?.groups ?? {}
    if (path !== undefined) return { path, channel: channel === undefined ? null : Number(channel) - 1 }
  }
  return null
}
