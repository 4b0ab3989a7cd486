import { type Animal, animals, mostFileBytes } from './animal.ts'
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
    ...animals('sound', {
      FLAC: () => flac(blocks),
      'FLAC of unknown length': () => flac(blocks, { total: 0 }),
      'FLAC with tags of MP3 at both ends': () => join(id3(50), flac(blocks), 'TAG', Buffer.alloc(125, 'x')),
      'FLAC whose frames leave their rate to the header': () =>
        flac(blocks.map((block) => ({ ...block, rateCode: 0 }))),
      'FLAC without a rate in its header': () => flac(blocks, { rate: 0 }),
    }),
    ...animals('refused', {
      'FLAC with a wrong checksum of a frame': () => patched(flac(blocks), 20_000, big(2, 0x1234)),
      'FLAC of 1 Hz': () =>
        flac(
          blocks.map((block) => ({ ...block, rateCode: 0 })),
          { rate: 1 },
        ),
      'FLAC without a rate anywhere': () =>
        flac(
          blocks.map((block) => ({ ...block, rateCode: 0 })),
          { rate: 0 },
        ),
      'FLAC that promises twice its samples': () => flac(blocks, { total: sound.length * 2 }),
      'FLAC that promises half its samples': () => flac(blocks, { total: Math.floor(sound.length / 2) }),
      'FLAC that is cut in a frame': () => flac(blocks).subarray(0, sound.length),
      'FLAC without one of its frames': () =>
        flac(
          blocks.map((block, number) => ({ ...block, number })).filter((_, index) => index !== 3),
          { total: 0 },
        ),
      'FLAC with a wrong byte': () => patched(flac(blocks), 20_000, 'wrong'),
      'FLAC with metadata longer than itself': () => patched(flac(blocks), 5, big(3, 0xff_ffff)),
      'FLAC of a day of silence in eight channels, in 800 KB': () => days(0),
      'FLAC of a day of silence that says it is a second': () => days(rateHz),
    }),
    ...animals(
      { silenceSeconds: 1_499.4 },
      {
        'FLAC of 25 minutes of silence in eight channels, in 53 KB': () =>
          flac(Array.from({ length: 366 }, (_, number) => ({ size: 65_535, channels: 8, number }))),
      },
    ),
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
    ...animals(
      { silenceSeconds: 60 },
      {
        'Ogg Opus of a minute of silence': () => join(opus(500)),
        'Ogg Opus that begins at three hours': () => join(opus(500, { offset: 3 * 3_600 * 48_000 })),
      },
    ),
    ...animals(
      { silenceSeconds: 1_800 },
      {
        'Ogg Opus of half an hour of silence in 50 KB': () => join(opus(15_000, { perPage: 250 })),
      },
    ),
    ...animals('refused', {
      'Ogg Opus of a day of silence in 2 MB': () => join(opus(720_000, { perPage: 250 })),
      'Ogg Opus whose last page counts an hour more': () => join(opus(500, { lastBy: 3_600 * 48_000 })),
      'Ogg Opus whose last page counts half a minute less': () => join(opus(500, { lastBy: -30 * 48_000 })),
      'Ogg Opus of 255 channels': () =>
        join(
          oggStream(
            [
              ...opusHeaders({ channels: 255, family: 255, streams: 255 }),
              ...Array<Uint8Array>(50).fill(silentOpusPacket),
            ],
            { packetSamples: silentOpusSamples, headers: 2 },
          ),
        ),
      'Ogg Opus of eight channels with half a minute on a page': () =>
        join(
          oggStream(
            [
              ...opusHeaders({ channels: 8, family: 1, streams: 5 }),
              ...Array<Uint8Array>(250).fill(silentOpusPacket),
            ],
            { packetSamples: silentOpusSamples, headers: 2, perPage: 250 },
          ),
        ),
      'Ogg Opus with an empty packet': () =>
        join(
          oggStream([...opusPackets(20), new Uint8Array()], { packetSamples: silentOpusSamples, headers: 2 }),
        ),
      'Ogg Opus with a packet of a second': () =>
        join(
          oggStream([...opusPackets(20), Buffer.from([0x1f, 17])], {
            packetSamples: silentOpusSamples,
            headers: 2,
          }),
        ),
      'Ogg Opus with a wrong byte': () => patched(join(opus(500)), 500, 'wrong'),
      'Ogg Opus without one of its pages': () => join(opus(500).filter((_, index) => index !== 5)),
      'Ogg Opus that is cut in a page': () => join(opus(500)).subarray(0, 1_000),
      'Ogg Opus with headers alone': () => join(opus(0)),
      'Ogg FLAC that promises twice its samples': () =>
        join(
          oggStream(oggFlacPackets(flacBlocks(sound), { total: sound.length * 2 }), {
            packetSamples: 4_096,
            headers: 2,
            perPage: 1,
          }),
        ),
      'Ogg FLAC of 500 MB on a page': () => {
        const frames = Array.from({ length: 200 }, () => ({ size: 65_535, channels: 8 }))
        return join(oggStream(oggFlacPackets(frames), { packetSamples: 65_535, headers: 2, perPage: 200 }))
      },
      'Ogg Vorbis with a code book of 16 million entries': () =>
        withChecksums(patched(vorbis, setupAt + 13, little(3, 0xff_ffff))),
      'Ogg Vorbis of 1 Hz': () => withChecksums(patched(vorbis, 28 + 12, little(4, 1))),
      'Ogg Vorbis of no channels': () => withChecksums(patched(vorbis, 28 + 11, little(1, 0))),
      'Ogg Speex': () =>
        oggPage([join('Speex   1.2', Buffer.alloc(69))], { sequence: 0, granule: 0, isFirst: true }),
    }),
    ...animals('sound', {
      'Ogg FLAC': () => join(oggStream(flacPackets, { packetSamples: 4_096, headers: 2, perPage: 1 })),
    }),
  ]
}

