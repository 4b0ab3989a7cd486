import { type Animal, animal, mostFileBytes } from './animal.ts'
import { big, id3, join, little, patched, repeat } from './bytes.ts'
import { flac, flacBlocks, flacFrame, oggFlacPackets } from './flac-files.ts'
import { silentAacFrame } from './mp4-files.ts'
import { adtsFrame, otherMp3Frame, silentMp3, silentMp3Frame, xingFrame } from './mpeg-files.ts'
import {
  oggPage,
  oggStream,
  opusHeaders,
  silentOpusPacket,
  silentOpusSamples,
  withChecksums,
} from './ogg-files.ts'
import { rateHz } from './pcm-files.ts'

export function flacs(sound: Int16Array): Animal[] {
  const blocks = flacBlocks(sound)
  const silence = (size: number, channels: number): Buffer => flacFrame({ size, channels })
  const days = (total: number): Buffer => {
    const head = flac([{ size: 65_535, channels: 8 }], { total })
    // Numbers go on in every frame, so that each has its own.
    const frames = Array.from({ length: 21_000 }, (_, number) =>
      flacFrame({ size: 65_535, channels: 8, number }),
    )
    return join(head.subarray(0, head.length - silence(65_535, 8).length), frames)
  }
  return [
    animal('FLAC', 'sound', () => flac(blocks)),
    animal('FLAC of unknown length', 'sound', () => flac(blocks, { total: 0 })),
    animal('FLAC with tags of MP3 at both ends', 'sound', () =>
      join(id3(50), flac(blocks), 'TAG', Buffer.alloc(125, 'x')),
    ),
    animal('FLAC with a wrong checksum of a frame', 'refused', () =>
      patched(flac(blocks), 20_000, big(2, 0x1234)),
    ),
    animal('FLAC whose frames leave their rate to the header', 'sound', () =>
      flac(blocks.map((block) => ({ ...block, rateCode: 0 }))),
    ),
    animal('FLAC without a rate in its header', 'sound', () => flac(blocks, { rate: 0 })),
    animal('FLAC of 1 Hz', 'refused', () =>
      flac(
        blocks.map((block) => ({ ...block, rateCode: 0 })),
        { rate: 1 },
      ),
    ),
    animal('FLAC without a rate anywhere', 'refused', () =>
      flac(
        blocks.map((block) => ({ ...block, rateCode: 0 })),
        { rate: 0 },
      ),
    ),
    animal('FLAC that promises twice its samples', 'refused', () =>
      flac(blocks, { total: sound.length * 2 }),
    ),
    animal('FLAC that promises half its samples', 'refused', () =>
      flac(blocks, { total: Math.floor(sound.length / 2) }),
    ),
    animal('FLAC that is cut in a frame', 'refused', () => flac(blocks).subarray(0, sound.length)),
    animal('FLAC without one of its frames', 'refused', () =>
      flac(
        blocks.map((block, number) => ({ ...block, number })).filter((_, index) => index !== 3),
        { total: 0 },
      ),
    ),
    animal('FLAC with a wrong byte', 'refused', () => patched(flac(blocks), 20_000, 'wrong')),
    animal('FLAC with metadata longer than itself', 'refused', () =>
      patched(flac(blocks), 5, big(3, 0xff_ffff)),
    ),
    animal('FLAC of 25 minutes of silence in eight channels, in 53 KB', { silenceSeconds: 1_499.4 }, () =>
      flac(Array.from({ length: 366 }, (_, number) => ({ size: 65_535, channels: 8, number }))),
    ),
    animal('FLAC of a day of silence in eight channels, in 800 KB', 'refused', () => days(0)),
    animal('FLAC of a day of silence that says it is a second', 'refused', () => days(rateHz)),
  ]
}

