import { big, join, little, type Piece, samplesBig, samplesLittle } from './bytes.ts'

export const rateHz = 16_000

interface WavFields {
  readonly tag?: number
  readonly channels?: number
  readonly rate?: number
  readonly bytesPerSecond?: number
  readonly block?: number
  readonly bits?: number
  /** What follows the first 16 bytes of the format chunk. */
  readonly extension?: Piece
  readonly riffSize?: number
  /** In place of the length of the samples. */
  readonly dataSize?: number
  readonly before?: Piece
  readonly after?: Piece
}

/** A WAV file of mono samples of 16 bits, or of other bytes, whose header says what is given. */
export function wav(sound: Int16Array | Uint8Array, fields: WavFields = {}): Buffer {
  const data = sound instanceof Int16Array ? samplesLittle(sound) : Buffer.from(sound)
  const { tag = 1, channels = 1, rate = rateHz, block = 2, bits = 16, extension = '' } = fields
  const format = join(
    little(2, tag, channels),
    little(4, rate, fields.bytesPerSecond ?? rate * block),
    little(2, block, bits),
    extension,
  )
  const body = join(
    chunk('fmt ', format),
    fields.before ?? '',
    'data',
    little(4, fields.dataSize ?? data.length),
    data,
    fields.after ?? '',
  )
  return join('RIFF', little(4, fields.riffSize ?? body.length + 4), 'WAVE', body)
}

/** A chunk of a WAV file, filled up to an even length. */
export function chunk(type: string, content: Piece): Buffer {
  const bytes = join(content)
  return join(type, little(4, bytes.length), bytes, bytes.length % 2 === 0 ? '' : '\0')
}

const guidTail = Buffer.from('f3acd3118cd100c04f8edb8a', 'hex')
const riffTail = Buffer.from('2e91cf11a5d628db04c10000', 'hex')

/** The same samples as Sony Wave64. */
export function wave64(sound: Int16Array, dataSize: number = 24 + sound.byteLength): Buffer {
  const format = join(little(2, 1, 1), little(4, rateHz, rateHz * 2), little(2, 2, 16))
  return join(
    join('riff', riffTail, little(8, 112 + sound.byteLength), 'wave', guidTail),
    join('fmt ', guidTail, little(8, 24 + format.length), format),
    join('data', guidTail, little(8, dataSize), samplesLittle(sound)),
  )
}

interface AiffFields {
  readonly channels?: number
  readonly frames?: number
  readonly bits?: number
  /** Sign, exponent and the upper half of the mantissa of the sample rate. */
  readonly rate?: readonly [exponent: number, mantissa: number]
  /** Of AIFF-C. */
  readonly compression?: string
  readonly isSoundFirst?: boolean
}

/** 16,000 Hz are 2^13 × 1.953125. */
const rate16k = [16_383 + 13, 0xfa00_0000] as const

/** Samples as AIFF: of 16 bits with the highest byte first, or other bytes as they are. */
export function aiff(sound: Int16Array | Uint8Array, fields: AiffFields = {}): Buffer {
  const data = sound instanceof Int16Array ? samplesBig(sound) : Buffer.from(sound)
  const { channels = 1, bits = 16, rate = rate16k, compression } = fields
  const common = join(
    big(2, channels),
    big(4, fields.frames ?? sound.length),
    big(2, bits, rate[0]),
    big(4, rate[1], 0),
    compression === undefined ? '' : join(compression, '\0\0'),
  )
  const chunks = [
    join('COMM', big(4, common.length), common),
    join('SSND', big(4, data.length + 8, 0, 0), data),
  ]
  if (fields.isSoundFirst === true) chunks.reverse()
  const form = join(compression === undefined ? 'AIFF' : 'AIFC', ...chunks)
  return join('FORM', big(4, form.length), form)
}

interface AuFields {
  readonly offset?: number
  readonly size?: number
  readonly encoding?: number
  readonly rate?: number
  readonly channels?: number
}

export function au(sound: Int16Array, fields: AuFields = {}): Buffer {
  const { offset = 24, size = sound.byteLength, encoding = 3, rate = rateHz, channels = 1 } = fields
  return join('.snd', big(4, offset, size, encoding, rate, channels), samplesBig(sound))
}

interface CafFields {
  readonly coding?: string
  readonly packetBytes?: number
  readonly channels?: number
  readonly bits?: number
  readonly rate?: number
  readonly size?: number
}

export function caf(sound: Int16Array, fields: CafFields = {}): Buffer {
  const { coding = 'lpcm', packetBytes = 2, channels = 1, bits = 16, rate = rateHz } = fields
  const rateBytes = Buffer.alloc(8)
  rateBytes.writeDoubleBE(rate)
  return join(
    join('caff', big(2, 1, 0)),
    join('desc', big(8, 32), rateBytes, coding, big(4, 2, packetBytes, 1, channels, bits)),
    join('data', big(8, fields.size ?? sound.byteLength + 4), big(4, 0), samplesLittle(sound)),
  )
}

const stepSizes = [
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97,
  107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724,
  796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026,
  4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10_442, 11_487, 12_635, 13_899, 15_289, 16_818,
  18_500, 20_350, 22_385, 24_623, 27_086, 29_794, 32_767,
]
const indexSteps = [-1, -1, -1, -1, 2, 4, 6, 8]

const imaBlockBytes = 256
export const imaBlockSamples = 505

/** Mono samples as IMA ADPCM: blocks of a sample and its step, then four bits for each of the others. */
function imaBlocks(sound: Int16Array): Buffer {
  const blocks: Buffer[] = []
  let index = 0
  for (let start = 0; start + imaBlockSamples <= sound.length; start += imaBlockSamples) {
    let predicted = sound[start] ?? 0
    const block = Buffer.alloc(imaBlockBytes)
    block.writeInt16LE(predicted, 0)
    block[2] = index
    for (let at = 0; at < imaBlockSamples - 1; at += 1) {
      const step = stepSizes[index] ?? 0
      const difference = (sound[start + 1 + at] ?? 0) - predicted
      const size = Math.min(7, Math.floor((Math.abs(difference) * 4) / step))
      const change =
        (step >> 3) +
        ((size & 4) === 0 ? 0 : step) +
        ((size & 2) === 0 ? 0 : step >> 1) +
        ((size & 1) === 0 ? 0 : step >> 2)
      predicted = Math.max(-32_768, Math.min(32_767, predicted + (difference < 0 ? -change : change)))
      index = Math.max(0, Math.min(88, index + (indexSteps[size] ?? 0)))
      const nibble = (difference < 0 ? 8 : 0) | size
      block[4 + (at >> 1)] = (block[4 + (at >> 1)] ?? 0) | (at % 2 === 0 ? nibble : nibble << 4)
    }
    blocks.push(block)
  }
  return Buffer.concat(blocks)
}

/** IMA ADPCM in a WAV file. The fourth pair of bytes behind the first 16 says how many samples a block has. */
export function imaWav(sound: Int16Array, fields: WavFields = {}): Buffer {
  return wav(imaBlocks(sound), {
    tag: 17,
    block: imaBlockBytes,
    bits: 4,
    bytesPerSecond: 8_110,
    extension: little(2, 2, imaBlockSamples),
    ...fields,
  })
}
