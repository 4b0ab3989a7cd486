import { expect, test } from 'vitest'
import { findMimeType } from '#audio/format'
import { probeAudio, probeAudioHead } from '#audio/probing'
import { decodeAudio, fixture, fixtureNames } from './fixtures.ts'

test.each(fixtureNames)('%s is measured as it is decoded', async (name) => {
  const bytes = fixture(name)
  const [probe, decoded] = [await probeAudio(bytes), await decodeAudio(bytes)]
  if (!probe.ok || !decoded.ok) throw new Error('not readable')
  const { sampleRateHz, channels } = decoded.value
  expect(probe.value.durationSeconds).toBe((channels[0]?.length ?? 0) / sampleRateHz)
  expect(probe.value.sampleRateHz).toBe(sampleRateHz)
  expect(probe.value.channelCount).toBe(channels.length)
})

test.each([
  ['wav-s16.wav', 'audio/wav', 'WAV', 'PCM, 16 bit'],
  ['wav-extensible-s24-stereo.wav', 'audio/wav', 'WAV', 'PCM, 24 bit'],
  ['wav-f32.wav', 'audio/wav', 'WAV', 'float PCM, 32 bit'],
  ['wav-mulaw.wav', 'audio/wav', 'WAV', 'mu-law, 8 bit'],
  ['wav-ima.wav', 'audio/wav', 'WAV', 'IMA ADPCM'],
  ['wav-rf64.wav', 'audio/wav', 'WAV', 'PCM, 16 bit'],
  ['flac-16.flac', 'audio/flac', 'FLAC', 'FLAC'],
  ['mp3-44100-stereo-id3.mp3', 'audio/mpeg', 'MP3', 'MP3'],
  ['vorbis.ogg', 'audio/ogg', 'Ogg Vorbis', 'Vorbis'],
  ['opus.ogg', 'audio/ogg', 'Ogg Opus', 'Opus'],
  ['aac.m4a', 'audio/mp4', 'MP4', 'AAC'],
  ['alac.m4a', 'audio/mp4', 'MP4', 'ALAC'],
  ['aac-adts.aac', 'audio/aac', 'AAC', 'AAC'],
  ['opus.webm', 'audio/webm', 'WebM', null],
  ['aiff.aiff', 'audio/aiff', 'AIFF', 'PCM, 16 bit'],
])('%s is recognised from its bytes as %s', async (name, mimeType, container, codec) => {
  const probe = await probeAudio(fixture(name))
  expect(probe).toMatchObject({ ok: true, value: { mimeType, container, codec } })
})

test.each([
  ['its header says', 160, 160],
  ['are in it where a block of the file is padded', 160, 512],
  ['are in it where its writer could not know them', 0, 512],
])('a NIST SPHERE file has as many samples as %s', async (_, stated, held) => {
  const fields = `sample_rate -i 16000\nsample_byte_format -s2 01\nsample_count -i ${stated}`
  const header = `NIST_1A\n   1024\n${fields}\nend_head\n`.padEnd(1024)
  const bytes = Buffer.concat([Buffer.from(header), Buffer.alloc(2 * held, 1)])
  const probe = await probeAudio(bytes)
  expect(probe.ok && probe.value.durationSeconds).toBe((stated || held) / 16_000)
})

test('the head of a WAV file and its length say what the whole file says', async () => {
  const bytes = fixture('wav-extensible-s24-stereo.wav')
  const whole = await probeAudio(bytes)
  expect(whole.ok && whole.value).toEqual(probeAudioHead(bytes.subarray(0, 200), bytes.length))
})

test('a head that does not say enough asks for the whole file', () => {
  const wav = fixture('wav-s16.wav')
  expect(probeAudioHead(wav.subarray(0, 30), wav.length)).toBeNull()
  expect(probeAudioHead(wav.subarray(0, 200), wav.length - 1)).toBeNull()
  expect(probeAudioHead(fixture('flac-16.flac').subarray(0, 500), 10_209)).toBeNull()
  expect(probeAudioHead(new Uint8Array(), 0)).toBeNull()
})

test.each([
  ['one.WAV', 'audio/wav'],
  ['a/b.c/two.oga', 'audio/ogg'],
  ['three.aac', 'audio/aac'],
  ['four.txt', 'application/octet-stream'],
  ['wav', 'application/octet-stream'],
])('the MIME type of %s is %s, by the ending of its name', (path, mimeType) => {
  expect(findMimeType(path)).toBe(mimeType)
})
