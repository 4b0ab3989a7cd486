import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { listRuns, type RecordedRun, readRun } from '#journal'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { type CliResult, type RunningCli, runCli, startCli } from './run-cli.ts'
import { type ScriptedService, startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'

interface World extends AsyncDisposable {
  readonly manifest: string
  readonly config: string
  readonly service: ScriptedService
  /** Starts the run, and resolves when some of it is written down. */
  begun(): Promise<RunningCli>
  cli(...args: string[]): Promise<CliResult>
  /** The runs that there are, oldest first. */
  runs(): Promise<readonly RecordedRun[]>
}

const rounds = 12

/** A service whose answers take a while, and a run of two contenders, of which one patches a Mode of a person. */
async function world(): Promise<World> {
  const home = await temporaryFolder()
  const references = { one: 'yes', two: 'yes', three: 'yes' }
  const manifest = await writeToneCorpus(join(home.path, 'service', 'recordings'), references)
  const service = await startScriptedService(join(home.path, 'service'), {
    slow: { otherwise: { text: 'yes', delayMs: 100 } },
  })
  await service.connection.createMode({ name: 'Mine', model: 'slow', language: 'en' })
  const config = join(home.path, 'both.json')
  await writeFile(
    config,
    JSON.stringify({
      target: service.discoveryPath,
      corpus: manifest,
      contenders: [
        { id: 'made', engine: 'scripted', model: 'slow' },
        { id: 'patched', mode: 'Mine', settings: { removeTrailingPeriod: true } },
      ],
      rounds,
      warmupRequests: 1,
    }),
  )
  return {
    manifest,
    config,
    service,
    async begun() {
      const cli = startCli(['run', config], { cwd: home.path })
      await cli.said(/warmed up/)
      for (let written = 0; written < 10; await sleep(10)) {
        const [folder = ''] = await listRuns(join(home.path, 'results'))
        written = (await readFile(join(folder, 'journal.jsonl'), 'utf8')).split('\n').length
      }
      return cli
    },
    cli: (...args) => runCli(args, { cwd: home.path }),
    runs: async () => Promise.all((await listRuns(join(home.path, 'results'))).map(readRun)),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

const planned = 2 * 3 * rounds

/** Every measured request was answered once, and no attempt stands in the journal twice. */
function expectWhole({ record, attempts }: RecordedRun): void {
  expect(record).toMatchObject({
    status: 'finished',
    ending: null,
    counts: { planned, answered: planned, failed: 0, dropped: 0, notSent: 0 },
  })
  const names = attempts.map(({ index, attempt }) => `${index}/${attempt}`)
  expect(new Set(names).size).toBe(names.length)
  const answered = attempts.filter(({ phase, outcome }) => phase === 'measure' && outcome.ok)
  expect(answered).toHaveLength(planned)
  expect(new Set(answered.map(({ index }) => index)).size).toBe(planned)
}

describe('asrbench run --resume', () => {
  test('goes on after kill -9 in the middle of a line, and refuses while the run is alive and when it is through', async () => {
    await using here = await world()
    const before = await here.service.modes()
    const cli = await here.begun()
    const alive = await here.cli('run', '--resume', 'latest')
    expect(alive).toMatchObject({ code: 2 })
    expect(alive.stderr).toContain('is still going on')
    cli.process.kill('SIGKILL')
    await cli.ended
    const [killed] = await here.runs()
    const folder = killed?.folder ?? ''
    const first = await readFile(join(folder, 'journal.jsonl'), 'utf8')
    await appendFile(join(folder, 'journal.jsonl'), '{"index":999,"atte')

    const resumed = await here.cli('run', '--resume', 'latest')
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 })
    const [run] = await here.runs()
    if (run === undefined) throw new Error('the run is gone')
    expectWhole(run)
    expect(run.isTorn).toBe(false)
    expect(run.record.resumedAt).toHaveLength(1)
    expect((await readFile(join(folder, 'journal.jsonl'), 'utf8')).startsWith(first)).toBe(true)
    const later = run.attempts.filter(({ sitting }) => sitting === 1)
    const earliest = Math.min(...later.map(({ sentAtMs }) => sentAtMs))
    expect(earliest).toBeGreaterThanOrEqual(
      Math.max(...(killed?.attempts ?? []).map((line) => line.endedAtMs)),
    )
    const warm = later.filter(({ phase }) => phase === 'warmup')
    expect(warm.every(({ attempt }) => attempt === 2) && warm.length > 0).toBe(true)
    expect(await here.service.modes()).toEqual(before)

    const through = await here.cli('run', '--resume', 'latest')
    expect(through).toMatchObject({ code: 2 })
    expect(through.stderr).toContain(`asrbench replay ${basename(folder)}`)
  })

  test('is what an interrupted run asks for; what was dropped in flight is sent again', async () => {
    await using here = await world()
    const cli = await here.begun()
    cli.process.kill('SIGINT')
    const { code, stdout } = await cli.ended
    expect(code).toBe(130)
    const [run] = await here.runs()
    if (run === undefined) throw new Error('there is no run')
    const command = `asrbench run --resume ${run.record.id}`
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(command)
    expect(run.record.ending?.hint).toContain(command)
    // As a second Ctrl-C leaves it.
    const journal = join(run.folder, 'journal.jsonl')
    const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n')
    const last = JSON.parse(lines.pop() ?? '')
    const dropped = { ...last, outcome: { ok: false, failure: { kind: 'dropped' } } }
    await writeFile(journal, `${[...lines, JSON.stringify(dropped)].join('\n')}\n`)
    const resumed = await here.cli('run', here.config, '--resume', run.record.id)
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 })
    const [after] = await here.runs()
    if (after === undefined) throw new Error('the run is gone')
    expectWhole(after)
    expect(after.attempts.filter(({ index }) => index === last.index).map(({ attempt }) => attempt)).toEqual([
      1, 2,
    ])
  })

  test('refuses with everything that is not as it was, and changes nothing', async () => {
    await using here = await world()
    const cli = await here.begun()
    cli.process.kill('SIGINT')
    await cli.ended
    const [run] = await here.runs()
    if (run === undefined) throw new Error('there is no run')
    const record = join(run.folder, 'run.json')
    const original = await readFile(record, 'utf8')
    await writeFile(record, original.replace(/"app_version": "[^"]*"/, '"app_version": "0.0.1"'))
    const touched = await readFile(record, 'utf8')
    const manifest = await readFile(here.manifest, 'utf8')
    await writeFile(here.manifest, manifest.replace('"text":"yes"', '"text":"no"'))
    const refused = await here.cli('run', '--resume', 'latest', '--concurrency', '3', '--seed', '9')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    for (const what of ['load', 'seed', 'other references than then: one', 'version', 'RUN_DIFFERS'])
      expect(refused.stderr).toContain(what)
    expect(await readFile(record, 'utf8')).toBe(touched)
  })
})

describe('asrbench replay', () => {
  test('sends the same plan again as a run of its own, and refuses another corpus', async () => {
    await using here = await world()
    // On a busy machine an open load may be judged invalid; that is not what is asked here.
    const measured = await here.cli('run', here.config, '--rounds', '2', '--rate', '20/s')
    expect([0, 5], measured.stderr).toContain(measured.code)
    const replayed = await here.cli('replay', 'latest', '--name', 'again')
    expect([0, 5], replayed.stderr).toContain(replayed.code)
    const [first, second] = await here.runs()
    expect(second?.record.name).toBe('again')
    expect(second?.requests).toEqual(first?.requests)
    expect(second?.requests.some(({ send }) => send?.kind === 'due' && send.dueAtMs > 0)).toBe(true)
    expect(second?.record).toMatchObject({
      seed: first?.record.seed,
      load: first?.record.load,
      status: 'finished',
    })
    const manifest = await readFile(here.manifest, 'utf8')
    await writeFile(here.manifest, manifest.replace('"text":"yes"', '"text":"no"'))
    const refused = await here.cli('replay', 'latest')
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.stderr).toContain('other references than then: one')
    expect(await here.runs()).toHaveLength(2)
  })
})
