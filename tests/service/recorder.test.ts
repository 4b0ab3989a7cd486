import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import type { Recording } from '#contract/resources'
import type { ServiceOptions } from '#service/settings'
import { temporaryFolder } from '../temporary-folder.ts'
import { type Answer, startWatched, type TestService, tone } from './running-service.ts'
import type { ScriptedModel } from './scripted-catalogue.ts'

interface Dictating extends TestService {
  toggle(): Promise<Answer>
  cancel(): Promise<Answer>
  recordings(): Promise<readonly Recording[]>
  /** Resolves when the engine hears a dictation for the nth time. */
  heard(count: number): Promise<void>
}

async function startDictating(script: ScriptedModel, options: ServiceOptions = {}): Promise<Dictating> {
  const folder = await temporaryFolder()
  const microphoneFile = join(folder.path, 'spoken.wav')
  await writeFile(microphoneFile, tone(0.25))
  const started = await startWatched(script, { microphoneFile, ...options })
  return {
    ...started,
    toggle: () => started.send('POST', '/recording/toggle'),
    cancel: () => started.send('POST', '/recording/cancel'),
    async recordings() {
      const { json } = await started.send('GET', '/recordings/search')
      return endpoints.searchRecordings.answer.parse(json).recordings
    },
    heard: (count) => started.until(count, 'started'),
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const showing = (state: string): object => ({
  status: 200,
  json: { ok: true, recording: { state, is_recording: state === 'recording' } },
})
const refusedWith = (code: string, status = 200): object => ({ status, json: { ok: false, error: { code } } })

describe('the recorder', () => {
  test('walks from idle to recording, completed and idle, and writes what it heard', async () => {
    await using started = await startDictating({ otherwise: { text: 'Dictated.' } })
    expect(await started.cancel()).toMatchObject(showing('idle'))
    expect(await started.toggle()).toMatchObject(showing('recording'))
    expect(await started.toggle()).toMatchObject(showing('completed'))
    expect(await started.cancel()).toMatchObject(showing('idle'))
    const [recording, ...others] = await started.recordings()
    expect(others).toEqual([])
    expect(recording).toMatchObject({
      text: 'Dictated.',
      status: 'completed',
      duration: 0.25,
      mode: 'Dictation',
    })
    expect((await readFile(recording?.audioFilePath ?? '')).equals(tone(0.25))).toBe(true)
  })

  test('uses the Mode that is the default one', async () => {
    await using started = await startDictating({ otherwise: { text: 'Dictated.' } })
    const body = { name: 'Plain', isDefault: true, removeTrailingPeriod: true }
    await started.send('POST', '/modes', { body })
    await started.toggle()
    await started.toggle()
    expect(await started.recordings()).toMatchObject([{ text: 'Dictated', mode: 'Plain' }])
  })

  test('tries once more after a failure that may pass', async () => {
    await using started = await startDictating({
      inOrder: [{ failure: 'TRANSCRIPTION_FAILED' }],
      otherwise: { text: 'At last.' },
    })
    await started.toggle()
    expect(await started.toggle()).toMatchObject(showing('completed'))
    expect(await started.recordings()).toMatchObject([{ text: 'At last.' }])
  })

  test('is retrying meanwhile, and refuses a toggle', async () => {
    await using started = await startDictating({
      inOrder: [{ failure: 'RATE_LIMITED' }],
      otherwise: { hang: true },
    })
    await started.toggle()
    const stopped = started.toggle()
    await started.heard(2)
    const answer = await started.toggle()
    expect(answer).toMatchObject(refusedWith('INVALID_REQUEST', 400))
    expect(answer.json.error?.message).toContain('retrying')
    await started.cancel()
    await stopped
  })

  test('fails after the second failure, keeps the sound, and begins anew at the next call', async () => {
    await using started = await startDictating({ otherwise: { failure: 'TRANSCRIPTION_FAILED' } })
    await started.toggle()
    expect(await started.toggle()).toMatchObject(refusedWith('TRANSCRIPTION_FAILED'))
    const [recording] = await started.recordings()
    expect(recording).toMatchObject({ text: '', status: 'failed' })
    expect(recording?.audioFilePath).not.toBe('')
    expect(await started.toggle()).toMatchObject(showing('recording'))
  })

  test('fails where its recording cannot be written, says so in the log, and begins anew', async () => {
    await using started = await startDictating({ otherwise: { text: 'Lost.' } })
    await started.toggle()
    const recordings = join(started.folder, 'recordings')
    await rm(recordings, { recursive: true })
    await writeFile(recordings, 'in the way')
    expect(await started.toggle()).toMatchObject(refusedWith('TRANSCRIPTION_FAILED'))
    const faults = started.logged.filter(({ kind }) => kind === 'fault')
    expect(faults).toMatchObject([{ error: { code: 'ENOTDIR' } }])
    expect(await started.toggle()).toMatchObject(showing('recording'))
    await rm(recordings)
    await mkdir(recordings)
    expect(await started.toggle()).toMatchObject(showing('completed'))
  })

  test('does not try again what cannot pass', async () => {
    await using started = await startDictating({
      inOrder: [{ failure: 'MISSING_API_KEY' }],
      otherwise: { text: 'No.' },
    })
    await started.toggle()
    expect(await started.toggle()).toMatchObject(refusedWith('MISSING_API_KEY'))
  })
})

test('a cancellation stops the transcription, and nothing is written', async () => {
  await using started = await startDictating({ inOrder: [{ hang: true }], otherwise: { text: 'Second.' } })
  await started.toggle()
  const stopped = started.toggle()
  await started.heard(1)
  expect(await started.cancel()).toMatchObject(showing('idle'))
  expect(await stopped).toMatchObject(showing('cancelled'))
  expect(await started.recordings()).toEqual([])
  expect(await readdir(join(started.folder, 'recordings'))).toEqual([])
  await started.toggle()
  expect(await started.toggle()).toMatchObject(showing('completed'))
})

test('a toggle says that the model is missing before anybody speaks', async () => {
  await using started = await startDictating({ installed: false })
  expect(await started.toggle()).toMatchObject(refusedWith('MODEL_NOT_INSTALLED'))
})
