import { type Animal, animal } from './animal.ts'
import { id3, join, little, patched, repeat, samplesBig } from './bytes.ts'
import { aiff, au, caf, chunk, imaBlockSamples, imaWav, rateHz, wav, wave64 } from './pcm-files.ts'

export function riffs(sound: Int16Array): Animal[] {
  const plain = wav(sound)
  const dataAt = plain.indexOf('data')
  const ima = Math.floor(sound.length / imaBlockSamples)
  return [
    animal('WAV as everybody writes it', 'sound', () => plain),
    animal('WAV with lengths that a pipe leaves', 'sound', () =>
      patched(patched(plain, 4, little(4, -1)), dataAt + 4, little(4, -1)),
    ),
    animal('WAV with an odd chunk in front', 'sound', () => wav(sound, { before: chunk('LIST', 'odd') })),
    animal('WAV with a chunk behind', 'sound', () => wav(sound, { after: chunk('LIST', 'INFOsomething') })),
    animal('WAV in the extensible format', 'sound', () =>
      wav(sound, {
        tag: 0xfffe,
        extension: join(
          little(2, 22, 16),
          little(4, 4),
          little(2, 1),
          Buffer.from('000000001000800000aa00389b71', 'hex'),
        ),
      }),
    ),
    animal('WAV that promises twice its samples', 'refused', () =>
      wav(sound, { dataSize: sound.byteLength * 2 }),
    ),
    animal('WAV that promises a tenth of its samples', 'refused', () =>
      wav(sound, { dataSize: Math.floor(sound.length / 10) * 2 }),
    ),
    animal('WAV without channels', 'refused', () => wav(sound, { channels: 0, block: 0 })),
    animal('WAV of 65,535 channels', 'refused', () => wav(sound, { channels: 65_535, block: 65_534 })),
    animal('WAV of 1 Hz', 'refused', () => wav(sound, { rate: 1 })),
    animal('WAV of 4 GHz', 'refused', () => wav(sound, { rate: 4_000_000_000, bytesPerSecond: 0 })),
    animal('WAV with a wrong number of bytes a second', 'sound', () =>
      wav(sound, { bytesPerSecond: rateHz * 4 }),
    ),
    animal('WAV behind two tags', 'sound', () => join(id3(300), id3(20), plain)),
    animal('WAV whose second channel is upside down', 'sound', () =>
      wav(
        Int16Array.from({ length: 2 * sound.length }, (_, at) => (sound[at >> 1] ?? 0) * (at % 2 ? -1 : 1)),
        {
          channels: 2,
          block: 4,
        },
      ),
    ),
    animal('WAV of nine hours and a second, in two channels', 'refused', () =>
      wav(new Uint8Array(1_000 * 2 * (9 * 3_600 + 1)), { channels: 2, rate: 1_000, bits: 8 }),
    ),
    animal('WAV with blocks of no bytes', 'refused', () => wav(sound, { block: 0, bytesPerSecond: 0 })),
    animal('WAV of 12 bits in one byte', 'refused', () => wav(sound, { block: 1, bits: 12 })),
    animal('WAV of 3 bits in two bytes', 'refused', () => wav(sound, { bits: 3 })),
    animal('WAV of an unknown codec', 'refused', () => wav(sound, { tag: 0x161 })),
    animal('WAV whose format comes behind its samples', 'refused', () =>
      join(
        'RIFF',
        little(4, -1),
        'WAVE',
        chunk('data', Buffer.from(sound.buffer)),
        plain.subarray(12, dataAt),
      ),
    ),
    animal('WAV without samples', 'refused', () => wav(new Int16Array())),
    animal('WAV that is cut in its header', 'refused', () => plain.subarray(0, 30)),
    animal('WAV of floats that are no numbers', 'refused', () =>
      wav(repeat(Buffer.from('0000c07f', 'hex'), rateHz), { tag: 3, block: 4, bits: 32 }),
    ),
    animal('WAV that is big-endian', 'refused', () => patched(plain, 0, 'RIFX')),
    animal('RF64 that promises a terabyte', 'refused', () =>
      join(
        'RF64',
        little(4, -1),
        'WAVE',
        chunk('ds64', little(8, 2 ** 40, 2 ** 40, 0)),
        plain.subarray(12, dataAt),
        'data',
        little(4, -1),
        Buffer.alloc(8),
      ),
    ),
    animal('IMA ADPCM', 'nearly the sound', () => imaWav(sound)),
    animal('IMA ADPCM whose format chunk ends after 16 bytes', 'nearly the sound', () =>
      imaWav(sound, { extension: '' }),
    ),
    animal('IMA ADPCM with "da" as samples of a block', 'refused', () =>
      imaWav(sound, { extension: little(2, 2, 0x6164) }),
    ),
    animal('IMA ADPCM with a tenth of the samples of a block', 'refused', () =>
      imaWav(sound, { extension: little(2, 2, 50) }),
    ),
    animal('IMA ADPCM in the extensible format', 'nearly the sound', () =>
      imaWav(sound, {
        tag: 0xfffe,
        extension: join(
          little(2, 24, 4),
          little(4, 4),
          little(2, 17),
          Buffer.from('000000001000800000aa00389b71', 'hex'),
          little(2, imaBlockSamples),
        ),
      }),
    ),
    animal('IMA ADPCM with a block without a head', 'refused', () => {
      const file = imaWav(sound)
      return patched(file, file.indexOf('data') + 8 + 5 * 256 + 2, Buffer.from([89]))
    }),
    animal('AU with a tag behind it', 'sound', () => join(au(sound), 'TAG', Buffer.alloc(125))),
    animal('IMA ADPCM with blocks of another size', 'refused', () => imaWav(sound, { block: 255 })),
    animal('IMA ADPCM that promises more samples than blocks', 'refused', () =>
      imaWav(sound, { before: chunk('fact', little(4, ima * imaBlockSamples * 3)) }),
    ),
    animal('IMA ADPCM of 3 bits', 'refused', () => imaWav(sound, { bits: 3 })),
    animal('MS ADPCM without coefficients', 'refused', () =>
      imaWav(sound, { tag: 2, extension: little(2, 2, 500) }),
    ),
  ]
}

