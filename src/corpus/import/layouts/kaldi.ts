import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, join } from 'node:path'
import { audioEndings } from '#audio/format'
import { exists } from '#installation/files'
import { failed, type Outcome, succeeded } from '#prelude'
import { makeSegment, type SourceRecording, type SourceSegment } from '../source.ts'
import type { Layout, Tree } from './layout.ts'

/** A Kaldi data directory: `wav.scp` and `text`, optionally `segments`, `utt2spk` and `utt2lang`. */
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
    const segments = hasSegments
      ? await readSegments(tree)
      : new Map<string, TimedLine>(
          [...wavs].map(([id, { where }]) => [
            id,
            { where, recording: id, startSeconds: 0, endSeconds: null },
          ]),
        )
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
      const said = makeSegment({ id, where, text: value, startSeconds, endSeconds, speaker, language })
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
    const [, id, value = ''] = /^(\S+)\s*(.*)$/s.exec(text.trim()) ?? []
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
    if (/\.ark:\d+$/.test(value)) {
      const what = `the recording ${id} is in an archive of Kaldi, which is not read: ${value}`
      tree.report({ where, what, hint: 'write files with wav-copy, and their paths into wav.scp' })
      continue
    }
    const file = readCommand(value)
    const read =
      file === null ? await openPipe(id, value, where, tree) : await tree.audio(file.path, tree.root, where)
    if (read === null) continue
    recordings.push({ id, where, channel: file?.channel ?? null, segments, read })
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

/** Commands that output a file unchanged or decode it; they need not run, because the file is read directly. */
const decoders: readonly RegExp[] = [
  /^cat (?<path>\S+) \|$/,
  /^(?:\S*\/)?flac (?:-\S+ )*(?<path>\S+) \|$/,
  /^(?:\S*\/)?sph2pipe (?:-f wav |-p )*(?:-c (?<channel>[12]) )?(?:-f wav |-p )*(?<path>\S+) \|$/,
]

function readCommand(value: string): { readonly path: string; readonly channel: number | null } | null {
  if (!value.endsWith('|')) return { path: value, channel: null }
  const command = value.replace(/\s+/g, ' ').replace(/ ?\|$/, ' |')
  for (const decoder of decoders) {
    const { path, channel } = decoder.exec(command)?.groups ?? {}
    if (path !== undefined) return { path, channel: channel === undefined ? null : Number(channel) - 1 }
  }
  return null
}

/** Placeholder for the path of the recording, until it is found. */
const inputMark = Symbol('input')

interface PipeCommand {
  readonly program: 'sox' | 'ffmpeg' | 'sph2pipe'
  readonly words: readonly (string | typeof inputMark)[]
}

const number = /^[-+]?\d+(?:\.\d+)?$/
const time = /^\d+(?::\d+)*(?:\.\d+)?$/
const coding = /^(?:wav|sph|sphere|flac|mp3|ogg|opus|raw|au|aiff|s16le|pcm_s16le|pcm_mulaw|pcm_alaw)$/
const word = /^[a-z][a-z0-9-]*$/

/** Allowed options by the pattern of their value, null without one; none writes a file or runs a program. */
const options: Readonly<
  Record<PipeCommand['program'], readonly (readonly [form: RegExp | null, ...names: string[]])[]>
> = {
  sph2pipe: [
    [null, '-p', '-u', '-a'],
    [coding, '-f'],
    [/^[12]$/, '-c'],
    [/^[\d.]*:[\d.]*$/, '-t'],
  ],
  sox: [
    [null, '-q', '-G', '-R', '-D', '-L', '-B', '-V0', '-V1', '-V2'],
    [coding, '-t'],
    [number, '-c', '-b', '-v'],
    [word, '-e'],
    [/^\d+k?$/, '-r'],
  ],
  ffmpeg: [
    [null, '-hide_banner', '-nostdin', '-y', '-vn'],
    [coding, '-f', '-acodec', '-c:a', '-codec:a'],
    [number, '-ac', '-ar', '-threads'],
    [time, '-ss', '-t', '-to'],
    [word, '-sample_fmt', '-v', '-loglevel'],
    [/^\d+:(?:a:?)?\d*$/, '-map'],
    [/^\d+\.\d+\.\d+$/, '-map_channel'],
  ],
}

/** Allowed effects of SoX, which only change the sound. */
const effects = /^(?:remix|rate|channels|trim|gain|vol|norm|dither|speed|tempo|pad|reverse|silence)$/
const effectValue = /^[-+=]?[\d.]+[a-z%]?$|^-[a-zA-Z]$|^[\d,-]+$/

/** Formats that ffmpeg may open; none of them is a playlist, which could refer to other files or addresses. */
const readers = 'wav,w64,flac,mp3,ogg,mov,aac,matroska,aiff,au,caf,nistsphere,amr'

/**
 * Parses a pipe of Kaldi without a shell: `sph2pipe -f wav -p -c 1 a.sph | sox -t wav - -r 16000 -t wav - |`.
 *
 * @returns the commands, and the one file that they read; a failure unless all programs and options are allowed ones
 */
