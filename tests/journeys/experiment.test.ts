import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '#config/read-config'
import { resolveConfig } from '#config/resolve-config'
import { listRuns } from '#journal/find-run'
import { calibrate, calibratedSchema, runExperiment } from '#run/experiment'
import { startOpenAiDouble } from '../client/openai-server.ts'
import { type ExperimentGround, experimentGround, references } from './experiment-ground.ts'
import { type CliResult, startCli } from './run-cli.ts'
import { startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'

let home: ExperimentGround
const cli = (...args: string[]): Promise<CliResult> => home.cli(...args)
beforeAll(async () => {
  home = await experimentGround()
})
afterAll(() => home[Symbol.asyncDispose]())

describe('transcribench experiment', () => {
  test('names more errors and failures of a side that is as fast, first', async ({ skip }) => {
    const ids = Array.from({ length: 40 }, (_, index) => `tone-${index + 10}`)
    const corpus = await writeToneCorpus(
      join(home.path, 'forty'),
      Object.fromEntries(ids.map((id) => [id, 'the cat sat'])),
    )
    // Every second recording has a wrong word, and every tenth is not answered.
    await using build = await startOpenAiDouble({
      models: ['base', 'build'],
      textOf(fileName, model) {
        const number = Number(/\d+/.exec(fileName)?.[0])
        if (model === 'base' || number % 2 === 1) return 'the cat sat'
        return number % 10 === 0 ? null : 'the hat sat'
      },
    })
    const contenders = ['base', 'build'].map((model) => ({ engine: 'any', model }))
    const config = { name: 'builds', target: build.target, corpus, contenders, rounds: 1 }
    await home.write('builds.json', JSON.stringify(config))
    const flags = ['--cool-down', '0s', '--max-runs', '5', '--results', 'of-builds', '--fail-if-worse']
    const page = join(home.path, 'builds.html')
    const shown = await cli('experiment', 'builds.json', ...flags, '-o', 'builds.html')
    // Runs of a machine that was too busy to send in time are not valid, which is said.
    skip(shown.code === 5 && shown.stderr.includes('after they were due'), 'this machine was too busy')
    expect(shown, shown.stderr).toMatchObject({ code: 3 })
    expect(shown.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /^ build against base: worse: WER \(\+\d+\.\d\d pp, [^)]*\), failed requests \(0 of 200 → 20 of 200\)/,
    )
    expect(await readFile(page, 'utf8')).toContain('"state":"worse"')
  })

  test('says where its runs are, where no command would look by itself', async () => {
    const flags = ['--cool-down', '0s', '--max-runs', '2', '--results', 'else where']
    const shown = await cli('experiment', 'both.yaml', ...flags, '--threshold', 'wer.regression <= 0.5pp')
    // What a gate cannot see, it says before it measures.
    expect(shown.stderr).toMatch(
      /"wer\.regression <= 0\.5pp" needs about 3,900 utterances to be detected;[\s\S]*pass 1 /,
    )
    expect(shown.stdout).toMatch(/transcribench compare --results 'else where' \S+,\S+ \S+,\S+$/m)
  })

  test.each([
    ['-o', 'answer.csv', /not written as csv/],
    ['-o', 'answer', /in which format/],
    ['--markdown', 'nowhere/comment.md', /cannot be written/],
    ['--junit', '.', /is a folder/],
  ])(
    'is refused before it measures where its answer could not be written: %s %s',
    async (flag, file, why) => {
      const refused = await cli('experiment', 'both.yaml', '--cool-down', '0s', flag, file)
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(why) })
      expect(refused.stderr).not.toContain('pass 1')
    },
  )

  test('whose target is lost says where the runs before are', async () => {
    const folder = join(home.path, 'lost')
    const corpus = await writeToneCorpus(join(folder, 'recordings'), references)
    const models = { quick: { otherwise: { text: 'yes' } }, slow: { otherwise: { text: 'yes', delayMs: 5 } } }
    const lost = await startScriptedService(folder, models)
    const contenders = ['quick', 'slow'].map((model) => ({ engine: 'scripted', model }))
    const config = { name: 'lost', target: lost.discoveryPath, corpus, contenders, rounds: 1 }
    await home.write('lost.json', JSON.stringify(config))
    const experiment = cli('experiment', 'lost.json', '--cool-down', '0s', '--results', 'of-lost')
    await expect
      .poll(async () => (await listRuns(join(home.path, 'of-lost'))).length, { interval: 20 })
      .toBeGreaterThan(2)
    await lost[Symbol.asyncDispose]()
    const ended = await experiment
    expect([4, 5]).toContain(ended.code)
    expect(ended.stderr).toMatch(/what was measured before, \d+ runs a side, is kept in of-lost\//)
  })

  test('that is interrupted before its second run names the folder of the first one', async () => {
    const file = readConfig(await home.read('alone.yaml'), 'alone.yaml')
    const { config } = resolveConfig({ file, flags: {}, env: {} })
    const stop = new AbortController()
    const { stopped, sides, comparisons } = await runExperiment({
      sides: ['base', 'build'].map((name) => ({
        name,
        config: { ...config, results: join(home.path, 'second') },
      })),
      precision: null,
      budgetSeconds: 60,
      maxRuns: 5,
      coolDownSeconds: 0,
      seed: 1,
      stop: stop.signal,
      // While the corpus of the second run is verified.
      onEvent: (event) => event.kind === 'run' && event.position === 1 && stop.abort(),
    })
    expect(stopped).toBe('interrupted')
    expect(sides.flatMap(({ folders }) => folders)).toHaveLength(1)
    expect(comparisons).toEqual([])
  })

  test('is refused with one side, and says what to add', async () => {
    const refused = await cli('experiment', 'alone.yaml')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('an experiment needs two sides')
  })
})

