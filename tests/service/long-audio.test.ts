import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { type Catalogue, engineSampleRateHz } from '#service/engines/engine'
import { defaultCatalogue } from '#service/models/default-catalogue'
import { loadVoiceActivity } from '../../src/service/segmentation/voice-activity.ts'
import { wav } from '../audio/zoo/pcm-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { joined, modelsDir, samplesOf, whyNot } from './real-speech.ts'
import { base64, startTestService, tone } from './running-service.ts'
import { type ScriptedEvent, type ScriptedModel, scriptedCatalogue } from './scripted-catalogue.ts'

const spoken = ['librivox-0880', 'librivox-0930', 'cards-001', 'librivox-0890']
const reason = whyNot('silero-vad')
const it = { engine: 'scripted', model: 'it' }

/** Real speech as a WAV file, clip after clip so many times. */
const recording = async (gapSeconds: number, times: number): Promise<Uint8Array> =>
  encodeWav(await joined(Array(times).fill(spoken).flat(), gapSeconds), engineSampleRateHz)

/** A scripted model behind an engine that takes a few seconds at once. */
function limited(
  script: ScriptedModel,
  maxClipSeconds: number,
  observe?: (event: ScriptedEvent) => void,
): Catalogue {
  const scripted = scriptedCatalogue({ it: script }, observe)
  const engines = scripted.engines.map((engine) => ({
    ...engine,
    describe: () => ({ ...engine.describe(), maxClipSeconds }),
  }))
  return { ...scripted, engines, voiceActivity: defaultCatalogue.voiceActivity }
}

test('audio that needs no cutting needs nothing to cut it with; longer audio says what to install', async () => {
  await using folder = await temporaryFolder()
  const catalogue = limited({ otherwise: { text: 'Fine.' } }, 2)
  await using started = await startTestService({ catalogue, modelsDir: folder.path })
  const short = await started.transcribe({ ...it, audio_base64: base64(tone(2)) })
  expect(short.json).toMatchObject({ ok: true, text: 'Fine.' })
  const long = await started.transcribe({ ...it, audio_base64: base64(tone(2.1)) })
  expect(long.json.error).toMatchObject({
    code: 'MODEL_NOT_INSTALLED',
    hint: 'transcribench models install silero-vad',
  })
})