export function oggs(sound: Int16Array, vorbis: Uint8Array): Animal[] {
  const opusPackets = (count: number): Uint8Array[] => [
    ...opusHeaders(),
    ...Array<Uint8Array>(count).fill(silentOpusPacket),
  ]
  const opus = (count: number, fields: Partial<Parameters<typeof oggStream>[1]> = {}): Buffer[] =>
    oggStream(opusPackets(count), { packetSamples: silentOpusSamples, headers: 2, ...fields })
  const flacPackets = oggFlacPackets(flacBlocks(sound))
  const setupAt = Buffer.from(vorbis).indexOf('\u0005vorbis', 0, 'latin1')
  return [
    animal('Ogg Opus of a minute of silence', { silenceSeconds: 60 }, () => join(opus(500))),
    animal('Ogg Opus of half an hour of silence in 50 KB', { silenceSeconds: 1_800 }, () =>
      join(opus(15_000, { perPage: 250 })),
    ),
    animal('Ogg Opus of a day of silence in 2 MB', 'refused', () => join(opus(720_000, { perPage: 250 }))),
    animal('Ogg Opus whose last page counts an hour more', 'refused', () =>
      join(opus(500, { lastBy: 3_600 * 48_000 })),
    ),
    animal('Ogg Opus whose last page counts half a minute less', 'refused', () =>
      join(opus(500, { lastBy: -30 * 48_000 })),
    ),
    animal('Ogg Opus that begins at three hours', { silenceSeconds: 60 }, () =>
      join(opus(500, { offset: 3 * 3_600 * 48_000 })),
    ),
    animal('Ogg Opus of 255 channels', 'refused', () =>
      join(
        oggStream(
          [
            ...opusHeaders({ channels: 255, family: 255, streams: 255 }),
            ...Array<Uint8Array>(50).fill(silentOpusPacket),
          ],
          { packetSamples: silentOpusSamples, headers: 2 },
        ),
      ),
    ),
    animal('Ogg Opus of eight channels with half a minute on a page', 'refused', () =>
      join(
        oggStream(
          [
            ...opusHeaders({ channels: 8, family: 1, streams: 5 }),
            ...Array<Uint8Array>(250).fill(silentOpusPacket),
          ],
          { packetSamples: silentOpusSamples, headers: 2, perPage: 250 },
        ),
      ),
    ),
    animal('Ogg Opus with an empty packet', 'refused', () =>
      join(
        oggStream([...opusPackets(20), new Uint8Array()], { packetSamples: silentOpusSamples, headers: 2 }),
      ),
    ),
    animal('Ogg Opus with a packet of a second', 'refused', () =>
      join(
        oggStream([...opusPackets(20), Buffer.from([0x1f, 17])], {
          packetSamples: silentOpusSamples,
          headers: 2,
        }),
      ),
    ),
    animal('Ogg Opus with a wrong byte', 'refused', () => patched(join(opus(500)), 500, 'wrong')),
    animal('Ogg Opus without one of its pages', 'refused', () =>
      join(opus(500).filter((_, index) => index !== 5)),
    ),
    animal('Ogg Opus that is cut in a page', 'refused', () => join(opus(500)).subarray(0, 1_000)),
    animal('Ogg Opus with headers alone', 'refused', () => join(opus(0))),
    animal('Ogg FLAC', 'sound', () =>
      join(oggStream(flacPackets, { packetSamples: 4_096, headers: 2, perPage: 1 })),
    ),
    animal('Ogg FLAC that promises twice its samples', 'refused', () =>
      join(
        oggStream(oggFlacPackets(flacBlocks(sound), { total: sound.length * 2 }), {
          packetSamples: 4_096,
          headers: 2,
          perPage: 1,
        }),
      ),
    ),
    animal('Ogg FLAC of 500 MB on a page', 'refused', () => {
      const frames = Array.from({ length: 200 }, () => ({ size: 65_535, channels: 8 }))
      return join(oggStream(oggFlacPackets(frames), { packetSamples: 65_535, headers: 2, perPage: 200 }))
    }),
    animal('Ogg Vorbis with a code book of 16 million entries', 'refused', () =>
      withChecksums(patched(vorbis, setupAt + 13, little(3, 0xff_ffff))),
    ),
    animal('Ogg Vorbis of 1 Hz', 'refused', () => withChecksums(patched(vorbis, 28 + 12, little(4, 1)))),
    animal('Ogg Vorbis of no channels', 'refused', () =>
      withChecksums(patched(vorbis, 28 + 11, little(1, 0))),
    ),
    animal('Ogg Speex', 'refused', () =>
      oggPage([join('Speex   1.2', Buffer.alloc(69))], { sequence: 0, granule: 0, isFirst: true }),
    ),
  ]
}

