import { big, bits, join, type Piece } from './bytes.ts'

export function box(type: string, ...content: readonly Piece[]): Buffer {
  const body = join(...content)
  return join(big(4, body.length + 8), type, body)
}

interface Mp4Fields {
  /** The frames of the codec. */
  readonly samples: readonly Uint8Array[]
  /** The entry of `stsd`. Default: AAC, 16 kHz, mono. */
  readonly entry?: Piece
  /** Ticks of a sample. */
  readonly ticks?: number
  readonly ticksPerSecond?: number
  /** In place of `stsz`, `stco`, `stsc`, `stts` and `edts` as they should be. */
  readonly sizes?: Piece
  readonly places?: Piece
  readonly runs?: Piece
  readonly times?: Piece
  readonly edits?: Piece
  readonly handler?: string
}

/** A file whose samples lie behind its index, in one chunk. */
export function mp4(fields: Mp4Fields): Buffer {
  const { samples, entry = aacEntry(), ticks = 1_024, ticksPerSecond = 16_000, handler = 'soun' } = fields
  const count = samples.length
  const type = box('ftyp', 'M4A ', big(4, 0))
  const movie = (start: number): Buffer =>
    box(
      'moov',
      box('mvhd', big(4, 0, 0, 0, 1_000, 0), Buffer.alloc(80)),
      box(
        'trak',
        box('tkhd', big(4, 7, 0, 0, 1, 0, 0), Buffer.alloc(60)),
        fields.edits ?? '',
        box(
          'mdia',
          box('mdhd', big(4, 0, 0, 0, ticksPerSecond, count * ticks, 0)),
          box('hdlr', big(4, 0, 0), handler, Buffer.alloc(13)),
          box(
            'minf',
            box(
              'stbl',
              box('stsd', big(4, 0, 1), entry),
              fields.times ?? box('stts', big(4, 0, 1, count, ticks)),
              fields.sizes ?? box('stsz', big(4, 0, 0, count, ...samples.map(({ length }) => length))),
              fields.runs ?? box('stsc', big(4, 0, 1, 1, count, 1)),
              fields.places ?? box('stco', big(4, 0, 1, start)),
            ),
          ),
        ),
      ),
    )
  const start = type.length + movie(0).length + 8
  return join(type, movie(start), box('mdat', ...samples))
}

function soundEntry(type: string, channels: number, ...config: readonly Piece[]): Buffer {
  return box(
    type,
    Buffer.alloc(6),
    big(2, 1),
    big(4, 0, 0),
    big(2, channels, 16, 0, 0),
    big(4, 16_000 * 65_536),
    ...config,
  )
}

/** AAC-LC; the index 8 is 16 kHz. */
export function aacEntry(rateIndex = 8): Buffer {
  const specific = bits([2, 5], [rateIndex, 4], [1, 4], [0, 3])
  const config = join(big(1, 5, specific.length), specific)
  const decoder = join(big(1, 4, 13 + config.length, 0x40, 0x15), Buffer.alloc(11), config)
  return soundEntry('mp4a', 1, box('esds', big(4, 0), big(1, 3, 3 + decoder.length, 0, 1, 0), decoder))
}

/** A frame of AAC-LC that holds one channel of silence. */
export const silentAacFrame: Buffer = Buffer.from('00c800802380', 'hex')

export function alacEntry(frameSamples: number, channels = 1): Buffer {
  const config = join(
    big(4, 0, frameSamples),
    big(1, 0, 16, 40, 10, 14, channels),
    big(2, 255),
    big(4, 0, 0, 16_000),
  )
  return soundEntry('alac', channels, box('alac', config))
}

/** A frame of ALAC of one channel whose samples lie in it as they are. */
export function alacFrame(samples: Int16Array, count: number = samples.length): Buffer {
  return bits(
    [0, 3],
    [0, 4],
    [0, 12],
    [1, 1],
    [0, 2],
    [1, 1],
    [Math.floor(count / 65_536), 16],
    [count % 65_536, 16],
    ...Array.from(samples, (sample) => [sample & 0xffff, 16] as const),
    [7, 3],
  )
}

/** PCM of 16 bits as QuickTime has it. */
export function pcmEntry(): Buffer {
  return soundEntry('sowt', 1)
}

interface Fragment {
  readonly samples: readonly Uint8Array[]
  /** In place of the number of samples. */
  readonly count?: number
}

/** A file in fragments of AAC. */
export function fragmentedMp4(fragments: readonly Fragment[]): Buffer {
  const whole = mp4({
    samples: [],
    times: box('stts', big(4, 0, 0)),
    runs: box('stsc', big(4, 0, 0)),
    places: box('stco', big(4, 0, 0)),
  })
  const movieEnd = whole.length - 8
  const extended = join(whole.subarray(0, movieEnd), box('mvex', box('trex', big(4, 0, 1, 1, 1_024, 0, 0))))
  const movieStart = extended.indexOf('moov') - 4
  extended.writeUInt32BE(extended.length - movieStart, movieStart)
  return join(extended, ...fragments.map(fragment))
}

function fragment({ samples, count = samples.length }: Fragment): Buffer {
  const moof = (offset: number): Buffer =>
    box(
      'moof',
      box('mfhd', big(4, 0, 1)),
      box(
        'traf',
        box('tfhd', big(4, 0x02_0000, 1)),
        box('trun', big(4, 0x201, count, offset, ...samples.map(({ length }) => length))),
      ),
    )
  return join(moof(moof(0).length + 8), box('mdat', ...samples))
}
