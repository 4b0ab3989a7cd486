import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { startWorkerProcess } from '../../src/service/worker-process.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { childrenRunning } from './child-processes.ts'
import { modelsDir, recordingOf, whyNot } from './real-speech.ts'
import { type Answer, base64, startTestService, type TestService } from './running-service.ts'

const reason = whyNot('moonshine-tiny')

async function ask(started: TestService): Promise<Answer> {
  const audio_base64 = base64(await readFile(recordingOf('librivox-0930')))
  return started.transcribe({ engine: 'moonshine', model: 'moonshine-tiny', audio_base64 })
}

function recognisers(): number[] {
  return childrenRunning('engines/recogniser')
}

/** Processor time that a process has used, in hundredths of a second. */
function processorTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return Number(fields[11]) + Number(fields[12])
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5)
}

const isHere = reason === null && process.platform === 'linux'

describe.skipIf(!isHere)(`a recogniser's process${reason === null ? '' : ` (${reason})`}`, () => {
  test('that is killed fails the request under way, and the next one is answered', async () => {
    await using started = await startTestService({ catalogue: undefined, modelsDir, concurrency: 1 })
    expect((await ask(started)).json['ok']).toBe(true)
    const [pid = 0] = recognisers()
    const idleTicks = processorTicks(pid)
    const underWay = ask(started)
    await until(() => processorTicks(pid) > idleTicks + 3)
    process.kill(pid, 'SIGKILL')
    const failed = await underWay
    expect(failed.json).toMatchObject({
      ok: false,
      error: { code: 'TRANSCRIPTION_FAILED', message: expect.stringContaining('SIGKILL') },
    })
    const next = await ask(started)
    expect(next.json).toMatchObject({ ok: true, text: expect.stringMatching(/amiable/i) })
    expect(recognisers()).not.toContain(pid)
    expect(started.logged.find(({ kind }) => kind === 'modelLost')).toEqual({
      kind: 'modelLost',
      model: 'moonshine-tiny',
      reason: 'signal SIGKILL',
      requestId: null,
    })
  })

  test('that is killed while it loads fails the request as one that ends later does', async () => {
    await using started = await startTestService({ catalogue: undefined, modelsDir })
    const loading = ask(started)
    await until(() => recognisers().length > 0)
    process.kill(recognisers()[0] ?? 0, 'SIGKILL')
    expect((await loading).json).toMatchObject({
      error: { code: 'TRANSCRIPTION_FAILED', message: expect.stringContaining('while it loaded the model') },
    })
    expect((await ask(started)).json).toMatchObject({ ok: true })
  })

  test('that is killed while nothing is under way costs no request', async () => {
    const warmUp = ['moonshine-tiny']
    await using started = await startTestService({ catalogue: undefined, modelsDir, warmUp })
    const [pid = 0] = recognisers()
    process.kill(pid, 'SIGKILL')
    await until(() => started.logged.some(({ kind }) => kind === 'modelLost'))
    expect((await ask(started)).json).toMatchObject({ ok: true })
  })

  test('ends with its service, and an idle model with its process', async () => {
    {
      await using started = await startTestService({
        catalogue: undefined,
        modelsDir,
        idleUnloadSeconds: 0.2,
      })
      expect((await ask(started)).json['ok']).toBe(true)
      await until(() => recognisers().length === 0)
      expect((await ask(started)).json['ok']).toBe(true)
    }
    expect(recognisers()).toEqual([])
  })
})

test('a process that does not answer is killed although its question was aborted before it was asked', async () => {
  await using folder = await temporaryFolder()
  const silent = join(folder.path, 'silent.mjs')
  await writeFile(silent, 'setInterval(() => undefined, 1000)')
  const worker = startWorkerProcess({ url: pathToFileURL(silent), execArgv: [], environment: {} })
  const limit = { signal: AbortSignal.abort(), killAfterMs: 1 }
  expect(await worker.ask('a question', undefined, limit)).toMatchObject({ lost: 'signal SIGKILL' })
})
