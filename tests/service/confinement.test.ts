import { execFile } from 'node:child_process'
import { chmod, link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openConfined } from '../../src/service/transcription/audio-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { base64, startTestService, type TestService, tone } from './running-service.ts'
import { scriptedCatalogue } from './scripted-catalogue.ts'

let started: TestService
let recordings: string
let outside: string

const echo = { engine: 'scripted', model: 'echo' }
const codeOf = async (file: string): Promise<string> => {
  const { json } = await started.transcribe({ ...echo, file })
  return json.error?.code ?? 'ok'
}

beforeAll(async () => {
  started = await startTestService()
  recordings = join(started.folder, 'recordings')
  outside = join(started.folder, 'outside')
  await mkdir(join(recordings, 'folder'))
  await mkdir(outside)
  await mkdir(join(started.folder, 'recordings-of-others'))
  for (const folder of [recordings, outside, join(started.folder, 'recordings-of-others')]) {
    await writeFile(join(folder, 'a.wav'), tone(0.1))
  }
  await symlink(join(outside, 'a.wav'), join(recordings, 'to-file-outside.wav'))
  await symlink(join(outside, 'gone.wav'), join(recordings, 'to-nothing-outside.wav'))
  await symlink(outside, join(recordings, 'to-folder-outside'))
  await symlink(join(recordings, 'a.wav'), join(recordings, 'to-file-inside.wav'))
  await symlink(join(recordings, 'gone.wav'), join(recordings, 'to-nothing-inside.wav'))
  await symlink(join(recordings, 'circle.wav'), join(recordings, 'circle.wav'))
  await symlink(recordings, join(outside, 'back-inside'))
  await promisify(execFile)('mkfifo', [join(recordings, 'pipe.wav')])
})
afterAll(() => started[Symbol.asyncDispose]())

