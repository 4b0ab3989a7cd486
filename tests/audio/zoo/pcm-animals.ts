import { type Animal, animals } from './animal.ts'
import { id3, join, little, patched, repeat, samplesBig } from './bytes.ts'
import { aiff, au, caf, chunk, imaBlockSamples, imaWav, rateHz, wav, wave64 } from './pcm-files.ts'

export function riffs(sound: Int16Array): Animal[] {
  const plain = wav(sound)
  const dataAt = plain.indexOf('data')
  const ima = Math.floor(sound.length / imaBlockSamples)
  return [
    ...animals('sound', {
      'WAV as everybody writes it': () => plain,
      'WAV with lengths that a pipe leaves': () =>
        patched(patched(plain, 4, little(4, -1)), dataAt + 4, little(4, -1)),
      'WAV with an odd chunk in front': () => wav(sound, { before: chunk('LIST', 'odd') }),
      'WAV with a chunk behind': () => wav(sound, { after: chunk('LIST', 'INFOsomething') }),
      'WAV in the extensible format': () =>
        wav(sound, {
          tag: 0xfffe,
          extension: join(
            little(2, 22, 16),
            little(4, 4),
            little(2, 1),
            Buffer.from('000000001000800000aa00389b71', 'hex'),
          ),
        }),
      'WAV with a wrong number of bytes a second': () => wav(sound, { bytesPerSecond: rateHz * 4 }),
      'WAV behind two tags': () => join(id3(300), id3(20), plain),
      'WAV whose second channel is upside down': () =>
        wav(
          Int16Array.from({ length: 2 * sound.length }, (_, at) => (sound[at >> 1] ?? 0) * (at % 2 ? -1 : 1)),
          {
            channels: 2,
            block: 4,
          },
        ),
      'AU with a tag behind it': () => join(au(sound), 'TAG', Buffer.alloc(125)),
    }),
    ...animals('refused', {
      'WAV that promises twice its samples': () => wav(sound, { dataSize: sound.byteLength * 2 }),
      'WAV that promises a tenth of its samples': () =>
        wav(sound, { dataSize: Math.floor(sound.length / 10) * 2 }),
      'WAV without channels': () => wav(sound, { channels: 0, block: 0 }),
      'WAV of 65,535 channels': () => wav(sound, { channels: 65_535, block: 65_534 }),
      'WAV of 1 Hz': () => wav(sound, { rate: 1 }),
      'WAV of 4 GHz': () => wav(sound, { rate: 4_000_000_000, bytesPerSecond: 0 }),
      'WAV of nine hours and a second, in two channels': () =>
        wav(new Uint8Array(1_000 * 2 * (9 * 3_600 + 1)), { channels: 2, rate: 1_000, bits: 8 }),
      'WAV with blocks of no bytes': () => wav(sound, { block: 0, bytesPerSecond: 0 }),
      'WAV of 12 bits in one byte': () => wav(sound, { block: 1, bits: 12 }),
      'WAV of 3 bits in two bytes': () => wav(sound, { bits: 3 }),
      'WAV of an unknown codec': () => wav(sound, { tag: 0x161 }),
      'WAV whose format comes behind its samples': () =>
        join(
          'RIFF',
          little(4, -1),
          'WAVE',
          chunk('data', Buffer.from(sound.buffer)),
          plain.subarray(12, dataAt),
        ),
      'WAV without samples': () => wav(new Int16Array()),
      'WAV that is cut in its header': () => plain.subarray(0, 30),
      'WAV of floats that are no numbers': () =>
        wav(repeat(Buffer.from('0000c07f', 'hex'), rateHz), { tag: 3, block: 4, bits: 32 }),
      'WAV that is big-endian': () => patched(plain, 0, 'RIFX'),
      'RF64 that promises a terabyte': () =>
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
      'IMA ADPCM with "da" as samples of a block': () => imaWav(sound, { extension: little(2, 2, 0x6164) }),
      'IMA ADPCM with a tenth of the samples of a block': () =>
        imaWav(sound, { extension: little(2, 2, 50) }),
      'IMA ADPCM with a block without a head': () => {
        const file = imaWav(sound)
        return patched(file, file.indexOf('data') + 8 + 5 * 256 + 2, Buffer.from([89]))
      },
      'IMA ADPCM with blocks of another size': () => imaWav(sound, { block: 255 }),
      'IMA ADPCM that promises more samples than blocks': () =>
        imaWav(sound, { before: chunk('fact', little(4, ima * imaBlockSamples * 3)) }),
      'IMA ADPCM of 3 bits': () => imaWav(sound, { bits: 3 }),
      'MS ADPCM without coefficients': () => imaWav(sound, { tag: 2, extension: little(2, 2, 500) }),
    }),
    ...animals('nearly the sound', {
      'IMA ADPCM': () => imaWav(sound),
      'IMA ADPCM whose format chunk ends after 16 bytes': () => imaWav(sound, { extension: '' }),
      'IMA ADPCM in the extensible format': () =>
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
    }),
  ]
}

export function otherPcm(sound: Int16Array): Animal[] {
  const bytes8 = Uint8Array.from(sound, (sample) => (sample >> 8) & 0xff)
  return [
    ...animals('sound', {
      Wave64: () => wave64(sound),
      AIFF: () => aiff(sound),
      'AIFF whose sound comes before its description': () => aiff(sound, { isSoundFirst: true }),
      'AIFF-C with the lowest byte first': () =>
        aiff(samplesBig(sound).swap16(), { compression: 'sowt', frames: sound.length }),
      AU: () => au(sound),
      'AU of unknown length': () => au(sound, { size: -1 }),
      CAF: () => caf(sound),
      'CAF of unknown length': () => caf(sound, { size: -1 }),
    }),
    ...animals('refused', {
      'Wave64 that promises twice its samples': () => wave64(sound, 24 + sound.byteLength * 2),
      'AIFF that promises twice its samples': () => aiff(sound, { frames: sound.length * 2 }),
      'AIFF that promises half its samples': () => aiff(sound, { frames: Math.floor(sound.length / 2) }),
      'AIFF without channels': () => aiff(sound, { channels: 0 }),
      'AIFF of 1 Hz': () => aiff(sound, { rate: [16_383, 0x8000_0000] }),
      'AIFF of a rate without end': () => aiff(sound, { rate: [0x7fff, 0x8000_0000] }),
      'AIFF-C of an unknown coding': () => aiff(sound, { compression: 'QDM2' }),
      'AIFF that is cut': () => aiff(sound).subarray(0, sound.length),
      'AU that promises half its samples': () => au(sound, { size: sound.length }),
      'AU whose samples begin behind its end': () => au(sound, { offset: 2 ** 31 }),
      'AU of an unknown encoding': () => au(sound, { encoding: 23 }),
      'AU without channels': () => au(sound, { channels: 0 }),
      'CAF of packets of another size': () => caf(sound, { packetBytes: 1 }),
      'CAF that promises twice its samples': () => caf(sound, { size: sound.byteLength * 2 }),
      'CAF of AAC': () => caf(sound, { coding: 'aac ' }),
      'CAF of 1 Hz': () => caf(sound, { rate: 1 }),
      'CAF of no rate at all': () => caf(sound, { rate: Number.NaN }),
    }),
    ...animals('nearly the sound', {
      'AIFF of 8 bits, which are signed': () => aiff(bytes8, { bits: 8 }),
    }),
  ]
}
