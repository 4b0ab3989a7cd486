import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Connection } from '#client/connection'
import { connect, resolveTarget } from '#client/target'
import { type Platform, platforms } from '#contract/enums'
import type { Mode } from '#contract/modes'
import type { ModeLine } from '#journal/mode-line'
import { systemClock } from '#load/clock'
import { cleanUpLease, type LeaseInput, leaseMode, openLeases } from '#run/execute/modes'
import { startService } from '#service/service'
import { scriptedCatalogue } from '../service/scripted-catalogue.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A server with the Mode "Mine", and what a run does to its Modes. */
interface World extends AsyncDisposable {
  readonly connection: Connection
  readonly lines: ModeLine[]
  lease(change?: Partial<LeaseInput>): ReturnType<typeof leaseMode>
  named(name: string): Promise<Mode>
  /** All Modes are as they were before the first lease, but for the dates of their modification. */
  expectAsBefore(): Promise<void>
}

async function world(profile: Platform): Promise<World> {
  const stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder())
  const catalogue = scriptedCatalogue({ good: {}, better: {} })
  const service = stack.use(await startService({ profile, dataDir: join(folder.path, 'data'), catalogue }))
  const environment = { env: {}, home: homedir(), platform: process.platform }
  const target = await resolveTarget(service.discoveryPath, environment)
  if (target.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  const connection = stack.use(await connect(target, { clock: systemClock, connections: 1 }))
  const list = async (): Promise<readonly Mode[]> => {
    const listed = await connection.listModes()
    if (!listed.ok) throw new Error(JSON.stringify(listed.failure))
    return listed.value.modes
  }
  const undated = async () => (await list()).map(({ modifiedDate: _, ...mode }) => mode)
  const plain = { punctuation: true, capitalization: true, profanityFilter: false }
  await connection.createMode({ name: 'Mine', preset: 'note', language: 'en', model: 'good', ...plain })
  const before = await undated()
  const lines: ModeLine[] = []
  return {
    connection,
    lines,
    lease: (change = {}) =>
      leaseMode({
        connection,
        writer: { appendMode: async (line) => void lines.push(line) },
        models: [],
        contenderId: 'mine',
        request: { engine: 'scripted', model: 'better', language: 'en', settings: {} },
        namedMode: null,
        isCopied: () => false,
        temporaryName: 'transcribench a-run mine',
        doctor: 'transcribench doctor this',
        ...change,
      }),
    named: async (name) =>
      (await list()).find((mode) => mode.name === name) ?? Promise.reject(new Error(name)),
    expectAsBefore: async () => expect(await undated()).toEqual(before),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Takes everything but `null` for the field, which it leaves as it is. */
function keepsSpelling(connection: Connection): Connection {
  return {
    ...connection,
    patchMode: (id, { englishSpelling, ...patch }) =>
      connection.patchMode(id, englishSpelling == null ? patch : { ...patch, englishSpelling }),
  }
}

const nothing = { engine: null, model: null, language: null }
const british = {
  namedMode: 'Mine',
  request: { ...nothing, settings: { englishSpelling: 'british' as const } },
}
const german = { namedMode: 'Mine', request: { ...nothing, model: 'better', language: 'de', settings: {} } }

test('a named Mode is copied where only the field that the run sets could not be made null again', async () => {
  await using there = await world('macos')
  const lease = await there.lease({ ...british, connection: keepsSpelling(there.connection) })
  expect(lease.mode).toMatchObject({ name: 'transcribench a-run mine', englishSpelling: 'british' })
  expect(await lease.release()).toBeNull()
  await there.expectAsBefore()
})

test('a field that the server does not restore is named, and tried again until it is restored', async () => {
  await using there = await world('macos')
  const { connection, lines } = there
  const lease = await there.lease(british)
  const [open] = openLeases(lines)
  if (open === undefined) throw new Error('nothing to restore')
  const modes = [await there.named('Mine')]
  const reason = 'could not be restored: the server keeps other values of englishSpelling'
  const cleanup = await cleanUpLease(keepsSpelling(connection), open, modes)
  expect(cleanup).toMatchObject({ outcome: 'failed', reason })
  expect(await cleanUpLease(connection, open, modes)).toMatchObject({ outcome: 'restored' })
  await there.expectAsBefore()
  expect(await lease.release()).toBeNull()
})

describe.each(platforms)('a leased Mode on %s', (profile) => {
  test('is created for a plain transcription and deleted again', async () => {
    await using there = await world(profile)
    const lease = await there.lease()
    expect(lease.mode).toMatchObject({
      name: 'transcribench a-run mine',
      model: 'better',
      postProcessingMode: 0,
      removeTrailingPeriod: false,
      englishSpelling: null,
      userSystemPrompt: null,
    })
    expect(await lease.release()).toBeNull()
    expect(there.lines.map(({ kind }) => kind)).toEqual(['creating', 'created', 'released'])
    await there.expectAsBefore()
  })

  test('that is named is patched where it differs, and restored', async () => {
    await using there = await world(profile)
    const settings = { removeTrailingPeriod: true }
    const lease = await there.lease({ namedMode: 'mine', request: { ...german.request, settings } })
    expect(lease.mode).toMatchObject({ name: 'Mine', model: 'better', language: 'de', ...settings })
    expect(await lease.release()).toBeNull()
    await there.expectAsBefore()
  })

  test('with a null field is patched only where null can be restored, and copied elsewhere', async () => {
    await using there = await world(profile)
    const lease = await there.lease(british)
    const clearsNull = profile === 'macos' || profile === 'linux'
    expect(lease.mode.name).toBe(clearsNull ? 'Mine' : 'transcribench a-run mine')
    expect(lease.mode).toMatchObject({ englishSpelling: 'british', preset: 'note', model: 'good' })
    expect(await lease.release()).toBeNull()
    await there.expectAsBefore()
    expect(openLeases(there.lines)).toEqual([])
  })

  test('that several contenders name is copied for each, and not changed', async () => {
    await using there = await world(profile)
    const lease = await there.lease({ ...german, isCopied: ({ name }) => name === 'Mine' })
    expect(lease.mode).toMatchObject({ name: 'transcribench a-run mine', model: 'better', preset: 'note' })
    expect(await there.named('Mine')).toMatchObject({ model: 'good', language: 'en' })
    expect(await lease.release()).toBeNull()
    await there.expectAsBefore()
  })

  test('keeps what another client changed meanwhile, and reports it', async () => {
    await using there = await world(profile)
    const lease = await there.lease(german)
    await there.connection.patchMode(lease.modeId, { language: 'fr' })
    expect(await lease.release()).toContain('language')
    expect(await there.named('Mine')).toMatchObject({ language: 'fr', model: 'good' })
  })

  test('of a crashed run is restored from its journal lines, whichever was the last', async () => {
    await using there = await world(profile)
    const { connection, lines } = there
    await there.lease()
    await there.lease({ ...german, contenderId: 'named' })
    const unheard = lines.filter(({ kind }) => kind !== 'created' && kind !== 'patched')
    for (const known of [unheard, lines]) {
      const listed = await connection.listModes()
      const modes = listed.ok ? listed.value.modes : []
      for (const lease of openLeases(known)) await cleanUpLease(connection, lease, modes)
    }
    await there.expectAsBefore()
  })
})
