/**
 * Reads damaged and odd files beside ffmpeg, which made them. What ffmpeg refuses is refused; what is read is as long as for ffmpeg, to
 * a frame of its format, and as loud. A file that ffmpeg reads in spite of errors may be refused: a benchmark does not score half a
 * recording. `PROPERTY_SEED` draws other files.
 */
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { foreignWavCodec, foreignWavTags } from '#audio/formats/wav'
import { decodeSound } from '#audio/sound-stream'
import { type Random, seededRandom } from '#prelude'
import { temporaryFolder } from '../temporary-folder.ts'

const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0
const reason = hasFfmpeg ? '' : ' (ffmpeg is not installed)'

interface Format {
  readonly name: string
  readonly ending: string
  readonly options?: readonly string[]
  /** Samples that two right readers may differ in; default 0. */
  readonly frameSamples?: number
}

const formats: readonly Format[] = [
  { name: 'wav-s16', ending: 'wav' },
  { name: 'wav-s24', ending: 'wav', options: ['-c:a', 'pcm_s24le'] },
  { name: 'wav-f32', ending: 'wav', options: ['-c:a', 'pcm_f32le'] },
  { name: 'wav-mulaw', ending: 'wav', options: ['-c:a', 'pcm_mulaw'] },
  { name: 'wav-ima', ending: 'wav', options: ['-c:a', 'adpcm_ima_wav'] },
  { name: 'wav-ms', ending: 'wav', options: ['-c:a', 'adpcm_ms'] },
  { name: 'wave64', ending: 'w64' },
  { name: 'flac', ending: 'flac' },
  // Exact where no tag is damaged: both take away the delay that it says. A frame of half the samples below 32 kHz.
  { name: 'mp3', ending: 'mp3', options: ['-b:a', '64k'], frameSamples: 1152 },
  // ffmpeg begins with a short block where the first page counts more samples than its packets hold.
  { name: 'vorbis', ending: 'ogg', options: ['-c:a', 'libvorbis'], frameSamples: 128 },
  { name: 'opus', ending: 'opus', options: ['-c:a', 'libopus', '-b:a', '32k'] },
  // ffmpeg plays the last frame whole, whatever the edit list says.
  { name: 'm4a', ending: 'm4a', options: ['-c:a', 'aac'], frameSamples: 1024 },
  { name: 'alac', ending: 'm4a', options: ['-c:a', 'alac'] },
  // The decoder here needs a frame to begin with.
  { name: 'adts', ending: 'aac', options: ['-c:a', 'aac'], frameSamples: 1024 },
  { name: 'webm', ending: 'webm', options: ['-c:a', 'libopus', '-b:a', '32k'] },
  { name: 'aiff', ending: 'aiff' },
  { name: 'au', ending: 'au' },
]
const filesPerFormat = 30
const oddFiles = 127
const seed = Number(process.env['PROPERTY_SEED'] ?? 44)
/** Samples at 16 kHz, to which ffmpeg resamples. */
const roundingSeconds = 0.0011
/** Shorter files may be refused: a recording of one frame. */
const shortestSeconds = 0.3
/** Of the largest samples: below, nothing is heard. */
const silentPeak = 1e-3

const home = await temporaryFolder()
const folder = home.path
afterAll(() => home[Symbol.asyncDispose]())