export function mpegs(): Animal[] {
  const aac = adtsFrame(silentAacFrame)
  return [
    animal('MP3 of a minute of silence', { silenceSeconds: 60 }, () => silentMp3(834)),
    animal('MP3 of fourteen hours of silence', 'refused', () => silentMp3(Math.floor(mostFileBytes / 72))),
    animal('MP3 that promises ten times its frames', 'refused', () =>
      join(xingFrame(8_340, 72 * 835), silentMp3(834)),
    ),
    animal('MP3 with ten times the frames that it promises', { silenceSeconds: 60 }, () =>
      join(xingFrame(83, 72 * 835), silentMp3(834)),
    ),
    animal('MP3 that promises more bytes', 'refused', () => join(xingFrame(834, 72 * 8_350), silentMp3(834))),
    animal('MP3 whose rate changes', 'refused', () => join(silentMp3(400), repeat(otherMp3Frame, 400))),
    animal('MP3 with something else in its middle', 'refused', () =>
      join(silentMp3(400), repeat('something else ', 2_000), silentMp3(400)),
    ),
    animal('MP3 with tags at both ends', { silenceSeconds: 60 }, () =>
      join(id3(10), id3(200), silentMp3(834), 'TAG', Buffer.alloc(125)),
    ),
    animal('MP3 behind zeros', { silenceSeconds: 60 }, () => join(Buffer.alloc(3_000), silentMp3(834))),
    animal('MP3 behind text', { silenceSeconds: 60 }, () =>
      join(repeat('HTTP/1.1 200 OK\r\n', 60), big(2, 0xfffb, 0xfff1), silentMp3(834)),
    ),
    animal('MP3 with heads of other frames among what is lost', { silenceSeconds: 60 }, () =>
      join(silentMp3(417), otherMp3Frame.subarray(0, 40), otherMp3Frame.subarray(0, 40), silentMp3(417)),
    ),
    animal('MP3 that ends within the head of a tag', { silenceSeconds: 60 }, () =>
      join(silentMp3(834), 'ID3', big(1, 4, 0)),
    ),
    animal('MP3 behind a tag longer than itself', 'refused', () =>
      join('ID3', big(1, 3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f), silentMp3(100)),
    ),
    animal('MP3 of free format', 'refused', () => repeat(patched(silentMp3Frame, 2, big(1, 0x08)), 100)),
    animal('AAC of a minute of silence', { silenceSeconds: 60 }, () => repeat(aac, 938)),
    animal('AAC behind text', { silenceSeconds: 60 }, () =>
      join(repeat('HTTP/1.1 200 OK\r\n', 60), big(2, 0xfff1, 0xfffb), repeat(aac, 938)),
    ),
    animal('AAC of two days of silence', 'refused', () => repeat(aac, 2_700_000)),
    animal('AAC that is cut in a frame', 'refused', () => repeat(aac, 938).subarray(0, -3)),
    animal('AAC with a frame longer than it is', 'refused', () =>
      join(repeat(aac, 100), adtsFrame(silentAacFrame, 8_000), repeat(aac, 100)),
    ),
    animal('AAC with something else in its middle', 'refused', () =>
      join(repeat(aac, 400), repeat('something else ', 1_000), repeat(aac, 400)),
    ),
  ]
}
