import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { foreignWavTags } from '#audio/formats/wav'
import { probeAudio } from '#audio/probing'
import { decodeSound, encodeWav } from '#audio/sound-stream'
import { checkLength } from '#audio/structure'
import { fixture, fixtureNames } from './fixtures.ts'

const text = (words: string): Uint8Array => new TextEncoder().encode(words)

test('a file that is longer than the most by a second is refused with both lengths in seconds', () => {
  expect(() => checkLength(32_400)).not.toThrow()
  expect(() => checkLength(32_401)).toThrow('lasts 32401 s, and 32400 s (9 hours) are the most')
})

describe('bytes that are no audio fail with a reason', () => {
  const wav = Buffer.from(fixture('wav-s16.wav'))
  const changed = (name: string, offset: number, ...values: readonly number[]): Uint8Array => {
    const bytes = Buffer.from(fixture(name))
    bytes.set(values, offset)
    return bytes
  }
  /** With other bytes so far behind the first place of a mark. */
  const behind = (name: string, mark: string | Buffer, offset: number, ...values: number[]): Uint8Array =>
    changed(name, Buffer.from(fixture(name)).indexOf(mark) + offset, ...values)
  const block = Buffer.from('e78100a3', 'hex')
  const patched = (offset: number, ...values: readonly number[]): Uint8Array =>
    changed('wav-s16.wav', offset, ...values)
  /** Each of its frames says that its channels are described elsewhere. */
  const aacOfThree = (): Uint8Array => {
    const bytes = Buffer.from(fixture('aac-adts.aac'))
    for (let at = bytes.indexOf('fff1', 'hex'); at !== -1; at = bytes.indexOf('fff1', at + 1, 'hex')) {
      bytes.set([(bytes[at + 2] ?? 0) & 0xfe, (bytes[at + 3] ?? 0) & 0x3f], at + 2)
    }
    return bytes
  }
  const sphere = (fields: string, sizeBytes = 2048): Uint8Array =>
    text(`NIST_1A\n   1024\n${fields}\nend_head\n`.padEnd(sizeBytes))
  test.each<[string, Uint8Array, string]>([
    ['no bytes', new Uint8Array(), 'the file is empty (0 bytes)'],
    ['one byte', new Uint8Array([7]), 'not audio in a format that can be read'],
    ['text', text('{"error": "not found"}\n'), 'this is text, not audio'],
    ['a web page', text('<!doctype html><title>404</title>'), 'this is text, not audio'],
    ['zeros', new Uint8Array(1000), 'this holds zeros only'],
    ['a PNG', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]), 'not audio in a format'],
    ['a WAV file without samples', encodeWav(new Float32Array(), 16_000), 'this WAV file holds no samples'],
    ['a WAV header alone', wav.subarray(0, 44), 'cut short'],
    ['half a WAV file', wav.subarray(0, 4000), 'its header promises 8000 bytes of samples, 3956 are there'],
    ['a WAV file without channels', patched(22, 0, 0), 'damaged: 0 channels'],
    ['a WAV file of 0 Hz', patched(24, 0, 0, 0, 0), 'damaged'],
    ['a WAV file of 65,535 channels', patched(22, 0xff, 0xff), 'damaged: 65535 channels'],
    ['a WAV file of 12 bits in one byte', patched(32, 1, 0, 12, 0), 'damaged: 12 bits'],
    ['a WAV file of another codec', patched(20, 0x55, 0), 'its codec is MP3'],
    ['a pointer of Git LFS', text('version https://git-lfs.github.com/spec/v1\noid sha256:'), 'git lfs pull'],
    ['WMA', Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), 'this is WMA, which cannot be read'],
    ['a big-endian WAV file', text('RIFX....WAVEfmt '), 'big-endian'],
    [
      'a WAV file of 31 bits of float',
      patched(20, 3, 0, 1, 0, 0x80, 0x3e, 0, 0, 0, 0xfa, 0, 0, 4, 0, 31),
      'damaged: 31 bits',
    ],
    [
      'a WAV file of a GUID that is none',
      changed('wav-extensible-s24-stereo.wav', 50, 1),
      'a GUID that is not known',
    ],
    [
      'a WAV file with more valid bits than a sample has',
      changed('wav-extensible-s24-stereo.wav', 38, 25),
      '25 of the 24 bits of a sample are valid',
    ],
    [
      'a WAV file of IMA ADPCM with noise behind an index of its table',
      behind('wav-ima.wav', 'data', 8 + 3, 1),
      'begins with no head',
    ],
    [
      'a WebM file with a block of another track',
      behind('opus.webm', block, 5, 0x85),
      'is of no track that it has',
    ],
    [
      'a WebM file whose head is longer than its place',
      changed('opus.webm', 7, 0xa9),
      'element at byte 5 ends behind',
    ],
    [
      'a Matroska file of True Audio',
      behind('opus.webm', 'A_OPUS', 0, ...text('A_TTA1')),
      'its codec is "A_TTA1"',
    ],
    ['a WebM file of EBML 7', changed('opus.webm', 8, 7), 'its EBML version is 7'],
    ['a WebM file with noise in a cluster', behind('opus.webm', block, 3, 0xa4), 'is none of a cluster'],
    [
      'a NIST SPHERE file without a rate',
      sphere('channel_count -i 1'),
      'damaged: its header says "" for sample_rate',
    ],
    [
      'a NIST SPHERE file with a word as its number of channels',
      sphere('sample_rate -i 16000\nchannel_count -s3 one'),
      'damaged: its header says "one" for channel_count',
    ],
    [
      'a NIST SPHERE file with another block of samples than its header says',
      sphere('sample_rate -i 16000\nsample_count -i 512', 1024 + 2048),
      'its header promises 512 samples, 1024 are there',
    ],
    ['an AAC file of three channels', aacOfThree(), 'the number of its channels is not in its header'],
    [
      'an M4A file whose box of times has an unknown version',
      behind('aac.m4a', 'mdhd', 4, 197),
      'its box "mdhd" is of version 197',
    ],
    [
      'an M4A file with an index of four thousand million entries',
      behind('aac.m4a', 'stsz', 12, 0xff, 0xff, 0xff, 0xfe),
      'its table "stsz" is damaged',
    ],
    [
      'a FLAC file with larger frames than its header promises',
      changed('flac-16.flac', 10, 0, 16),
      'its header promises 16 at the most',
    ],
    [
      'a FLAC file whose frames have other samples than its header promises',
      changed('flac-16.flac', 20, 1, 0x70),
      'a frame has samples of 16 bits, its header promises 24',
    ],
    ['half a FLAC file', fixture('flac-24-stereo.flac').subarray(0, 18_000), 'promises 4000 samples'],
    [
      'an Ogg file without its end',
      fixture('vorbis.ogg').subarray(0, 3700),
      'its last Ogg page is incomplete',
    ],
    ['an M4A file without its end', fixture('aac.m4a').subarray(0, 1200), 'box "mdat" is incomplete'],
    ['a film with IMA ADPCM', behind('aac.m4a', 'mp4a', 0, ...text('ima4')), 'its codec is "ima4"'],
    ['AAC in frames of broadcasts', Buffer.from('56e0020102'.repeat(2), 'hex'), 'this is AAC in LATM'],
    ['one such frame', Buffer.from('56e0020102', 'hex'), 'this is AAC in LATM'],
    ['an MP3 file without its end', fixture('mp3-cbr.mp3').subarray(0, 1400), 'its header promises'],
  ])('%s', async (_name, bytes, reason) => {
    const outcome = await decodeSound(bytes)
    expect(outcome).toMatchObject({ ok: false, failure: { reason: expect.stringContaining(reason) } })
    expect(!outcome.ok && outcome.failure.isForeign === true).toBe(
      /codec is|LATM|WMA|big-endian|GUID|EBML|channels is/.test(reason),
    )
    expect(await probeAudio(bytes)).toEqual(outcome)
  })
})

