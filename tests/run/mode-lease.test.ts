import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Connection } from '#client/connection'
import { connect, resolveTarget } from '#client/target'
import { type Platform, platforms } from '#contract/enums'
import type { Mode } from '#contract/modes'
import type { ModeLine } from '#journal/mode-line'
import { systemClock } from '#load/clock'
import { type LeaseInput, leaseMode, openLeases, settleLease } from '#run/execute/modes'
import { scriptedCatalogue } from '#service/engines/scripted'
import { startService } from '#service/service'
import { temporaryFolder } from '../temporary-folder.ts'

interface Server extends AsyncDisposable {
  readonly connection: Connection
  /** All Modes without their modification date. */
  modes(): Promise<readonly object[]>
  named(name: string): Promise<Mode>
}

async function server(profile: Platform): Promise<Server> {
  const stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder())
  const catalogue = scriptedCatalogue({ good: {}, better: {} })
  const service = stack.use(await startService({ profile, dataDir: join(folder.path, 'data'), catalogue }))
  const world = { env: {}, home: homedir(), platform: process.platform }
  const target = await resolveTarget(service.discoveryPath, world)
  if (target.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  const connection = stack.use(await connect(target, { clock: systemClock, connections: 1 }))
  const list = async (): Promise<readonly Mode[]> => {
    const listed = await connection.listModes()
    if (!listed.ok) throw new Error(JSON.stringify(listed.failure))
    return listed.value.modes
  }
  return {
    connection,
    modes: async () => (await list()).map(({ modifiedDate: _, ...mode }) => mode),
    named: async (name) =>
      (await list()).find((mode) => mode.name === name) ?? Promise.reject(new Error(name)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function leaseOn({ connection }: Server, lines: ModeLine[], change: Partial<LeaseInput> = {}): LeaseInput {
  return {
    connection,
    writer: {
      async appendMode(line) {
        lines.push(line)
      },
    },
    models: [],
    contenderId: 'mine',
    request: { engine: 'scripted', model: 'better', language: 'en', settings: {} },
    namedMode: null,
    isCopied: () => false,
    temporaryName: 'transcribench a-run mine',
    doctor: 'transcribench doctor this',
    ...change,
  }
}

/** A server that takes everything but `null` for these fields, which it leaves as they are. */
function keeping({ connection, ...there }: Server, fields: readonly string[]): Server {
  return {
    ...there,
    connection: {
      ...connection,
      patchMode: (id, patch) =>
        connection.patchMode(
          id,
          Object.fromEntries(
            Object.entries(patch).filter(([field, value]) => value !== null || !fields.includes(field)),
          ),
        ),
    },
  }
}

async function createMine({ connection }: Server): Promise<void> {
  const created = await connection.createMode({
    name: 'Mine',
    preset: 'note',
    language: 'en',
    model: 'good',
    punctuation: true,
    capitalization: true,
    profanityFilter: false,
  })
  if (!created.ok) throw new Error(JSON.stringify(created.failure))
}

const british = {
  engine: null,
  model: null,
  language: null,
  settings: { englishSpelling: 'british' as const },
}

test('a named Mode is copied where only the field that the run sets could not be made null again', async () => {
  await using real = await server('macos')
  const there = keeping(real, ['englishSpelling'])
  await createMine(there)
  const before = await there.modes()
  const lease = await leaseMode(leaseOn(there, [], { namedMode: 'Mine', request: british }))
  expect(lease.mode).toMatchObject({ name: 'transcribench a-run mine', englishSpelling: 'british' })
  expect(await lease.release()).toBeNull()
  expect(await there.modes()).toEqual(before)
})

test('a field that the server does not restore is named, and tried again until it is restored', async () => {
  await using there = await server('macos')
  await createMine(there)
  const before = await there.modes()
  const lines: ModeLine[] = []
  const lease = await leaseMode(leaseOn(there, lines, { namedMode: 'Mine', request: british }))
  const stubborn = keeping(there, ['englishSpelling'])
  const [open] = openLeases(lines)
  if (open === undefined) throw new Error('nothing to restore')
  const modes = [await there.named('Mine')]
  const reason = 'could not be restored: the server keeps other values of englishSpelling'
  expect(await settleLease(stubborn.connection, open, modes)).toMatchObject({ outcome: 'failed', reason })
  expect(await settleLease(there.connection, open, modes)).toMatchObject({ outcome: 'restored' })
  expect(await there.modes()).toEqual(before)
  expect(await lease.release()).toBeNull()
})

describe.each(platforms)('a leased Mode on %s', (profile) => {
  test('is created for a plain transcription and deleted again', async () => {
    await using there = await server(profile)
    const before = await there.modes()
    const lines: ModeLine[] = []
    const lease = await leaseMode(leaseOn(there, lines))
    expect(lease.mode).toMatchObject({
      name: 'transcribench a-run mine',
      model: 'better',
      postProcessingMode: 0,
      removeTrailingPeriod: false,
      englishSpelling: null,
      userSystemPrompt: null,
    })
    expect(await lease.release()).toBeNull()
    expect(lines.map(({ kind }) => kind)).toEqual(['creating', 'created', 'released'])
    expect(await there.modes()).toEqual(before)
  })

  test('that is named is patched where it differs, and restored', async () => {
    await using there = await server(profile)
    await createMine(there)
    const before = await there.modes()
    const lines: ModeLine[] = []
    const settings = { removeTrailingPeriod: true }
    const request = { engine: null, model: 'better', language: 'de', settings }
    const lease = await leaseMode(leaseOn(there, lines, { namedMode: 'mine', request }))
    expect(lease.mode).toMatchObject({
      name: 'Mine',
      model: 'better',
      language: 'de',
      removeTrailingPeriod: true,
    })
    expect(await lease.release()).toBeNull()
    expect(await there.modes()).toEqual(before)
  })

  test('with a null field is patched only where null can be restored, and copied elsewhere', async () => {
    await using there = await server(profile)
    await createMine(there)
    const before = await there.modes()
    const lines: ModeLine[] = []
    const request = {
      engine: null,
      model: null,
      language: null,
      settings: { englishSpelling: 'british' as const },
    }
    const lease = await leaseMode(leaseOn(there, lines, { namedMode: 'Mine', request }))
    const clearsNull = profile === 'macos' || profile === 'linux'
    expect(lease.mode.name).toBe(clearsNull ? 'Mine' : 'transcribench a-run mine')
    expect(lease.mode).toMatchObject({ englishSpelling: 'british', preset: 'note', model: 'good' })
    expect(await lease.release()).toBeNull()
    expect(await there.modes()).toEqual(before)
    expect(openLeases(lines)).toEqual([])
  })

  test('that several contenders name is copied for each, and not changed', async () => {
    await using there = await server(profile)
    await createMine(there)
    const before = await there.modes()
    const request = { engine: null, model: 'better', language: 'de', settings: {} }
    const lease = await leaseMode(
      leaseOn(there, [], { namedMode: 'Mine', isCopied: ({ name }) => name === 'Mine', request }),
    )
    expect(lease.mode).toMatchObject({ name: 'transcribench a-run mine', model: 'better', preset: 'note' })
    expect(await there.named('Mine')).toMatchObject({ model: 'good', language: 'en' })
    expect(await lease.release()).toBeNull()
    expect(await there.modes()).toEqual(before)
  })

  test('keeps what another client changed meanwhile, and reports it', async () => {
    await using there = await server(profile)
    await createMine(there)
    const lines: ModeLine[] = []
    const request = { engine: null, model: 'better', language: 'de', settings: {} }
    const lease = await leaseMode(leaseOn(there, lines, { namedMode: 'Mine', request }))
    await there.connection.patchMode(lease.modeId, { language: 'fr' })
    expect(await lease.release()).toContain('language')
    expect(await there.named('Mine')).toMatchObject({ language: 'fr', model: 'good' })
  })

  test('of a crashed run is restored from its journal lines, whichever was the last', async () => {
    await using there = await server(profile)
    await createMine(there)
    const before = await there.modes()
    const lines: ModeLine[] = []
    const request = { engine: null, model: 'better', language: 'de', settings: {} }
    await leaseMode(leaseOn(there, lines))
    await leaseMode(leaseOn(there, lines, { contenderId: 'named', namedMode: 'Mine', request }))
    const unheard = lines.filter(({ kind }) => kind !== 'created' && kind !== 'patched')
    for (const known of [unheard, lines]) {
      const listed = await there.connection.listModes()
      const modes = listed.ok ? listed.value.modes : []
      for (const lease of openLeases(known)) await settleLease(there.connection, lease, modes)
    }
    expect(await there.modes()).toEqual(before)
  })
})
