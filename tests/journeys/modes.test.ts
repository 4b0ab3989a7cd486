import { readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { listRuns } from '#journal/find-run'
import { readModeLines, readRecord } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
import { claimRun } from '../../src/run/segment.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { cliHere } from './cli-here.ts'
import { type FaultWorld, faultGround, faultWorld, type Ground } from './fault-world.ts'
import type { Fault } from './faulty-front.ts'
import { runCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

let ground: Ground
beforeAll(async () => {
  ground = await faultGround()
})
afterAll(() => ground[Symbol.asyncDispose]())

const patching = [
  { id: 'patched', mode: 'Mine', language: 'de', settings: { removeTrailingPeriod: true } },
] as const
const creating = [{ id: 'made', engine: 'scripted', model: 'good' }] as const

/** Does something while a run waits for an answer, of which it then hears. */
function meanwhile({ front }: FaultWorld, work: () => Promise<void>): void {
  const fault: Fault = async ({ response, text }) => {
    await work()
    response.end(text)
  }
  front.spoil(({ transcription }) => (transcription === 3 ? fault : null))
}

async function patchMine(patch: { readonly language: string }): Promise<void> {
  const mine = (await ground.service.modes()).find(({ name }) => name === 'Mine')
  const patched = await ground.service.connection.patchMode(mine?.id ?? '', patch)
  expect(patched.ok).toBe(true)
}

/** A run that has patched the Mode "Mine" and was killed then. */
async function killed(world: FaultWorld, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const command = world.startIn(env)
  world.front.spoil(({ transcription }) =>
    transcription === 3 ? () => void command.process.kill('SIGKILL') : null,
  )
  expect(await command.ended).toMatchObject({ signal: 'SIGKILL' })
  world.front.spoil(() => null)
  return (await world.recorded()).folder
}

const clean = (world: FaultWorld, ...flags: readonly string[]) =>
  world.cli('modes', 'clean', '--target', world.front.discoveryPath, ...flags)

describe('two runs at once against one server', () => {
  test('one that cannot write down that it holds Modes says so once, with the folder', async () => {
    await using world = await faultWorld(ground, { contenders: [...patching, ...creating] })
    await using taken = await workplace()
    const file = join(taken.path, 'a-file')
    await writeFile(file, '')
    vi.stubEnv('XDG_STATE_HOME', file)
    const { code, stderr } = await world.run()
    vi.unstubAllEnvs()
    expect(code).toBe(0)
    const words = stderr.replaceAll(/\s+/g, ' ')
    expect(words).toContain(`${join(file, 'transcribench', 'runs')} cannot be written (ENOTDIR)`)
    expect(words.split('cannot be written')).toHaveLength(2)
  })

  test('one patching and one creating, restore the Modes that they found', async () => {
    await using first = await faultWorld(ground, { contenders: patching })
    await using second = await faultWorld(ground, { contenders: creating })
    meanwhile(first, async () => {
      expect(await second.run()).toMatchObject({ code: 0 })
    })
    expect(await first.run()).toMatchObject({ code: 0 })
    const kinds = (await readModeLines((await first.recorded()).folder)).map(({ kind }) => kind)
    expect(kinds).toEqual(['patching', 'patched', 'released'])
    expect(await ground.service.modes()).toEqual(first.before)
  })

  test('of which the patching one starts later and ends later, restore the Modes that they found', async () => {
    await using created = await faultWorld(ground, { contenders: creating })
    await using patched = await faultWorld(ground, { contenders: patching })
    let later: Promise<{ readonly code: number | null }> = Promise.resolve({ code: null })
    meanwhile(created, async () => {
      const command = patched.start('--rounds', '40')
      await command.said(/warmed up/)
      later = command.ended
    })
    expect(await created.run()).toMatchObject({ code: 0 })
    expect(await later).toMatchObject({ code: 0 })
    expect(await ground.service.modes()).toEqual(created.before)
  })

  test.for(['one results folder', 'separate results folders'])(
    'both patching the same Mode, in %s, end with the Modes that they found: the second uses a copy',
    async (where) => {
      await using world = await faultWorld(ground, { contenders: patching })
      const results = where === 'one results folder' ? world.results : join(world.folder, 'others')
      meanwhile(world, async () => {
        expect(await world.run('--name', 'second', '--results', results)).toMatchObject({ code: 0 })
      })
      expect(await world.run('--name', 'first')).toMatchObject({ code: 0 })
      const second = (await listRuns(results)).find((folder) => folder.endsWith('second')) ?? ''
      const kinds = (await readModeLines(second)).map(({ kind }) => kind)
      expect(kinds).toEqual(['creating', 'created', 'released'])
      expect(await ground.service.modes()).toEqual(world.before)
    },
  )
})

test('keeps the change that another client makes to a Mode while it is patched, and reports the field', async () => {
  await using world = await faultWorld(ground, { contenders: patching })
  meanwhile(world, () => patchMine({ language: 'fr' }))
  const { code, stderr } = await world.run()
  expect(code).toBe(0)
  const said = stderr.replaceAll(/\s+/g, ' ')
  expect(said).toContain('was left on the server: changed by another client meanwhile: language')
  const mine = (await ground.service.modes()).find(({ name }) => name === 'Mine')
  expect(mine).toMatchObject({ removeTrailingPeriod: false, language: 'fr' })
  await patchMine({ language: 'en' })
})

describe('transcribench modes clean', () => {
  test('recognises a dead run whose process id is in use again, and a living run', async () => {
    await using world = await faultWorld(ground, { contenders: patching })
    const path = join(await killed(world), runFiles.record)
    const record = await readRecord(join(path, '..'))
    await writeFile(path, JSON.stringify({ ...record, pid: process.pid }))
    const claim = await claimRun(join(path, '..'))
    const careful = await clean(world)
    expect(careful.stdout).toContain('nothing was left behind')
    expect(careful.stderr).toContain('is still running')
    claim[Symbol.dispose]()
    expect((await clean(world)).stdout).toMatch(/restored +Mine/)
    expect(await ground.service.modes()).toEqual(world.before)
  })

  test('lists Modes that a conformance check left, and deletes them on request', async () => {
    await using world = await faultWorld(ground)
    const names = [
      'transcribench conformance 0a1b2c3d taken',
      'transcribench conformance of mine',
      'transcribench notes',
    ]
    for (const name of names)
      await ground.service.connection.createMode({ name, model: 'good', language: 'en' })
    const listed = await clean(world)
    expect(listed.stderr).toContain('transcribench conformance 0a1b2c3d taken')
    expect(listed.stderr).not.toContain('notes')
    const told = /transcribench (modes clean .*--orphans \S+)/.exec(listed.stderr)?.[1] ?? ''
    expect(told).toContain(`--target ${world.front.discoveryPath} --results ${world.results}`)
    expect(await ground.service.modes()).toHaveLength(world.before.length + 3)
    const deleted = await cliHere(...told.split(' '))
    expect(deleted.stdout).toMatch(/deleted +transcribench conformance 0a1b2c3d taken/)
    const after = await ground.service.modes()
    expect(after.map(({ name }) => name)).toEqual(expect.arrayContaining(names.slice(1)))
    for (const { id, name } of after) if (names.includes(name)) await ground.service.connection.deleteMode(id)
  })

  test('leaves the patch of a dead run as long as a living one has patched the same Mode', async () => {
    await using dead = await faultWorld(ground, { contenders: patching })
    const path = join(await killed(dead), runFiles.record)
    const { record } = await dead.recorded()
    await using living = await faultWorld(ground, { contenders: patching })
    meanwhile(living, async () => {
      const during = await ground.service.modes()
      const careful = await cliHere('modes', 'clean', '--target', living.target, '--results', dead.results)
      expect(careful).toMatchObject({ code: 4, stdout: expect.stringContaining('still going on') })
      expect(await ground.service.modes()).toEqual(during)
    })
    expect(await living.run()).toMatchObject({ code: 0 })
    expect(await readRecord(join(path, '..'))).toEqual(record)
    expect((await clean(dead)).stdout).toMatch(/restored +Mine/)
    expect(await ground.service.modes()).toEqual(dead.before)
  })

  test('leaves what another client has changed since, and reports it', async () => {
    await using world = await faultWorld(ground, { contenders: patching })
    await killed(world)
    await patchMine({ language: 'fr' })
    expect((await clean(world)).stdout).toMatch(/foreign +Mine +\(.*language/)
    const mine = (await ground.service.modes()).find(({ name }) => name === 'Mine')
    expect(mine).toMatchObject({ removeTrailingPeriod: false, language: 'fr' })
    await patchMine({ language: 'en' })
  })

  test('finds the Modes of a crashed run by their names where the run is unknown', async () => {
    await using world = await faultWorld(ground, { contenders: creating })
    const id = basename(await killed(world))
    await using elsewhere = await faultWorld(ground)
    const found = await clean(elsewhere)
    expect(found.stdout).toContain('nothing was left behind')
    expect(found.stderr).toMatch(/transcribench .*-both made/)
    const spared = await clean(elsewhere, '--orphans', '2026-01-01T00-00-00Z-quick')
    expect(spared.stdout).toContain('nothing was left behind')
    expect((await clean(elsewhere, '--orphans', id)).stdout).toMatch(/deleted +transcribench .*-both made/)
    expect(await ground.service.modes()).toEqual(world.before)
  })

  describe('from another results folder of the same user', () => {
    const both = [...creating, ...patching]
    let state: TemporaryFolder
    beforeAll(async () => {
      state = await temporaryFolder()
    })
    afterAll(() => state[Symbol.asyncDispose]())
    afterEach(() => vi.unstubAllEnvs())
    const cleanElsewhere = (world: FaultWorld, ...flags: readonly string[]) =>
      runCli(['modes', 'clean', '--target', world.target, ...flags], {
        cwd: state.path,
        env: { XDG_STATE_HOME: state.path },
      })

    test('leaves the Modes of a living run, even where it is named', async () => {
      await using world = await faultWorld(ground, { contenders: both })
      vi.stubEnv('XDG_STATE_HOME', state.path)
      meanwhile(world, async () => {
        const during = await ground.service.modes()
        const { record } = await world.recorded()
        const careful = await cleanElsewhere(world, '--orphans', record.id)
        expect(careful.stdout).toContain('nothing was left behind')
        expect(careful.stderr).toContain(`${record.id} is still running`)
        expect(await ground.service.modes()).toEqual(during)
      })
      expect(await world.run()).toMatchObject({ code: 0 })
      expect(await ground.service.modes()).toEqual(world.before)
      expect(await readdir(join(state.path, 'transcribench', 'runs'))).toEqual([])
    })

    test('restores what a crashed run created and patched', async () => {
      await using world = await faultWorld(ground, { contenders: both })
      await killed(world, { XDG_STATE_HOME: state.path })
      const { stdout } = await cleanElsewhere(world)
      expect(stdout).toMatch(/deleted +transcribench .*-both made/)
      expect(stdout).toMatch(/restored +Mine/)
      expect(await ground.service.modes()).toEqual(world.before)
      expect(await readdir(join(state.path, 'transcribench', 'runs'))).toEqual([])
    })
  })
})