describe('a WAV file of a codec that is not read', () => {
  const ofCodec = (tag: number): Uint8Array => {
    const bytes = Buffer.from(fixture('wav-s16.wav'))
    bytes.writeUInt16LE(tag, 20)
    return bytes
  }
  test.each([
    [0x22, 'TrueSpeech', true],
    [0x31, 'GSM 6.10', true],
    [0x45, 'G.726', true],
    [0x55, 'MP3', true],
    [0x161, 'WMA 2', true],
    [0x28f, 'G.722', true],
    [0x125, 'Sanyo ADPCM', false],
    [0x285, 'Norcom ADPCM', false],
    [0x704f, 'Opus', false],
    [0x1234, 'unknown (0x1234)', true],
  ] as const)(
    '0x%s is called %s, and only what ffmpeg reads is said to be converted by it: %s',
    async (tag, name, isForeign) => {
      const outcome = await decodeSound(ofCodec(tag))
      const reason = `this WAV file cannot be read: its codec is ${name}`
      const advice = isForeign
        ? ''
        : ', which ffmpeg does not find in a WAV file either; convert it with the program that wrote it'
      expect(outcome).toEqual({
        ok: false,
        failure: { reason: `${reason}${advice}`, ...(isForeign ? { isForeign } : {}) },
      })
    },
  )

  test('has a name, and no tag has two', () => {
    expect(new Set(foreignWavTags).size).toBe(foreignWavTags.length)
    expect(foreignWavTags.length).toBeGreaterThan(120)
  })
})