export function mpegs(): Animal[] {
  const aac = adtsFrame(silentAacFrame)
  return [
    ...animals(
      { silenceSeconds: 60 },
      {
        'MP3 of a minute of silence': () => silentMp3(834),
        'MP3 with ten times the frames that it promises': () => join(xingFrame(83, 72 * 835), silentMp3(834)),
        'MP3 with tags at both ends': () => join(id3(10), id3(200), silentMp3(834), 'TAG', Buffer.alloc(125)),
        'MP3 behind zeros': () => join(Buffer.alloc(3_000), silentMp3(834)),
        'MP3 behind text': () =>
          join(repeat('HTTP/1.1 200 OK\r\n', 60), big(2, 0xfffb, 0xfff1), silentMp3(834)),
        'MP3 with heads of other frames among what is lost': () =>
          join(silentMp3(417), otherMp3Frame.subarray(0, 40), otherMp3Frame.subarray(0, 40), silentMp3(417)),
        'MP3 that ends within the head of a tag': () => join(silentMp3(834), 'ID3', big(1, 4, 0)),
        'AAC of a minute of silence': () => repeat(aac, 938),
        'AAC behind text': () =>
          join(repeat('HTTP/1.1 200 OK\r\n', 60), big(2, 0xfff1, 0xfffb), repeat(aac, 938)),
      },
    ),
    ...animals('refused', {
      'MP3 of fourteen hours of silence': () => silentMp3(Math.floor(mostFileBytes / 72)),
      'MP3 that promises ten times its frames': () => join(xingFrame(8_340, 72 * 835), silentMp3(834)),
      'MP3 that promises more bytes': () => join(xingFrame(834, 72 * 8_350), silentMp3(834)),
      'MP3 whose rate changes': () => join(silentMp3(400), repeat(otherMp3Frame, 400)),
      'MP3 with something else in its middle': () =>
        join(silentMp3(400), repeat('something else ', 2_000), silentMp3(400)),
      'MP3 behind a tag longer than itself': () =>
        join('ID3', big(1, 3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f), silentMp3(100)),
      'MP3 of free format': () => repeat(patched(silentMp3Frame, 2, big(1, 0x08)), 100),
      'AAC of two days of silence': () => repeat(aac, 2_700_000),
      'AAC that is cut in a frame': () => repeat(aac, 938).subarray(0, -3),
      'AAC with a frame longer than it is': () =>
        join(repeat(aac, 100), adtsFrame(silentAacFrame, 8_000), repeat(aac, 100)),
      'AAC with something else in its middle': () =>
        join(repeat(aac, 400), repeat('something else ', 1_000), repeat(aac, 400)),
    }),
  ]
}
