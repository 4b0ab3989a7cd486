import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listRuns, readModeLines, readRecord } from '#journal'
import { processStart } from '#telemetry'
import { type TemporaryFolder, temporaryFolder } from '../journal/temporary-folder.ts'
import { type CliResult, type RunningCli, runCli, startCli } from './run-cli.ts'
import { type ScriptedService, startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'

const patchingMine = {
  contenders: [{ id: 'patched', mode: 'Mine', language: 'de', settings: { removeTrailingPeriod: true } }],
}
const creating = { contenders: [{ id: 'made', engine: 'scripted', model: 'slow' }] }

interface World extends AsyncDisposable {
  readonly folder: string
  readonly results: string
  readonly service: ScriptedService
  start(name: string, config: object, rounds: number): Promise<RunningCli>
  clean(...flags: string[]): Promise<CliResult>
}

/** A service with a Mode "Mine", whose answers take a while. */
async function world(): Promise<World> {
  const home: TemporaryFolder = await temporaryFolder()
  const manifest = await writeToneCorpus(join(home.path, 'service', 'recordings'), { one: 'yes', two: 'yes' })
  const service = await startScriptedService(join(home.path, 'service'), {
    slow: { otherwise: { text: 'yes', delayMs: 60 } },
  })
  await service.connection.createMode({ name: 'Mine', model: 'slow', language: 'en' })
  const target = ['--target', service.discoveryPath]
  return {
    folder: home.path,
    results: join(home.path, 'results'),
    service,
    async start(name, config, rounds) {
      const path = join(home.path, `${name}.json`)
      await writeFile(path, JSON.stringify(config))
      const flags = ['--name', name, '--corpus', manifest, '--warmup', '1', '--rounds', String(rounds)]
      return startCli(['run', path, ...target, ...flags], { cwd: home.path })
    },
    clean: (...flags) => runCli(['modes', 'clean', ...target, ...flags], { cwd: home.path }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

async function runNamed(results: string, name: string): Promise<string> {
  return (await listRuns(results)).find((folder) => basename(folder).endsWith(`-${name}`)) ?? ''
}

describe('two runs at once against one server', () => {
  test('one patching and one creating, end with the Modes that they found', async () => {
    await using here = await world()
    const before = await here.service.modes()
    const patching = await here.start('patching', patchingMine, 8)
    await patching.said(/warmed up/)
    const made = await here.start('creating', creating, 4)
    expect(await made.ended).toMatchObject({ code: 0 })
    expect(await patching.ended).toMatchObject({ code: 0 })
    const kinds = (await readModeLines(await runNamed(here.results, 'patching'))).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['patching', 'patched', 'released']))
    expect(await here.service.modes()).toEqual(before)
  })

  test('both patching the same Mode, end with the Modes that they found: the second uses a copy', async () => {
    await using here = await world()
    const before = await here.service.modes()
    // Long enough for the second to come and go meanwhile.
    const first = await here.start('first', patchingMine, 1000)
    await first.said(/warmed up/)
    const second = await here.start(
      'second',
      { contenders: [{ id: 'patched', mode: 'mine', settings: { punctuation: false } }] },
      2,
    )
    expect(await second.ended).toMatchObject({ code: 0 })
    first.process.kill('SIGINT')
    expect(await first.ended).toMatchObject({ code: 130 })
    const kinds = (await readModeLines(await runNamed(here.results, 'second'))).map(({ kind }) => kind)
    expect(kinds).not.toContain('patching')
    expect(await here.service.modes()).toEqual(before)
  })
})

describe('asrbench modes clean', () => {
  test('does not take another process with the number of a dead run for that run', async () => {
    await using here = await world()
    const before = await here.service.modes()
    const killed = await here.start('killed', patchingMine, 50)
    await killed.said(/warmed up/)
    killed.process.kill('SIGKILL')
    await killed.ended
    const folder = await runNamed(here.results, 'killed')
    const record = await readRecord(folder)
    // This process has the number now, and began at another moment.
    await writeFile(join(folder, 'run.json'), JSON.stringify({ ...record, pid: process.pid }))
    expect(record.processStartedAt).not.toBe(await processStart(process.pid))
    expect((await here.clean()).stdout).toMatch(/restored +Mine/)
    expect(await here.service.modes()).toEqual(before)
  })

  test('lists what a conformance check left, and deletes it when it is told to', async () => {
    await using here = await world()
    const before = await here.service.modes()
    const names = ['asrbench conformance 0a1b2c3d taken', 'asrbench conformance of mine', 'asrbench notes']
    for (const name of names)
      await here.service.connection.createMode({ name, model: 'slow', language: 'en' })
    const listed = await here.clean()
    expect(listed.stderr).toContain('asrbench conformance 0a1b2c3d taken')
    expect(listed.stderr).not.toContain('notes')
    expect(await here.service.modes()).toHaveLength(before.length + 3)
    const deleted = await here.clean('--orphans')
    expect(deleted.stdout).toMatch(/deleted +asrbench conformance 0a1b2c3d taken/)
    expect((await here.service.modes()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(names.slice(1)),
    )
  })

  test('leaves what somebody else has changed since, and says so', async () => {
    await using here = await world()
    const killed = await here.start('killed', patchingMine, 50)
    await killed.said(/warmed up/)
    killed.process.kill('SIGKILL')
    await killed.ended
    const mine = (await here.service.modes()).find(({ name }) => name === 'Mine')
    await here.service.connection.patchMode(mine?.id ?? '', { language: 'fr' })
    expect((await here.clean()).stdout).toMatch(/foreign +Mine +\(.*language/)
    const after = (await here.service.modes()).find(({ name }) => name === 'Mine')
    expect(after).toMatchObject({ removeTrailingPeriod: false, language: 'fr' })
  })
})
