import { readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import type { Recording } from '#contract/resources'
import type { ServiceOptions } from '#service/settings'
import { createAudioRetention } from '../../src/service/transcription/history.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { base64, startTestService, type TestService, tone } from './running-service.ts'

const echo = { engine: 'scripted', model: 'echo', audio_base64: base64(tone(0.5)) }

async function recordings(started: TestService): Promise<readonly Recording[]> {
  const { json } = await started.send('GET', '/recordings/search?limit=500')
  return endpoints.searchRecordings.answer.parse(json).recordings
}

/** What is on disk, once a sweep that goes on in the background has come to its end. */
async function settled(
  folder: string,
  isDone: (names: readonly string[]) => boolean,
): Promise<readonly string[]> {
  for (let tries = 0; tries < 500; tries += 1) {
    const names = await readdir(join(folder, 'recordings'))
    if (isDone(names)) return names
    await sleep(10)
  }
  return readdir(join(folder, 'recordings'))
}

/** A service that keeps sounds, on a folder that outlives it. */
async function served<Result>(
  dataDir: string,
  options: ServiceOptions,
  work: (started: TestService) => Promise<Result>,
): Promise<Result> {
  await using started = await startTestService({ dataDir, recordAudio: true, ...options })
  return await work(started)
}

describe('recorded sounds', () => {
  test('that are older than they are kept go at the next start, and their texts stay', async () => {
    await using folder = await temporaryFolder()
    await served(folder.path, {}, async (started) => {
      for (let count = 0; count < 3; count += 1) await started.transcribe(echo)
    })
    expect(await readdir(join(folder.path, 'recordings'))).toHaveLength(3)
    await sleep(20)
    const kept = await served(folder.path, { keepAudioSeconds: 0.01 }, async (started) => {
      expect(await settled(folder.path, (names) => names.length === 0)).toEqual([])
      return await recordings(started)
    })
    expect(kept.map(({ text, audioFilePath }) => [text, audioFilePath])).toEqual(
      Array(3).fill(['Hello world.', '']),
    )
  })

  test('past the size that is allowed go oldest first, while the service works', async () => {
    await using folder = await temporaryFolder()
    const sizeBytes = tone(0.5).length
    await served(folder.path, { maxAudioBytes: 10.5 * sizeBytes }, async (started) => {
      for (let count = 0; count < 11; count += 1) await started.transcribe(echo)
      // Down to nine tenths, so that the next recording does not begin another sweep.
      expect(await settled(folder.path, (names) => names.length === 9)).toHaveLength(9)
      const all = await recordings(started)
      expect(all.map(({ audioFilePath }) => audioFilePath !== '')).toEqual([
        ...Array(9).fill(true),
        false,
        false,
      ])
    })
  })

  test('that are added during a sweep count for the next one', async () => {
    await using folder = await temporaryFolder()
    const stored = ['newest', 'oldest'].map((id, index) => ({
      id,
      fileName: id,
      dateMs: -index,
      position: 0,
    }))
    for (const { fileName } of stored) await writeFile(join(folder.path, fileName), Buffer.alloc(60))
    let sweepCount = 0
    const store: Parameters<typeof createAudioRetention>[0] = {
      soundsAfter: (last) => {
        if (last !== null) return []
        sweepCount += 1
        return stored
      },
      forgetSound: () => undefined,
    }
    const sounds = {
      pathOf: (name: string) => join(folder.path, name),
      expire: async () => {
        if (sweepCount === 1) retention.added(30)
      },
    }
    const limits = { keepAudioSeconds: null, maxAudioBytes: 100 }
    const retention = createAudioRetention(store, sounds, limits, (error) =>
      expect.unreachable(String(error)),
    )
    await retention.sweep()
    expect(sweepCount).toBe(1)
    // 60 B are left, 30 B came during the sweep.
    retention.added(10)
    expect(sweepCount).toBe(1)
    retention.added(1)
    expect(sweepCount).toBe(2)
    await retention.close()
  })

  test('are found where the data folder was moved to', async () => {
    await using folder = await temporaryFolder()
    const [before, after] = [join(folder.path, 'before'), join(folder.path, 'after')]
    await served(before, {}, (started) => started.transcribe(echo))
    await rename(before, after)
    await writeFile(join(after, 'recordings', 'not-ours.wav'), 'stays')
    await served(after, { keepAudioSeconds: 3_600 }, async (started) => {
      const [recording] = await recordings(started)
      expect(recording?.audioFilePath.startsWith(join(after, 'recordings'))).toBe(true)
      expect(
        await started.transcribe({ engine: 'scripted', model: 'echo', file: recording?.audioFilePath }),
      ).toMatchObject({ json: { ok: true } })
    })
    expect(await readdir(join(after, 'recordings'))).toContain('not-ours.wav')
  })
})
