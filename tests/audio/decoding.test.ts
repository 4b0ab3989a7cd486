import { expect, test } from 'vitest'
import type { DecodedAudio } from '#audio/sound-stream'
import { decodeAudio, fixture, fixtureNames } from './fixtures.ts'
import { fitTone } from './tone.ts'
import { big, join } from './zoo/bytes.ts'
import { flac, flacFrame } from './zoo/flac-files.ts'

/** Rate, channels and frames of a quarter of a second, and how clean the tone has to be, in dB. */
const expected: Readonly<Record<string, readonly [number, number, number, number]>> = {
  // The AAC encoder puts noise beside a pure tone; another decoder hears the same, 66 to 78 dB apart from this one.
  'aac-44100-stereo.m4a': [44_100, 2, 11_025, 12],
  // A raw AAC stream says nothing of its padding, and its decoder doubles the rate.
  'aac-adts.aac': [32_000, 1, 8_192, 12],
  'aac-fragmented.mp4': [16_000, 1, 4_096, 20],
  'aac.m4a': [16_000, 1, 4_000, 20],
  'aiff-ima-stereo-libsndfile.aiff': [16_000, 2, 4_032, 20],
  'aiff.aiff': [16_000, 1, 4_000, 80],
  'alac.m4a': [16_000, 1, 4_000, 80],
  'flac-16.flac': [16_000, 1, 4_000, 80],
  'flac-24-stereo.flac': [16_000, 2, 4_000, 110],
  'flac-pipe.flac': [16_000, 1, 4_000, 80],
  'mp3-44100-stereo-id3.mp3': [44_100, 2, 11_025, 20],
  'mp3-cbr.mp3': [16_000, 1, 4_000, 20],
  // Without a Xing header the encoder's delay is unknown: nine frames of 576 are nine frames.
  'mp3-vbr-headerless.mp3': [16_000, 1, 5_184, 20],
  'mp3-vbr.mp3': [16_000, 1, 4_000, 20],
  'opus-stereo.opus': [48_000, 2, 12_000, 20],
  'opus.ogg': [48_000, 1, 12_000, 20],
  'opus.webm': [48_000, 1, 12_000, 20],
  'vorbis-44100-stereo.ogg': [44_100, 2, 11_025, 20],
  // Its pages count fewer samples than its packets hold, and all of them are decoded.
  'vorbis-cut.ogg': [16_000, 1, 31_488, 20],
  'vorbis.ogg': [16_000, 1, 4_000, 20],
  'wav-alaw.wav': [16_000, 1, 4_000, 30],
  'wav-extensible-s24-stereo.wav': [16_000, 2, 4_000, 110],
  'wav-f32.wav': [16_000, 1, 4_000, 110],
  'wav-f64.wav': [16_000, 1, 4_000, 110],
  // Its last block is filled up with silence.
  'wav-ima-stereo-libsndfile.wav': [16_000, 2, 4_068, 20],
  'wav-ima.wav': [16_000, 1, 4_082, 20],
  'wav-ms.wav': [16_000, 1, 4_072, 20],
  'wav-mulaw.wav': [16_000, 1, 4_000, 30],
  'wav-pipe.wav': [16_000, 1, 4_000, 80],
  'wav-rf64.wav': [16_000, 1, 4_000, 80],
  'wav-s16-stereo.wav': [16_000, 2, 4_000, 80],
  'wav-s16.wav': [16_000, 1, 4_000, 80],
  'wav-s24.wav': [16_000, 1, 4_000, 110],
  'wav-s32.wav': [16_000, 1, 4_000, 110],
  'wav-u8.wav': [16_000, 1, 4_000, 38],
}

test('every recording in the folder of recordings has an expectation', () => {
  expect(fixtureNames.toSorted()).toEqual(Object.keys(expected).toSorted())
})

test.each(Object.entries(expected))('%s decodes to its tone, at its length', async (name, facts) => {
  const [sampleRateHz, channelCount, frameCount, cleanDb] = facts
  const audio = await decoded(fixture(name))
  expect(audio.sampleRateHz).toBe(sampleRateHz)
  expect(audio.channels.map((channel) => channel.length)).toEqual(Array(channelCount).fill(frameCount))
  for (const [channel, frequencyHz] of [
    [0, 440],
    [1, 1000],
  ] as const) {
    const samples = audio.channels[channel]
    if (samples === undefined) continue
    const middle = samples.subarray(Math.floor(frameCount * 0.25), Math.floor(frameCount * 0.7))
    const fit = fitTone(middle, { frequencyHz, sampleRateHz, marginFrames: 0 })
    expect(fit.signalToNoiseDb).toBeGreaterThan(cleanDb)
    expect(fit.amplitude).toBeGreaterThan(0.46)
    expect(fit.amplitude).toBeLessThan(0.52)
  }
})

test('fragments are decoded where the index of their file does not announce them', async () => {
  const unannounced = Buffer.from(fixture('aac-fragmented.mp4'))
  unannounced.write('free', unannounced.indexOf('mvex'))
  expect(await decoded(unannounced)).toEqual(await decoded(fixture('aac-fragmented.mp4')))
})