export function otherPcm(sound: Int16Array): Animal[] {
  const bytes8 = Uint8Array.from(sound, (sample) => (sample >> 8) & 0xff)
  return [
    animal('Wave64', 'sound', () => wave64(sound)),
    animal('Wave64 that promises twice its samples', 'refused', () =>
      wave64(sound, 24 + sound.byteLength * 2),
    ),
    animal('AIFF', 'sound', () => aiff(sound)),
    animal('AIFF of 8 bits, which are signed', 'nearly the sound', () => aiff(bytes8, { bits: 8 })),
    animal('AIFF-C with the lowest byte first', 'sound', () =>
      aiff(samplesBig(sound).swap16(), { compression: 'sowt', frames: sound.length }),
    ),
    animal('AIFF that promises twice its samples', 'refused', () =>
      aiff(sound, { frames: sound.length * 2 }),
    ),
    animal('AIFF that promises half its samples', 'refused', () =>
      aiff(sound, { frames: Math.floor(sound.length / 2) }),
    ),
    animal('AIFF without channels', 'refused', () => aiff(sound, { channels: 0 })),
    animal('AIFF of 1 Hz', 'refused', () => aiff(sound, { rate: [16_383, 0x8000_0000] })),
    animal('AIFF of a rate without end', 'refused', () => aiff(sound, { rate: [0x7fff, 0x8000_0000] })),
    animal('AIFF-C of an unknown coding', 'refused', () => aiff(sound, { compression: 'QDM2' })),
    animal('AIFF that is cut', 'refused', () => aiff(sound).subarray(0, sound.length)),
    animal('AU', 'sound', () => au(sound)),
    animal('AU of unknown length', 'sound', () => au(sound, { size: -1 })),
    animal('AU that promises half its samples', 'refused', () => au(sound, { size: sound.length })),
    animal('AU whose samples begin behind its end', 'refused', () => au(sound, { offset: 2 ** 31 })),
    animal('AU of an unknown encoding', 'refused', () => au(sound, { encoding: 23 })),
    animal('AU without channels', 'refused', () => au(sound, { channels: 0 })),
    animal('CAF', 'sound', () => caf(sound)),
    animal('CAF of unknown length', 'sound', () => caf(sound, { size: -1 })),
    animal('CAF of packets of another size', 'refused', () => caf(sound, { packetBytes: 1 })),
    animal('CAF that promises twice its samples', 'refused', () =>
      caf(sound, { size: sound.byteLength * 2 }),
    ),
    animal('CAF of AAC', 'refused', () => caf(sound, { coding: 'aac ' })),
    animal('CAF of 1 Hz', 'refused', () => caf(sound, { rate: 1 })),
    animal('CAF of no rate at all', 'refused', () => caf(sound, { rate: Number.NaN })),
  ]
}