describe('a calibration that is interrupted', () => {
  /** Stops while the given run of the third pair is measured. */
  const interruptedIn = async (position: number) => {
    const file = readConfig(await home.read('alone.yaml'), 'alone.yaml')
    const { config } = resolveConfig({ file, flags: {}, env: {} })
    const stop = new AbortController()
    let isLast = false
    return calibrate({
      config: { ...config, results: join(home.path, `interrupted-${position}`) },
      pairCount: 5,
      coolDownSeconds: 0,
      stop: stop.signal,
      onEvent(event) {
        if (event.kind === 'run') isLast = event.pass === 3 && event.position === position
        if (isLast && event.kind === 'measure' && event.event.kind === 'attempted') stop.abort()
      },
    })
  }

  test.each([0, 1])('is of the pairs that are complete, without run %i of the last one', async (position) => {
    const { calibration, resolutions, folders } = await interruptedIn(position)
    expect(calibration.pairCount).toBe(2)
    expect(resolutions.map(({ metric }) => metric)).toContain('latency')
    expect(folders).toHaveLength(4)
  })

  test('ends as interrupted, and says how many pairs are complete', async () => {
    await using running = startCli(['calibrate', 'alone.yaml', '--cool-down', '0s', '--results', 'stopped'], {
      cwd: home.path,
    })
    await running.said(/pair 3 of 10/)
    running.process.kill('SIGINT')
    const { code, stdout, stderr } = await running.ended
    expect(code, stderr).toBe(130)
    expect(stderr).toMatch(/interrupted: only \d of 10 pairs are complete/)
    expect(stdout).toMatch(/quick against itself in \d pairs of runs/)
  })
})

describe('a calibration of which a run is not valid', () => {
  /** The server fails in the last run after two answers, of which one is that of the warm-up. */
  async function failingInTheLastOf(pairs: number) {
    let [isLast, answered] = [false, 0]
    await using failing = await startOpenAiDouble({
      models: ['quick'],
      textOf() {
        if (isLast) answered += 1
        return answered > 2 ? null : 'the cat sat'
      },
    })
    const yaml = await home.read('alone.yaml')
    const file = readConfig(yaml.replace(home.server.target, failing.target), 'alone.yaml')
    const { config } = resolveConfig({ file, flags: {}, env: {} })
    return await calibrate({
      config: { ...config, results: join(home.path, `failing-${pairs}`) },
      pairCount: pairs,
      coolDownSeconds: 0,
      onEvent(event) {
        if (event.kind === 'run') isLast = event.pass === pairs && event.position === 1
      },
    })
  }

  test('is of the other pairs', async () => {
    const { calibration, folders } = await failingInTheLastOf(3)
    expect(calibration.pairCount).toBe(2)
    expect(folders).toHaveLength(4)
  })

  test('is not stored where fewer than two pairs are left', async () => {
    await expect(failingInTheLastOf(2)).rejects.toThrow('fewer than two pairs of runs are valid')
    await expect(readFile(join(home.path, 'failing-2', 'calibrations.json'))).rejects.toThrow('ENOENT')
  })
})

