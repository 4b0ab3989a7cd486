/**
 * Reads damaged and odd files beside ffmpeg, which made them. What ffmpeg refuses is refused; what is read is as long as for ffmpeg, to
 * a frame, and as loud. A file that ffmpeg reads in spite of errors may be refused: a benchmark does not score half a recording.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { decodeSound } from '#audio/sound-stream'
import { type Random, seededRandom } from '#prelude'

const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0
const reason = hasFfmpeg ? '' : ' (ffmpeg is not installed)'

/** Ending, and what ffmpeg is asked to write. */
const formats: readonly (readonly [string, string, ...string[]])[] = [
  ['wav-s16', 'wav'],
  ['wav-s24', 'wav', '-c:a', 'pcm_s24le'],
  ['wav-f32', 'wav', '-c:a', 'pcm_f32le'],
  ['wav-mulaw', 'wav', '-c:a', 'pcm_mulaw'],
  ['wav-ima', 'wav', '-c:a', 'adpcm_ima_wav'],
  ['wav-ms', 'wav', '-c:a', 'adpcm_ms'],
  ['wave64', 'w64'],
  ['flac', 'flac'],
  ['mp3', 'mp3', '-b:a', '64k'],
  ['vorbis', 'ogg', '-c:a', 'libvorbis'],
  ['opus', 'opus', '-c:a', 'libopus', '-b:a', '32k'],
  ['m4a', 'm4a', '-c:a', 'aac'],
  ['alac', 'm4a', '-c:a', 'alac'],
  ['adts', 'aac', '-c:a', 'aac'],
  ['webm', 'webm', '-c:a', 'libopus', '-b:a', '32k'],
  ['aiff', 'aiff'],
  ['au', 'au'],
]
const filesPerFormat = 30
const oddFiles = 127
/** A block of IMA ADPCM or a frame of AAC at 8 kHz; a delay that only one of two decoders takes away. */
const frameSeconds = 0.3
/** Of the largest samples: below, nothing is heard. */
const silentPeak = 1e-3

const folder = await mkdtemp(join(tmpdir(), 'transcribench-judge-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function make(name: string, { rate = 16_000, channels = 1, seconds = 2 } = {}): Promise<Buffer | null> {
  const [, ending = '', ...options] = formats.find(([each]) => each === name) ?? []
  const path = join(folder, `made.${ending}`)
  const wave = Array.from({ length: channels }, (_, index) => `0.4*sin(t*t*${400 + 50 * index}+t*900)`).join(
    '|',
  )
  const made = spawnSync('ffmpeg', [
    ...['-v', 'error', '-y', '-f', 'lavfi', '-i', `aevalsrc=${wave}:s=${rate}:d=${seconds}`],
    ...[...options, path],
  ])
  return made.status === 0 ? await readFile(path) : null
}

interface Heard {
  /** Null where the file is refused. */
  readonly seconds: number | null
  readonly peak: number
  readonly words: string
  /** It is refused with a program that converts it. */
  readonly isForeign?: boolean
}

const peakOf = (samples: Float32Array): number =>
  samples.reduce((most, each) => Math.max(most, Math.abs(each)), 0)

async function judged(bytes: Uint8Array, name: string): Promise<Heard & { readonly isClean: boolean }> {
  const path = join(folder, `judged.${formats.find(([each]) => each === name)?.[1]}`)
  await writeFile(path, bytes)
  const { status, stdout, stderr } = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-i', path, '-map', '0:a:0', '-ac', '1', '-ar', '16000', '-f', 'f32le', '-'],
    { maxBuffer: 2 ** 28, timeout: 60_000 },
  )
  const samples = new Float32Array(new Uint8Array(stdout.subarray(0, stdout.length & ~3)).buffer)
  const seconds = samples.length === 0 ? null : samples.length / 16_000
  const isClean = status === 0 && stderr.length === 0
  return { seconds, peak: peakOf(samples), words: String(stderr).split('\n')[0] ?? '', isClean }
}

async function heard(bytes: Uint8Array): Promise<Heard> {
  const sound = await decodeSound(bytes)
  if (!sound.ok)
    return {
      seconds: null,
      peak: 0,
      words: sound.failure.reason,
      isForeign: sound.failure.isForeign === true,
    }
  const { samples, sampleRateHz } = sound.value
  return { seconds: samples.length / sampleRateHz, peak: peakOf(samples), words: '' }
}

