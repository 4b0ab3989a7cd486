import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import type { Mode } from '#contract/modes'
import type { Recording } from '#contract/resources'
import { seededRandom } from '#prelude'
import { base64, tone } from '../service/running-service.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const killCount = 100
const clip = tone(0.05)

/** What was confirmed to clients as written. */
interface Acknowledged {
  /** By id: the text of `customInstructions` that was last acknowledged, and the one that may be there instead. */
  readonly modes: Map<string, { known: string; underWay: string | null }>
  recordingCount: number
  /** Requests whose answer never came; each may have been carried out. */
  unansweredCount: number
}

/** Writes Modes and recordings until the service dies. */
async function writeUntilKilled(
  service: ServiceProcess,
  acknowledged: Acknowledged,
  round: number,
): Promise<void> {
  const writeModes = async (): Promise<void> => {
    for (let index = 0; ; index += 1) {
      const [id] = [...acknowledged.modes.keys()].slice(-1)
      const customInstructions = `${round}-${index} `.repeat(200)
      if (id === undefined || index % 5 === 0) {
        const body = JSON.stringify({ name: `Mode ${round} ${index}`, customInstructions })
        const { text } = await service.send('POST', '/modes', { body })
        const { mode } = endpoints.createMode.answer.parse(JSON.parse(text))
        acknowledged.modes.set(mode.id, { known: customInstructions, underWay: null })
      } else {
        const state = acknowledged.modes.get(id)
        if (state !== undefined) state.underWay = customInstructions
        await service.send('PATCH', `/modes/${id}`, { body: JSON.stringify({ customInstructions }) })
        acknowledged.modes.set(id, { known: customInstructions, underWay: null })
      }
    }
  }
  const writeRecordings = async (): Promise<void> => {
    const body = JSON.stringify({
      engine: 'scripted',
      model: 'echo',
      audio_base64: base64(clip),
      mime_type: 'audio/wav',
    })
    for (;;) {
      acknowledged.unansweredCount += 1
      await service.send('POST', '/transcribe', { body })
      acknowledged.unansweredCount -= 1
      acknowledged.recordingCount += 1
    }
  }
  // Each ends when its request does: with the service.
  await Promise.allSettled([writeModes(), writeRecordings(), writeRecordings()])
}

async function allModes(service: ServiceProcess): Promise<readonly Mode[]> {
  return endpoints.listModes.answer.parse(JSON.parse((await service.send('GET', '/modes')).text)).modes
}

async function allRecordings(
  service: ServiceProcess,
): Promise<{ total: number; recordings: readonly Recording[] }> {
  const { text } = await service.send('GET', '/recordings/search?limit=500')
  return endpoints.searchRecordings.answer.parse(JSON.parse(text))
}

test(`after ${killCount} kills every acknowledged write is there, and nothing is half there`, async () => {
  await using folder = await temporaryFolder()
  const random = seededRandom(20_260_602)
  const acknowledged: Acknowledged = { modes: new Map(), recordingCount: 0, unansweredCount: 0 }
  for (let round = 0; round < killCount; round += 1) {
    const service = await startServiceProcess({ dataDir: folder.path, recordAudio: true })
    await check(service, acknowledged, folder.path)
    const exited = once(service.child, 'exit')
    const writing = writeUntilKilled(service, acknowledged, round)
    await sleep(random.unit() * 300)
    service.child.kill('SIGKILL')
    await exited
    await writing
  }
  await using last = await startServiceProcess({ dataDir: folder.path })
  await check(last, acknowledged, folder.path)
  process.stdout.write(
    `${acknowledged.modes.size} Modes and ${acknowledged.recordingCount} recordings acknowledged, ` +
      `${acknowledged.unansweredCount} requests unanswered\n`,
  )
})

async function check(service: ServiceProcess, acknowledged: Acknowledged, dataDir: string): Promise<void> {
  const modes = await allModes(service)
  expect(modes.filter(({ isDefault }) => isDefault)).toHaveLength(1)
  for (const [id, state] of acknowledged.modes) {
    const found = modes.find((mode) => mode.id === id)?.customInstructions
    expect([state.known, state.underWay]).toContain(found)
    acknowledged.modes.set(id, { known: found ?? '', underWay: null })
  }
  const { total, recordings } = await allRecordings(service)
  expect(total).toBeGreaterThanOrEqual(acknowledged.recordingCount)
  expect(total).toBeLessThanOrEqual(acknowledged.recordingCount + acknowledged.unansweredCount)
  const sounds = await readdir(join(dataDir, 'recordings'))
  expect(sounds).toHaveLength(total)
  for (const { audioFilePath, text } of recordings.slice(0, 20)) {
    expect(text).toBe('Hello world.')
    expect(sounds).toContain(basename(audioFilePath))
    expect((await readFile(audioFilePath)).equals(clip)).toBe(true)
  }
}