describe.skipIf(reason !== null)(`a long recording${reason === null ? '' : ` (${reason})`}`, () => {
  test('reaches the engine in pieces that it can take, in order', async () => {
    const heard: number[] = []
    const otherwise: ScriptedModel['otherwise'] = ({ index, durationSeconds }) => {
      heard.push(durationSeconds)
      return { text: ` part ${index} ` }
    }
    const catalogue = limited({ otherwise }, 8)
    await using started = await startTestService({ catalogue, modelsDir })
    const answer = await started.transcribe({
      ...it,
      audio_base64: base64(await recording(0.7, 2)),
      timestamp_granularities: ['segment'],
    })
    expect(heard.length).toBeGreaterThan(3)
    expect(Math.max(...heard)).toBeLessThanOrEqual(8)
    const text = heard.map((_, index) => `part ${index}`).join(' ')
    expect(answer.json).toMatchObject({ ok: true, text })
    const segments = answer.json['segments'] as { start: number; end: number; text: string }[]
    expect(segments).toHaveLength(heard.length)
    for (const [index, segment] of segments.entries()) {
      expect(segment.text.trim()).toBe(`part ${index}`)
      expect(segment.start).toBeGreaterThanOrEqual(segments[index - 1]?.end ?? 0)
    }
    expect(answer.json['cuts']).toEqual(segments.slice(1).map(({ start }) => start))
    const short = await started.transcribe({ ...it, audio_base64: base64(tone(2)) })
    expect(short.json).not.toHaveProperty('cuts')
  })

  test('without speech is an empty text, and the engine is not asked', async () => {
    const events: ScriptedEvent[] = []
    const catalogue = limited({ otherwise: { text: 'ghosts' } }, 2, (event) => events.push(event))
    await using started = await startTestService({ catalogue, modelsDir })
    const audio_base64 = base64(encodeWav(new Float32Array(20 * engineSampleRateHz), engineSampleRateHz))
    const answer = await started.transcribe({ ...it, audio_base64 })
    expect(answer.json).toMatchObject({ ok: true, text: '' })
    expect(events).toEqual([])
  })

  test('has the same speech where its silence is digital, which the detector does not hear', async () => {
    const whole = await recording(7, 2)
    const digital = Float32Array.from(new Int16Array(whole.buffer, 44), (sample) => sample / 32_768)
    const [lead, end] = [new Float32Array(9 * engineSampleRateHz), new Float32Array(20 * engineSampleRateHz)]
    // Noise of a decoder, which repeats itself, in place of zeros: the louder one is heard, and changes no figure of the detector.
    const noise = (steps: number) => (samples: Float32Array) =>
      samples.map((sample, index) => sample || (index % 480 === 7 ? steps / 32_768 : 0))
    const found = [noise(0), noise(1.99), noise(2.01)].map((change) => {
      const voice = loadVoiceActivity(join(modelsDir, 'silero-vad/silero_vad.onnx'))
      return [lead, digital, end].map((part) => {
        voice.accept(change(part))
        return voice.speech
      })
    })
    expect(found[0]).toEqual(found[2])
    expect(found[1]).toEqual(found[2])
    expect(found[0]?.[2]?.length).toBeGreaterThanOrEqual(8)
  })

  test('of two steps of 16 bits is none to the detector, also where it hears it', async () => {
    const voice = loadVoiceActivity(join(modelsDir, 'silero-vad/silero_vad.onnx'))
    for (const name of spoken) {
      const samples = await samplesOf(name)
      const most = samples.reduce((found, sample) => Math.max(found, Math.abs(sample)), 0)
      voice.accept(samples.map((sample) => (sample / most) * (2.5 / 32_768)))
    }
    expect(voice.speech).toEqual([])
  })

  test('whose client goes away is not transcribed further', async () => {
    const leaving = new AbortController()
    const events: ScriptedEvent[] = []
    const ended = Promise.withResolvers<void>()
    const catalogue = limited({ inOrder: [{ text: 'first' }], otherwise: { hang: true } }, 8, (event) => {
      events.push(event)
      if (event.kind === 'started' && event.call.index === 1) leaving.abort()
      if (event.kind === 'abandoned') ended.resolve()
    })
    await using started = await startTestService({ catalogue, modelsDir })
    const audio_base64 = base64(await recording(0.7, 4))
    await expect(started.transcribe({ ...it, audio_base64 }, leaving.signal)).rejects.toThrow()
    await ended.promise
    await started.service.stop()
    expect(events.filter(({ kind }) => kind === 'started')).toHaveLength(2)
  })

  test('that is refused by the engine once is refused', async () => {
    const catalogue = limited({ inOrder: [{ text: 'first' }, { failure: 'RATE_LIMITED' }] }, 8)
    await using started = await startTestService({ catalogue, modelsDir })
    const audio_base64 = base64(await recording(0.7, 2))
    const answer = await started.transcribe({ ...it, audio_base64 })
    expect(answer.json.error?.code).toBe('RATE_LIMITED')
  })

  test('that breaks off is no audio', async () => {
    const samples = await joined(spoken, 0.7)
    samples.fill(Number.NaN, samples.length - 1000)
    const catalogue = limited({ otherwise: { text: 'part' } }, 4)
    await using started = await startTestService({ catalogue, modelsDir })
    // Of 32-bit float, which can hold what is no number.
    const bytes = wav(new Uint8Array(samples.buffer), { tag: 3, block: 4, bits: 32 })
    const answer = await started.transcribe({ ...it, audio_base64: base64(bytes) })
    expect(answer.json.error?.code).toBe('AUDIO_DECODE_FAILED')
  })

  test('with a damaged model for silences is not cut, and the service goes on', async () => {
    await using folder = await temporaryFolder()
    await cp(join(modelsDir, 'silero-vad'), join(folder.path, 'silero-vad'), { recursive: true })
    const path = join(folder.path, 'silero-vad', 'silero_vad.onnx')
    const content = await readFile(path)
    content.fill(0, 1000, 2000)
    await writeFile(path, content)
    await using started = await startTestService({ catalogue: limited({}, 2), modelsDir: folder.path })
    const answer = await started.transcribe({ ...it, audio_base64: base64(tone(3)) })
    expect(answer.json.error?.code).toBe('MODEL_NOT_INSTALLED')
    expect((await started.send('GET', '/health')).json['ok']).toBe(true)
  })
})