describe('transcribench baseline', () => {
  test('gives runs a name that a comparison takes, lists it, and takes it away again', async () => {
    expect(await cli('run', 'alone.yaml')).toMatchObject({ code: 0 })
    const set = await cli('baseline', 'set', 'main', 'latest')
    expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/main is now .*-alone/) })
    const listed = JSON.parse((await cli('baseline', 'list', '--json')).stdout)
    expect(Object.keys(listed)).toEqual(['main'])
    const compared = await cli('compare', 'main', 'latest')
    expect(compared, compared.stderr).toMatchObject({ code: 0 })
    expect(compared.stdout).toContain('same')
    const unnamed = await cli('baseline', 'set', 'a,b', 'latest')
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('not a name for a baseline') })
    // It would be in the way of the newest run, in every later comparison.
    const lost = await cli('baseline', 'set', '__proto__', 'latest')
    expect(lost).toMatchObject({ code: 2 })
    const latest = await cli('baseline', 'set', 'latest', 'latest')
    expect(latest).toMatchObject({ code: 2, stderr: expect.stringContaining('it means the newest run') })
    expect(await cli('baseline', 'remove', 'main')).toMatchObject({ code: 0 })
    expect(await cli('baseline', 'remove', 'main')).toMatchObject({ code: 2 })
    await writeFile(
      join(home.path, 'results', 'baselines.json'),
      JSON.stringify({
        formatVersion: 1,
        baselines: Object.fromEntries(['old', 'latest'].map((name) => [name, ['2020-01-01T00-00-00Z-gone']])),
      }),
    )
    const gone = await cli('compare', 'old', 'latest')
    expect(gone.code).toBe(2)
    expect(gone.stderr.replaceAll(/\s+/g, ' ')).toContain('of the baseline "old" is not in')
    const itself = await cli('compare', 'latest', 'latest')
    expect(itself.code).toBe(0)
    expect(itself.stdout).toMatch(/^\s+Both sides are the same run, \S+: nothing is\s+compared\./)
    await rm(join(home.path, 'results', 'baselines.json'))
  })
})

describe('transcribench calibrate', () => {
  test('reports what equal runs differ by, and from then on margins that cannot be seen are refused', async ({
    skip,
  }) => {
    const result = await cli('calibrate', 'alone.yaml', '--pairs', '2', '--cool-down', '0s', '--json')
    expect(result, result.stderr).toMatchObject({ code: 0 })
    const { calibration, resolutions, path, folders } = calibratedSchema.parse(JSON.parse(result.stdout))
    expect(calibration).toMatchObject({ contenderId: 'quick', pairCount: 2 })
    expect(folders).toHaveLength(4)
    const latency = resolutions.find(({ metric }) => metric === 'latency')
    expect(latency?.standardDeviation).toBeGreaterThan(0)
    expect(JSON.parse(await readFile(path, 'utf8')).formatVersion).toBe(1)

    const [first, second] = [folders.slice(0, 2), folders.slice(2)].map((side) =>
      side.map((folder) => basename(folder)).join(','),
    )
    const compare = ['compare', first ?? '', second ?? '']
    const refused = await cli(...compare, '--margin', 'latency=0.001%')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/cannot be seen with 2 runs a\s+side; \d+\.\d % can/)
    const one = await cli('compare', basename(folders[0] ?? ''), basename(folders[2] ?? ''), '--json')
    const { contenders, findings } = JSON.parse(one.stdout)
    // Where other programs take the processors, speeds are not judged.
    skip(
      findings.some(({ code }: { code: string }) => code === 'HOST_BUSY'),
      'this machine was busy',
    )
    const [contender] = contenders
    expect(contender.speed.find(({ metric }: { metric: string }) => metric === 'latency')).toMatchObject({
      basis: 'calibration',
      verdict: null,
    })
  })
})