function parsePipe(
  value: string,
): Outcome<{ readonly commands: readonly PipeCommand[]; readonly input: string }, string> {
  const parts: string[][] = [[]]
  let rest = value.trim()
  while (rest !== '') {
    const found = /^(?:'([^']*)'|"([^"\\$`]*)"|([\w./:,=+%@^-]+)|(\|))(?=\s|\||$)\s*/.exec(rest)
    if (found === null) return failed('it has what only a shell understands')
    const [all, single, double, plain, bar] = found
    if (bar === undefined) parts.at(-1)?.push(single ?? double ?? plain ?? '')
    else parts.push([])
    rest = rest.slice(all.length)
  }
  if (parts.pop()?.length !== 0 || parts.length === 0) return failed('it does not end in one |')
  const commands: PipeCommand[] = []
  let input: string | null = null
  for (const [index, [name = '', ...words]] of parts.entries()) {
    const program = (['sox', 'ffmpeg', 'sph2pipe'] as const).find((each) => each === basename(name))
    if (program === undefined) return failed(`${name || 'nothing'} is none of sox, ffmpeg and sph2pipe`)
    const read = parseWords(program, words, index === 0)
    if (!read.ok) return read
    commands.push({ program, words: read.value.words })
    input ??= read.value.input
  }
  return input === null ? failed('it names no file') : succeeded({ commands, input })
}

/** @param isFirst whether the program reads the file; the others read the output of the previous one */
function parseWords(
  program: PipeCommand['program'],
  rawWords: readonly string[],
  isFirst: boolean,
): Outcome<{ readonly words: PipeCommand['words']; readonly input: string | null }, string> {
  const words: (string | typeof inputMark)[] = []
  let input: string | null = null
  let output: string | null = null
  for (let at = 0; at < rawWords.length; at += 1) {
    const argument = rawWords[at] as string
    const form = options[program].find(([, ...names]) => names.includes(argument))?.[0]
    const next = rawWords[at + 1] ?? ''
    const isEffect = program === 'sox' && output !== null
    if (isEffect) {
      if (!(effects.test(argument) || effectValue.test(argument))) return failed(`${program} has ${argument}`)
      words.push(argument)
    } else if (form !== undefined) {
      if (form !== null && !form.test(next)) return failed(`${program} has ${argument} ${next}`)
      words.push(argument, ...(form === null ? [] : [next]))
      if (form !== null) at += 1
    } else if (program === 'ffmpeg' && argument === '-i' && input === null) {
      input = next
      at += 1
      words.push('-protocol_whitelist', 'file,pipe', '-format_whitelist', readers, '-i', inputMark)
    } else if (program !== 'ffmpeg' && input === null) {
      input = argument
      words.push(inputMark)
    } else if (program !== 'sph2pipe' && output === null && /^(?:-|pipe:1?)$/.test(argument)) {
      output = argument
      words.push('-')
    } else return failed(`${program} has ${argument}`)
  }
  if (program !== 'sph2pipe' && output === null) return failed(`${program} does not write to -`)
  // SoX treats some extensions as playlists, which may refer to other files or addresses.
  const isRight = isFirst ? audioEndings.test(input ?? '') : input === '-'
  return isRight
    ? succeeded({ words, input: isFirst ? input : null })
    : failed(`${program} reads ${input ?? 'nothing'}, ${isFirst ? 'which is no audio file' : 'and not -'}`)
}

/** Maximum output: nine hours at 16 kHz; more would exhaust memory. */
const maxBytes = 2 ** 30
const maxMinutes = 10

/**
 * Runs the commands without a shell, and with PATH as the only environment variable.
 *
 * @param path absolute path of the recording, so that no program reads it as an option or a pipe
 * @returns the output of the last command; rejects with a program's message if one fails
 */
async function runPipe(commands: readonly PipeCommand[], path: string): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(maxMinutes * 60_000)
  const children = commands.map(({ program, words }, index) => {
    const named = index === 0 ? (program === 'ffmpeg' ? `file:${path}` : path) : '-'
    const args = words.map((each) => (each === inputMark ? named : each))
    return { program, child: spawn(program, args, { env: { PATH: process.env['PATH'] }, signal }) }
  })
  const chunks: Buffer[] = []
  let size = 0
  for (const [index, { child }] of children.entries()) {
    const next = children[index + 1]?.child
    // A program that ends early closes its input; the write error is ignored, because its exit is reported.
    child.stdin.on('error', () => undefined)
    if (index === 0) child.stdin.end()
    if (next !== undefined) child.stdout.pipe(next.stdin)
    else {
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) for (const each of children) each.child.kill('SIGKILL')
        else chunks.push(chunk)
      })
    }
  }
  const faults = await Promise.all(children.map(({ program, child }) => findFault(program, child)))
  const fault =
    size > maxBytes ? `more than ${maxBytes / 2 ** 30} GiB came out` : faults.find((each) => each !== null)
  if (fault != null) throw new Error(fault)
  return Buffer.concat(chunks)
}

/** @returns the reason why a program failed, after it has ended; null where it did not */
async function findFault(program: string, child: ChildProcess): Promise<string | null> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-2000)
  })
  try {
    const [code, endedBy] = (await once(child, 'close')) as [number | null, string | null]
    const last = said.trim().split('\n').at(-1) ?? ''
    return code === 0 ? null : `${program} ended with ${code ?? endedBy}${last === '' ? '' : `: ${last}`}`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return `${program} is not installed`
    return code === 'ABORT_ERR'
      ? `${program} was stopped after ${maxMinutes} minutes`
      : `${program}: ${message}`
  }
}