test('lossless formats give the samples that the WAV file has, to a step of 16 bits', async () => {
  const wav = (await decoded(fixture('wav-s16.wav'))).channels[0]
  for (const name of ['flac-16.flac', 'flac-pipe.flac', 'alac.m4a', 'aiff.aiff', 'wav-rf64.wav']) {
    const samples = (await decoded(fixture(name))).channels[0]
    const worst = samples?.reduce(
      (most, sample, index) => Math.max(most, Math.abs(sample - (wav?.[index] ?? 9))),
      0,
    )
    expect(worst, name).toBeLessThanOrEqual(1 / 32767)
  }
})

test.each([
  ['wav-mulaw.wav', 'ulaw', 1],
  ['wav-alaw.wav', 'alaw', 27],
] as const)(
  'the bytes of %s are the same sound in AU, AIFF-C, CAF and NIST SPHERE',
  async (name, coding, number) => {
    const wav = await decoded(fixture(name))
    const count = wav.channels[0]?.length ?? 0
    const held = Buffer.from(fixture(name)).subarray(-count)
    const extended = join(big(2, 0x3fff + 13), big(4, 16_000 << 18, 0))
    const common = join(big(2, 1), big(4, count), big(2, 16), extended, coding, big(2, 0))
    const chunks = join('COMM', big(4, common.length), common, 'SSND', big(4, count + 8, 0, 0), held)
    const rate = Buffer.alloc(8)
    rate.writeDoubleBE(16_000)
    const fields = `sample_rate -i 16000\nsample_n_bytes -i 1\nsample_coding -s4 ${coding}\nend_head\n`
    const files = {
      au: join('.snd', big(4, 24, count, number, 16_000, 1), held),
      aiff: join('FORM', big(4, chunks.length + 4), 'AIFC', chunks),
      caf: join('caff', big(2, 1, 0), 'desc', big(8, 32), rate, coding, big(4, 0, 1, 1, 1, 8), [
        join('data', big(8, count + 4), big(4, 0), held),
      ]),
      sphere: join(`NIST_1A\n   1024\n${fields}`.padEnd(1024), held),
    }
    for (const [kind, bytes] of Object.entries(files)) expect(await decoded(bytes), kind).toEqual(wav)
  },
)

test('what looks like a frame of FLAC within noise is noise', async () => {
  const noise = Int16Array.from({ length: 4_096 }, (_, index) => (index * 7_919) % 30_011)
  const [chance = Buffer.alloc(0)] = [flacFrame({ samples: noise, number: 90_384 })]
  // A head of eleven bytes, at an even place, with the checksum that belongs to it.
  for (let at = 0; at < 12; at += 2) noise[500 + at / 2] = chance.readInt16BE(at)
  const outcome = await decodeAudio(flac([{ samples: noise }, { samples: noise }, { samples: noise }]))
  expect(outcome.ok && outcome.value.channels[0]?.length).toBe(3 * 4_096)
})

test.each([
  ['aac-adts.aac', 2048],
  ['mp3-vbr-headerless.mp3', 2 * 576],
] as const)('%s loses what is damaged near its beginning, and nothing before it', async (name, most) => {
  const whole = Buffer.from(fixture(name))
  const second = whole.indexOf(whole.subarray(0, 2), 2)
  const damaged = Buffer.concat([
    whole.subarray(0, second + 30),
    Buffer.alloc(200, 0x55),
    whole.subarray(second + 30),
  ])
  const outcome = await decodeAudio(damaged)
  const frames = (outcome.ok && outcome.value.channels[0]?.length) || 0
  expect(frames).toBeGreaterThanOrEqual((expected[name]?.[2] ?? 0) - most)
})

test('a view into a larger buffer is read as the file it shows, at any offset', async () => {
  const wav = fixture('wav-f32.wav')
  for (const offset of [1, 2, 3]) {
    const surroundings = Buffer.alloc(wav.length + 64, 0xff)
    surroundings.set(wav, offset)
    const audio = await decoded(surroundings.subarray(offset, offset + wav.length))
    expect(audio.channels[0]).toEqual((await decoded(wav)).channels[0])
  }
})

test('a chunk of odd length in front of the samples is followed by its padding', async () => {
  const wav = Buffer.from(fixture('wav-s16.wav'))
  const format = wav.subarray(0, 36)
  const note = Buffer.from('LIST\u0003\u0000\u0000\u0000odd\u0000', 'latin1')
  const data = wav.subarray(wav.indexOf('data'))
  const audio = await decoded(Buffer.concat([format, note, data]))
  expect(audio.channels[0]).toEqual((await decoded(wav)).channels[0])
})

test('samples of 20 bits in three bytes are read as what they are', async () => {
  const wav = Buffer.from(fixture('wav-s24.wav'))
  wav.writeUInt16LE(20, 34)
  expect((await decoded(wav)).channels[0]).toEqual((await decoded(fixture('wav-s24.wav'))).channels[0])
})

test('the event loop gets turns while a long recording is decoded', async () => {
  const header = Buffer.from(fixture('wav-s16.wav')).subarray(0, 36)
  const samples = Buffer.alloc(4_000_000)
  const data = Buffer.from('data\0\0\0\0', 'latin1')
  data.writeUInt32LE(samples.length, 4)
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await decoded(Buffer.concat([header, data, samples]))
  isDone = true
  expect(turns).toBeGreaterThan(30)
})

async function decoded(bytes: Uint8Array): Promise<DecodedAudio> {
  const outcome = await decodeAudio(bytes)
  if (!outcome.ok) throw new Error(outcome.failure.reason)
  return outcome.value
}
