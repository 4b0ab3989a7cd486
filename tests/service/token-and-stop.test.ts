import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { discoveryFile } from '#contract/resources'
import { BenchError } from '#prelude'
import { rotateToken } from '#service/folder/data-dir'
import { temporaryFolder } from '../temporary-folder.ts'
import { base64, startTestService, startWatched, tone } from './running-service.ts'

const audio_base64 = base64(tone(0.1))

describe('a new token', () => {
  test('counts at once, and the old one no longer', async () => {
    await using started = await startTestService()
    const before = started.service.token
    expect((await started.send('GET', '/modes')).status).toBe(200)
    expect(await rotateToken(started.folder)).toEqual({ isAnnounced: true })
    const old = { headers: { authorization: `Bearer ${before}` } }
    expect((await started.send('GET', '/modes', old)).status).toBe(401)
    const announced = discoveryFile.parse(JSON.parse(await readFile(started.service.discoveryPath, 'utf8')))
    expect(announced.token).not.toBe(before)
    expect(started.service.token).toBe(announced.token)
    expect((await started.send('GET', '/modes')).status).toBe(200)
    for (const path of [started.service.discoveryPath, join(started.folder, 'token')]) {
      expect((await stat(path)).mode & 0o777).toBe(0o600)
    }
  })

  test('leaves the discovery file to the service, which takes it along when it stops', async () => {
    await using started = await startTestService()
    await rotateToken(started.folder)
    await started.service.stop()
    await expect(stat(started.service.discoveryPath)).rejects.toThrow('ENOENT')
    expect(await rotateToken(started.folder)).toEqual({ isAnnounced: false })
  })

  test.each(['{"port": 39', '{"port": "none"}'])(
    'is made although the discovery file is damaged: %s, and the error says how to get a new file',
    async (content) => {
      await using started = await startTestService()
      const before = started.service.token
      await writeFile(started.service.discoveryPath, content)
      await expect(rotateToken(started.folder)).rejects.toMatchObject({
        code: 'SERVICE_DATA_DIR_UNUSABLE',
        message: expect.stringMatching(/^The old token is invalid, but .+ is damaged\.$/),
        hint: expect.stringContaining('Restart the service'),
      })
      expect(started.service.token).not.toBe(before)
    },
  )

  test('is not made where no service has run', async () => {
    await using folder = await temporaryFolder()
    const error = await rotateToken(folder.path).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BenchError)
    expect(error).toMatchObject({ code: 'SERVICE_DATA_DIR_UNUSABLE' })
  })
})

describe('a patient stop', () => {
  test('lets what is under way finish', async () => {
    await using started = await startWatched({ otherwise: { text: 'Done.', delayMs: 200 } })
    const asked = started.transcribe({ engine: 'scripted', model: 'it', audio_base64 })
    await started.until(1, 'started')
    await started.service.stop({ finishWithinSeconds: 20 })
    expect((await asked).json).toMatchObject({ ok: true, text: 'Done.' })
  })

  test('neither waits for a client that never ends its request, nor blames it for that', async () => {
    await using started = await startTestService()
    const { baseUrl, token } = started.service
    const headers = { authorization: `Bearer ${token}`, 'content-length': 1000, expect: '100-continue' }
    const sending = request(`${baseUrl}/transcribe`, { method: 'POST', headers })
    sending.flushHeaders()
    // The service is at the body now.
    await once(sending, 'continue')
    sending.write('{')
    const answered = once(sending, 'response')
    const stopped = started.service.stop()
    const [answer] = (await answered) as [IncomingMessage]
    const error = { code: 'TRANSCRIPTION_FAILED', message: 'The service is stopping.' }
    expect(JSON.parse(await text(answer))).toEqual({ ok: false, error })
    await stopped
    sending.destroy()
  })

  test.each([
    ['when its time is up', { finishWithinSeconds: 0.05 }],
    ['when it is asked to hurry', { finishWithinSeconds: 20, hurry: AbortSignal.timeout(50) }],
  ])('ends what is under way %s, and the discovery file is gone before', async (_what, options) => {
    await using started = await startWatched({ otherwise: { hang: true } })
    const asked = started.transcribe({ engine: 'scripted', model: 'it', audio_base64 })
    await started.until(1, 'started')
    await started.service.stop(options)
    expect((await asked).json).toMatchObject({ ok: false, error: { code: 'TRANSCRIPTION_FAILED' } })
    await expect(stat(started.service.discoveryPath)).rejects.toThrow('ENOENT')
  })
})