/** These say nowhere how long they are, so what is left of them is taken for the whole. */
const openEnded = ['flac-pipe.flac', 'mp3-vbr-headerless.mp3', 'opus.webm', 'wav-pipe.wav']

test('a WAV file of 64-bit integers, as ffmpeg writes them, is called unreadable and not damaged', async () => {
  const bytes = Buffer.from(fixture('wav-s16.wav'))
  bytes.writeUInt16LE(8, 32)
  bytes.writeUInt16LE(64, 34)
  const reason = 'this WAV file cannot be read: its samples are integers of 64 bits'
  expect(await decodeSound(bytes)).toEqual({ ok: false, failure: { reason, isForeign: true } })
})

test('a file that is cut short anywhere in its sound fails, where it says how long it is', async () => {
  const closed = fixtureNames.filter((name) => !openEnded.includes(name))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...closed),
      fc.double({ min: 0, max: 0.9, noNaN: true }),
      async (name, share) => {
        const whole = fixture(name)
        expect((await decodeSound(whole.subarray(0, Math.floor(whole.length * share)))).ok).toBe(false)
      },
    ),
    { numRuns: 150 },
  )
})

test('no bytes make the decoder throw or print a result, and none spoil it for the next file', async () => {
  const prints = (['log', 'info'] as const).map((name) => vi.spyOn(console, name))
  const good = fixture('vorbis.ogg')
  const expected = await decodeSound(good)
  const damage = fc.array(
    fc.tuple(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.constantFrom(0, 1, 127, 128, 254, 255),
    ),
    { minLength: 1, maxLength: 12 },
  )
  const damaged = fc
    .tuple(fc.constantFrom(...fixtureNames), fc.boolean(), damage)
    .map(([name, inHead, changes]) => {
      const bytes = fixture(name)
      const reach = inHead ? Math.min(300, bytes.length) : bytes.length
      for (const [place, value] of changes) bytes[Math.floor(place * reach)] = value
      return bytes
    })
  const headed = fc
    .tuple(fc.constantFrom(...fixtureNames), fc.uint8Array({ maxLength: 2000 }))
    .map(([name, noise]) => new Uint8Array([...fixture(name).subarray(0, 60), ...noise]))
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 4000 }), damaged, headed), async (bytes) => {
      const outcome = await decodeSound(bytes)
      if (outcome.ok) expect(outcome.value.samples.length).toBeGreaterThan(0)
      else expect(outcome.failure.reason).toMatch(/\w/)
      expect((await probeAudio(bytes)).ok || !outcome.ok).toBe(true)
    }),
    { numRuns: 300 },
  )
  expect(await decodeSound(good)).toEqual(expected)
  for (const print of prints) expect(print).not.toHaveBeenCalled()
})