const damages: Readonly<Record<string, (bytes: Buffer, random: Random) => Buffer>> = {
  'other bytes': (bytes, random) => {
    const copy = Buffer.from(bytes)
    for (let count = 1 + random.below(12); count > 0; count -= 1)
      copy[random.below(copy.length)] = random.below(256)
    return copy
  },
  'other bytes in its head': (bytes, random) => {
    const copy = Buffer.from(bytes)
    for (let count = 1 + random.below(4); count > 0; count -= 1) copy[random.below(200)] = random.below(256)
    return copy
  },
  'no end': (bytes, random) => bytes.subarray(0, 1 + random.below(bytes.length - 1)),
  'no middle': (bytes, random) => {
    const from = random.below(bytes.length)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + random.below(4_000))])
  },
  'noise within': (bytes, random) => {
    const at = random.below(bytes.length)
    const noise = Buffer.from(Array.from({ length: 1 + random.below(3_000) }, () => random.below(256)))
    return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)])
  },
  'a tag before it': (bytes, random) => {
    const size = random.below(4_000)
    return Buffer.concat([
      Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, size >> 7, size & 127]),
      Buffer.alloc(size),
      bytes,
    ])
  },
  'a tag behind it': (bytes) => Buffer.concat([bytes, Buffer.from('TAG'), Buffer.alloc(125)]),
}

/**
 * What ffmpeg alone is wrong about: it looks for another chunk behind the samples of Wave64; and it leaves out frames of ALAC, which
 * has no checksums, where a bit is wrong.
 */
const excused = /^(?:wave64 .*ffmpeg refuses|alac .*other bytes: .* s, of ffmpeg)/
/** These lose nothing of the sound. */
const isHarmless = (kind: string): boolean => kind.startsWith('a tag') || kind === 'nothing'

/** What two readers of a file must not differ in. */
function fault(own: Heard, judge: Heard & { readonly isClean: boolean }, kind: string): string | null {
  const isShort = judge.seconds !== null && judge.seconds < frameSeconds
  if (own.seconds === null && (!isHarmless(kind) || own.isForeign === true || isShort)) return null
  if (own.seconds === null)
    return judge.isClean ? `refused (${own.words}), and ffmpeg reads ${judge.seconds} s` : null
  if (judge.seconds === null) return `read as ${own.seconds} s, and ffmpeg refuses it (${judge.words})`
  if (Math.abs(own.seconds - judge.seconds) > frameSeconds)
    return `${own.seconds} s, of ffmpeg ${judge.seconds} s`
  if (judge.peak < silentPeak && own.peak > 10 * silentPeak)
    return `loud (${own.peak}), and ffmpeg hears nothing`
  return null
}

test.skipIf(!hasFfmpeg)(
  `damaged files are read as ffmpeg reads them, or refused${reason}`,
  async () => {
    const random = seededRandom(Number(process.env['PROPERTY_SEED'] ?? 44))
    const faults: string[] = []
    const counts = { files: 0, read: 0, refusedByBoth: 0, refusedHereAlone: 0 }
    for (const [name] of formats) {
      const whole = await make(name)
      if (whole === null) throw new Error(`ffmpeg cannot write ${name}`)
      for (let index = 0; index < filesPerFormat; index += 1) {
        const kinds = Object.keys(damages)
        const kind = kinds[index % kinds.length] as string
        const bytes = damages[kind]?.(whole, random) ?? whole
        const [own, judge] = [await heard(bytes), await judged(bytes, name)]
        counts.files += 1
        if (own.seconds !== null) counts.read += 1
        else if (judge.seconds === null) counts.refusedByBoth += 1
        else counts.refusedHereAlone += 1
        const found = fault(own, judge, kind)
        const line = `${name} ${index}, ${kind}: ${found}`
        if (found !== null && !excused.test(line)) faults.push(line)
      }
    }
    process.stdout.write(`damaged: ${JSON.stringify(counts)}, ${faults.length} faults\n`)
    expect(faults).toEqual([])
  },
  1_200_000,
)

test.skipIf(!hasFfmpeg)(
  `odd rates and channels are as long as for ffmpeg${reason}`,
  async () => {
    const random = seededRandom(44)
    const faults: string[] = []
    let fileCount = 0
    const shapes = formats.flatMap(([name]) =>
      [8_000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000].flatMap((rate) =>
        [1, 2, 3, 6].flatMap((channels) =>
          [0.03, 1.3, 4.7].map((seconds) => ({ name, rate, channels, seconds })),
        ),
      ),
    )
    while (fileCount < oddFiles) {
      const { name, ...shape } = shapes.splice(random.below(shapes.length), 1)[0] ?? { name: 'flac' }
      const bytes = await make(name, shape)
      if (bytes === null) continue
      fileCount += 1
      const found = fault(await heard(bytes), await judged(bytes, name), 'nothing')
      if (found !== null) faults.push(`${name} ${JSON.stringify(shape)}: ${found}`)
    }
    process.stdout.write(`odd: ${fileCount} files, ${faults.length} faults\n`)
    expect(faults).toEqual([])
  },
  1_200_000,
)