describe('a file', () => {
  test.each([
    ['inside', () => join(recordings, 'a.wav'), 'ok'],
    ['inside, by way of ..', () => `${recordings}/folder/../a.wav`, 'ok'],
    ['inside, by a link', () => join(recordings, 'to-file-inside.wav'), 'ok'],
    ['inside, by a link that lies outside', () => join(outside, 'back-inside', 'a.wav'), 'ok'],
    ['inside that is missing', () => join(recordings, 'gone.wav'), 'FILE_NOT_FOUND'],
    ['in a missing folder inside', () => join(recordings, 'no', 'such', 'a.wav'), 'FILE_NOT_FOUND'],
    ['below a file inside', () => join(recordings, 'a.wav', 'b.wav'), 'FILE_NOT_FOUND'],
    ['inside that is missing, by a link', () => join(recordings, 'to-nothing-inside.wav'), 'FILE_NOT_FOUND'],
    ['that is a folder', () => join(recordings, 'folder'), 'FILE_NOT_FOUND'],
    ['that is a pipe', () => join(recordings, 'pipe.wav'), 'FILE_NOT_FOUND'],
    ['with a name longer than any', () => join(recordings, 'x'.repeat(300)), 'FILE_NOT_FOUND'],
    ['outside', () => join(outside, 'a.wav'), 'FILE_NOT_ALLOWED'],
    ['outside, by way of ..', () => `${recordings}/../outside/a.wav`, 'FILE_NOT_ALLOWED'],
    ['outside, by a link', () => join(recordings, 'to-file-outside.wav'), 'FILE_NOT_ALLOWED'],
    ['outside, in a linked folder', () => join(recordings, 'to-folder-outside', 'a.wav'), 'FILE_NOT_ALLOWED'],
    ['outside that is missing', () => join(outside, 'gone.wav'), 'FILE_NOT_ALLOWED'],
    [
      'outside that is missing, by a link',
      () => join(recordings, 'to-nothing-outside.wav'),
      'FILE_NOT_ALLOWED',
    ],
    [
      'missing in a linked folder',
      () => join(recordings, 'to-folder-outside', 'gone.wav'),
      'FILE_NOT_ALLOWED',
    ],
    [
      'in a folder whose name only begins alike',
      () => join(started.folder, 'recordings-of-others', 'a.wav'),
      'FILE_NOT_ALLOWED',
    ],
    ['that links to itself', () => join(recordings, 'circle.wav'), 'FILE_NOT_ALLOWED'],
    ['that is the recordings folder', () => recordings, 'FILE_NOT_ALLOWED'],
    ['that holds the token', () => join(started.folder, 'token'), 'FILE_NOT_ALLOWED'],
    ['of the system', () => '/etc/passwd', 'FILE_NOT_ALLOWED'],
    ['of a device', () => '/dev/zero', 'FILE_NOT_ALLOWED'],
    ['of a process', () => '/proc/self/environ', 'FILE_NOT_ALLOWED'],
  ])('is confined by its real path: %s', async (_what, path, expected) => {
    expect(await codeOf(path())).toBe(expected)
  })

  test('outside is refused in the same words whether it exists or not', async () => {
    const answers = await Promise.all(
      [
        join(outside, 'a.wav'),
        join(outside, 'gone.wav'),
        join(recordings, 'to-file-outside.wav'),
        join(recordings, 'to-nothing-outside.wav'),
        '/nowhere/secret/a.wav',
      ].map((file) => started.transcribe({ ...echo, file })),
    )
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  })

  test.skipIf(process.platform === 'win32')(
    'in a folder that cannot be read says so, inside only',
    async () => {
      await using folder = await temporaryFolder()
      const [inside, secret] = [join(folder.path, 'inside'), join(folder.path, 'secret')]
      const closed = [join(inside, 'closed'), secret]
      await mkdir(inside)
      for (const path of closed) {
        await mkdir(path)
        await writeFile(join(path, 'a.wav'), '')
        await chmod(path, 0)
      }
      await symlink(join(secret, 'a.wav'), join(inside, 'to-secret.wav'))
      await symlink(join(inside, 'closed', 'a.wav'), join(inside, 'to-closed.wav'))
      await chmod(folder.path, 0o755)
      const opened = (...names: readonly string[]) => openConfined(join(folder.path, ...names), [inside])
      const unreadable = { ok: false, failure: 'unreadable' }
      const outside = { ok: false, failure: 'outside' }
      const [user, isRoot] = [65_534, process.geteuid?.() === 0]
      // Root may read everything.
      if (isRoot) process.seteuid?.(user)
      try {
        expect(await opened('inside', 'closed', 'a.wav')).toEqual(unreadable)
        expect(await opened('inside', 'closed', 'no', 'such.wav')).toEqual(unreadable)
        expect(await opened('inside', 'to-closed.wav')).toEqual(unreadable)
        expect(await opened('secret', 'a.wav')).toEqual(outside)
        expect(await opened('inside', 'to-secret.wav')).toEqual(outside)
      } finally {
        if (isRoot) process.seteuid?.(0)
        for (const path of closed) await chmod(path, 0o700)
      }
    },
  )

  test('is never read from outside while a folder on its way is swapped for a link', async () => {
    await using secret = await temporaryFolder()
    await writeFile(join(secret.path, 'a.wav'), tone(0.7))
    const swapped = join(recordings, 'swapped')
    const heard = new Set<string>()
    let isSwapping = true
    const swapping = (async () => {
      while (isSwapping) {
        await mkdir(swapped)
        await link(join(recordings, 'a.wav'), join(swapped, 'a.wav'))
        await rename(swapped, join(recordings, 'aside'))
        await symlink(secret.path, swapped)
        await rm(swapped)
        await rm(join(recordings, 'aside'), { recursive: true })
      }
    })()
    await using listening = await startListening(heard, recordings)
    for (let request = 0; request < 200; request += 1) {
      await listening.transcribe({ ...echo, file: join(swapped, 'a.wav') })
    }
    isSwapping = false
    await swapping
    expect([...heard]).not.toContain('0.7')
  })
})

/** A service that notes the length of everything that it hears. */
async function startListening(heard: Set<string>, allowed: string): Promise<TestService> {
  return startTestService({
    allowDirs: [allowed],
    catalogue: scriptedCatalogue({
      echo: {
        otherwise: ({ durationSeconds }) => {
          heard.add(durationSeconds.toFixed(1))
          return {}
        },
      },
    }),
  })
}

test('audio in the request is bound to no folder', async () => {
  const answer = await started.transcribe({ ...echo, audio_base64: base64(tone(0.1)) })
  expect(answer.json['ok']).toBe(true)
})