async function make(
  { ending, options = [] }: Format,
  { rate = 16_000, channels = 1, seconds = 2 } = {},
): Promise<Buffer | null> {
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

/** The packets of a file that ffmpeg made, where their bytes can be found again in a damaged one. */
async function packetsOf(bytes: Buffer, { name, ending }: Format): Promise<readonly Buffer[]> {
  if (name !== 'mp3' && name !== 'adts') return []
  const path = join(folder, `listed.${ending}`)
  await writeFile(path, bytes)
  const options = ['-v', 'error', '-show_entries', 'packet=pos,size', '-of', 'csv=p=0']
  const lines = String(spawnSync('ffprobe', [...options, path]).stdout).match(/\d+,\d+/g) ?? []
  return lines.map((line) => {
    const [size = 0, start = 0] = line.split(',').map(Number)
    return bytes.subarray(start, start + size)
  })
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

interface Judged extends Heard {
  readonly isClean: boolean
}

async function judged(bytes: Uint8Array, ending: string): Promise<Judged> {
  const path = join(folder, `judged.${ending}`)
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
  if (!sound.ok) {
    const { reason: words, isForeign = false } = sound.failure
    return { seconds: null, peak: 0, words, isForeign }
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

/** What ffmpeg alone is wrong about. */
const excuses: readonly (readonly [reason: string, RegExp])[] = [
  ['it looks for another chunk behind the samples of Wave64', /^wave64 .*ffmpeg refuses/],
  [
    'it leaves out frames of ALAC, which has no checksums, where a bit is wrong',
    /^alac .*other bytes.*: .* s, of ffmpeg/,
  ],
  ['it plays a tag behind AU as sound', /^au .*tag behind/],
  [
    'it knows ADTS by several frames in a row, and the shortest file has two',
    /^adts .*read as 0\.0\d+ s, and ffmpeg refuses/,
  ],
  [
    'it believes a damaged frame of ADTS that there are dozens of channels, and gives up the others',
    /^adts .*ffmpeg refuses it \(.*Rematrix is needed between \d\d channels/,
  ],
  [
    'of Vorbis as short as a block it leaves out the first one: these were made 0.03 s long',
    /^vorbis .*"seconds":0\.03\}: 0\.030\d* s, of ffmpeg 0\.0/,
  ],
]
const isExcused = (line: string): boolean => excuses.some(([, pattern]) => pattern.test(line))
/** These lose nothing of the sound. */
const isHarmless = (kind: string): boolean => kind.startsWith('a tag') || kind === 'nothing'

interface Truth {
  readonly kind: string
  /** What right readers may differ in. */
  readonly frameSeconds: number
  /**
   * How long the sound of the packets is that were not damaged, and of those besides whose places are still there: a packet with
   * other bytes in it may be played. Null where ffmpeg knows.
   */
  readonly survivedSeconds: { readonly least: number; readonly most: number } | null
}

/** What two readers of a file must not differ in. */
function fault(own: Heard, judge: Judged, { kind, frameSeconds, survivedSeconds }: Truth): string | null {
  const isShort = judge.seconds !== null && judge.seconds < shortestSeconds
  if (own.seconds === null && (!isHarmless(kind) || own.isForeign === true || isShort)) return null
  if (own.seconds === null)
    return judge.isClean ? `refused (${own.words}), and ffmpeg reads ${judge.seconds} s` : null
  if (judge.seconds === null) return `read as ${own.seconds} s, and ffmpeg refuses it (${judge.words})`
  const loose = frameSeconds + roundingSeconds
  if (survivedSeconds !== null) {
    // A packet on either side of the damage may be lost with it.
    const { least, most } = survivedSeconds
    const isWithin = own.seconds >= least - loose - frameSeconds && own.seconds <= most + loose + frameSeconds
    return isWithin ? null : `${own.seconds} s, of whole packets ${least} s, of ffmpeg ${judge.seconds} s`
  }
  if (Math.abs(own.seconds - judge.seconds) > loose) return `${own.seconds} s, of ffmpeg ${judge.seconds} s`
  if (judge.peak < silentPeak && own.peak > 10 * silentPeak)
    return `loud (${own.peak}), and ffmpeg hears nothing`
  return null
}

/**
 * What ffmpeg makes of damaged MP3 and ADTS is an estimate: it takes noise for the head of a frame, and with it up to 8 KB of frames
 * behind it. Their packets are counted instead.
 */
function truthOf(
  { name, frameSamples = 0 }: Format,
  damage: {
    readonly kind: string
    readonly judge: Judged
    readonly whole: Judged
    readonly packets: readonly Buffer[]
    readonly bytes: Buffer
  },
): Truth {
  const { kind, judge, whole, packets, bytes } = damage
  const packetSeconds = (name === 'mp3' ? 576 : frameSamples) / 16_000
  // The first frame of MP3 holds no sound but the tag that says how much of it is delay and padding: three frames at most.
  const isTagLost = name === 'mp3' && packets[0] !== undefined && !hasTagFrame(bytes, packets[0])
  const frameSeconds = isTagLost ? 4 * packetSeconds : name === 'mp3' ? packetSeconds : frameSamples / 16_000
  const lost = packets.filter((packet) => !bytes.includes(packet)).length
  const isEstimate = packets.length > 0 && !isHarmless(kind) && !judge.isClean && whole.seconds !== null
  const least = (whole.seconds ?? 0) - lost * packetSeconds
  const most = kind.startsWith('other bytes') ? (whole.seconds ?? 0) : least
  return { kind, frameSeconds, survivedSeconds: isEstimate ? { least, most } : null }
}

/**
 * ffprobe does not list the frame of the tag: it lies before the first packet that it lists, and is as long. Where noise lies between
 * them, a reader may take it for noise as well.
 */
function hasTagFrame(bytes: Buffer, first: Buffer): boolean {
  return bytes.includes(Buffer.from(first.buffer, first.byteOffset - first.length, 2 * first.length))
}

test.skipIf(!hasFfmpeg)(
  `damaged files are read as ffmpeg reads them, or refused${reason}`,
  async () => {
    const random = seededRandom(seed)
    const faults: string[] = []
    const counts = { files: 0, read: 0, refused: 0 }
    for (const format of formats) {
      const { name, ending } = format
      const made = await make(format)
      if (made === null) throw new Error(`ffmpeg cannot write ${name}`)
      const [whole, packets] = [await judged(made, ending), await packetsOf(made, format)]
      for (let index = 0; index < filesPerFormat; index += 1) {
        const kinds = Object.keys(damages)
        const kind = kinds[index % kinds.length] as string
        const bytes = damages[kind]?.(made, random) ?? made
        const own = await heard(bytes)
        counts.files += 1
        // What is damaged may be refused, whatever ffmpeg makes of it.
        if (own.seconds === null && !isHarmless(kind)) {
          counts.refused += 1
          continue
        }
        const judge = await judged(bytes, ending)
        if (own.seconds !== null) counts.read += 1
        else counts.refused += 1
        const found = fault(own, judge, truthOf(format, { kind, judge, whole, packets, bytes }))
        const line = `${name} ${index}, ${kind}: ${found}`
        if (found !== null && !isExcused(line)) faults.push(line)
      }
    }
    process.stdout.write(`damaged, seed ${seed}: ${JSON.stringify(counts)}, ${faults.length} faults\n`)
    expect(faults).toEqual([])
  },
  1_200_000,
)

test.skipIf(!hasFfmpeg)(
  `odd rates and channels are as long as for ffmpeg${reason}`,
  async () => {
    const random = seededRandom(seed)
    const faults: string[] = []
    let fileCount = 0
    const shapes = formats.flatMap((format) =>
      [8_000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000].flatMap((rate) =>
        [1, 2, 3, 6].flatMap((channels) =>
          [0.03, 1.3, 4.7].map((seconds) => ({ format, rate, channels, seconds })),
        ),
      ),
    )
    while (fileCount < oddFiles) {
      const [drawn] = shapes.splice(random.below(shapes.length), 1)
      if (drawn === undefined) break
      const { format, ...shape } = drawn
      const bytes = await make(format, shape)
      if (bytes === null) continue
      fileCount += 1
      const frameSeconds = (format.frameSamples ?? 0) / shape.rate
      const truth = { kind: 'nothing', frameSeconds, survivedSeconds: null }
      const found = fault(await heard(bytes), await judged(bytes, format.ending), truth)
      const line = `${format.name} ${JSON.stringify(shape)}: ${found}`
      if (found !== null && !isExcused(line)) faults.push(line)
    }
    process.stdout.write(`odd, seed ${seed}: ${fileCount} files, ${faults.length} faults\n`)
    expect(faults).toEqual([])
  },
  1_200_000,
)

const inCapitals = (tag: number): number =>
  Buffer.from([tag >> 8, tag & 0xff]).reduce(
    (sum, byte) => sum * 256 + (byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte),
    0,
  )

test.skipIf(!hasFfmpeg)(
  `ffmpeg finds the codecs in WAV files that it is said to convert, and no others${reason}`,
  async () => {
    const bytes =
      (await make({ name: 'wav-ima', ending: 'wav', options: ['-c:a', 'adpcm_ima_wav'] })) ??
      Buffer.alloc(100)
    const path = join(folder, 'tagged.wav')
    // ffmpeg compares tags as if they were letters, large or small, and finds MPEG layer 2 (0x50) in Voxware (0x70).
    const isMistaken = (tag: number): boolean =>
      foreignWavTags.some(
        (other) =>
          other !== tag && inCapitals(other) === inCapitals(tag) && foreignWavCodec(other).isConvertible,
      )
    const tags = foreignWavTags.filter((tag) => !isMistaken(tag) || foreignWavCodec(tag).isConvertible)
    const found: Record<string, boolean> = {}
    for (const tag of tags) {
      bytes.writeUInt16LE(tag, 20)
      await writeFile(path, bytes)
      const asked = '-v error -show_entries stream=codec_name -of csv=p=0'.split(' ')
      const { stdout, stderr } = spawnSync('ffprobe', [...asked, path])
      // A codec that is known may refuse the header of another one, which is no stream then.
      found[tag] = !String(stdout).startsWith('unknown') && !String(stderr).includes('Unsupported codec')
    }
    expect(found).toEqual(Object.fromEntries(tags.map((tag) => [tag, foreignWavCodec(tag).isConvertible])))
  },
)
