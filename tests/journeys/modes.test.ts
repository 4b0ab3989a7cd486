import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRuns, readModeLines, readRecord, runFiles } from '#journal'
import { processStart } from '#telemetry'
import { type FaultWorld, faultGround, faultWorld, type Ground } from './fault-world.ts'
import type { Fault } from './faulty-front.ts'

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
async function killed(world: FaultWorld): Promise<string> {
  const command = world.start()
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
  test('one patching and one creating, end with the Modes that they found', async () => {
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

  test('of which the one that patches begins later and ends later, end with the Modes that they found', async () => {
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

  test('both patching the same Mode, end with the Modes that they found: the second uses a copy', async () => {
    await using world = await faultWorld(ground, { contenders: patching })
    meanwhile(world, async () => {
      expect(await world.run('--name', 'second')).toMatchObject({ code: 0 })
    })
    expect(await world.run('--name', 'first')).toMatchObject({ code: 0 })
    const second = (await listRuns(world.results)).find((folder) => folder.endsWith('second')) ?? ''
    expect((await readModeLines(second)).map(({ kind }) => kind)).toEqual(['creating', 'created', 'released'])
    expect(await ground.service.modes()).toEqual(world.before)
  })
})

test('a Mode that somebody else changes while it is patched is theirs in that field, which is said', async () => {
  await using world = await faultWorld(ground, { contenders: patching })
  meanwhile(world, () => patchMine({ language: 'fr' }))
  const { code, stderr } = await world.run()
  expect(code).toBe(0)
  const said = stderr.replaceAll(/\s+/g, ' ')
  expect(said).toContain('was left on the server: changed by somebody else meanwhile: language')
  const mine = (await ground.service.modes()).find(({ name }) => name === 'Mine')
  expect(mine).toMatchObject({ removeTrailingPeriod: false, language: 'fr' })
  await patchMine({ language: 'en' })
})

describe('asrbench modes clean', () => {
  test('does not take another process with the number of a dead run for that run, and a living one for dead', async () => {
    await using world = await faultWorld(ground, { contenders: patching })
    const path = join(await killed(world), runFiles.record)
    const record = await readRecord(join(path, '..'))
    const here = await processStart(process.pid)
    expect(record.processStartedAt).not.toBe(here)
    // This process has the number now, and began at that moment.
    await writeFile(path, JSON.stringify({ ...record, pid: process.pid, processStartedAt: here }))
    const careful = await clean(world)
    expect(careful.stdout).toContain('nothing was left behind')
    expect(careful.stderr).toContain('is still running')
    // It has the number, and began at another moment.
    await writeFile(path, JSON.stringify({ ...record, pid: process.pid }))
    expect((await clean(world)).stdout).toMatch(/restored +Mine/)
    expect(await ground.service.modes()).toEqual(world.before)
  })

  test('lists what a conformance check left, and deletes it when it is told to', async () => {
    await using world = await faultWorld(ground)
    const names = ['asrbench conformance 0a1b2c3d taken', 'asrbench conformance of mine', 'asrbench notes']
    for (const name of names)
      await ground.service.connection.createMode({ name, model: 'good', language: 'en' })
    const listed = await clean(world)
    expect(listed.stderr).toContain('asrbench conformance 0a1b2c3d taken')
    expect(listed.stderr).not.toContain('notes')
    const told = /asrbench (modes clean .*--orphans)/.exec(listed.stderr)?.[1]
    expect(told).toContain(`--target ${world.front.discoveryPath} --results ${world.results} --orphans`)
    expect(await ground.service.modes()).toHaveLength(world.before.length + 3)
    const deleted = await clean(world, '--orphans')
    expect(deleted.stdout).toMatch(/deleted +asrbench conformance 0a1b2c3d taken/)
    const after = await ground.service.modes()
    expect(after.map(({ name }) => name)).toEqual(expect.arrayContaining(names.slice(1)))
    for (const { id, name } of after) if (names.includes(name)) await ground.service.connection.deleteMode(id)
  })

  test('leaves what somebody else has changed since, and says so', async () => {
    await using world = await faultWorld(ground, { contenders: patching })
    await killed(world)
    await patchMine({ language: 'fr' })
    expect((await clean(world)).stdout).toMatch(/foreign +Mine +\(.*language/)
    const mine = (await ground.service.modes()).find(({ name }) => name === 'Mine')
    expect(mine).toMatchObject({ removeTrailingPeriod: false, language: 'fr' })
    await patchMine({ language: 'en' })
  })

  test('finds what a crashed run left by its name where its folder is gone', async () => {
    await using world = await faultWorld(ground, { contenders: creating })
    await killed(world)
    await using elsewhere = await faultWorld(ground)
    const found = await clean(elsewhere)
    expect(found.stdout).toContain('nothing was left behind')
    expect(found.stderr).toMatch(/asrbench .*-quick made/)
    expect((await clean(elsewhere, '--orphans')).stdout).toMatch(/deleted +asrbench .*-quick made/)
    expect(await ground.service.modes()).toEqual(world.before)
  })
})
