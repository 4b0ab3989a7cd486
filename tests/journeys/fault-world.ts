import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readConfig } from '#config/read-config'
import { resolveConfig } from '#config/resolve-config'
import type { Mode } from '#contract/modes'
import { listRuns } from '#journal/find-run'
import { type RecordedRun, readRun } from '#journal/run-reader'
import { measure } from '#run/measure'
import { temporaryFolder } from '../temporary-folder.ts'
import { cliHere, type Ended } from './cli-here.ts'
import { type FaultyFront, startFaultyFront } from './faulty-front.ts'
import { type RunningCli, startCli } from './run-cli.ts'
import { type ScriptedService, startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'

/** A service with a Mode of a person, "Mine". */
export interface Ground extends AsyncDisposable {
  readonly folder: string
  readonly service: ScriptedService
}

export async function faultGround(): Promise<Ground> {
  const home = await temporaryFolder()
  const data = join(home.path, 'service')
  const service = await startScriptedService(data, { good: { otherwise: { text: 'yes' } } })
  await service.connection.createMode({ name: 'Mine', model: 'good', language: 'en' })
  return {
    folder: home.path,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** One run against the ground through a front, into a separate results folder. */
export interface FaultWorld extends AsyncDisposable {
  readonly folder: string
  readonly results: string
  /** Of two utterances. */
  readonly manifest: string
  readonly front: FaultyFront
  /** What the runs go to: the front, unless the config says otherwise. */
  readonly target: string
  /** The Modes as they were. */
  readonly before: Awaited<ReturnType<ScriptedService['modes']>>
  /** `transcribench run` in this process. */
  run(...flags: readonly string[]): Promise<Ended>
  /** The same as a separate process. */
  start(...flags: readonly string[]): RunningCli
  startIn(env: Readonly<Record<string, string>>): RunningCli
  startThrough(through: readonly string[], ...flags: readonly string[]): RunningCli
  /** Measures the same and is interrupted after so many measured attempts; what is in flight comes in. */
  interruptedAfter(attemptCount: number): Promise<RecordedRun>
  /** Goes on with the latest run, as a separate process. */
  startResuming(): RunningCli
  /** Any command in this results folder, in this process. */
  cli(...args: readonly string[]): Promise<Ended>
  recorded(): Promise<RecordedRun>
  modes(): Promise<readonly Omit<Mode, 'modifiedDate'>[]>
}

let worldCount = 0

/**
 * Two contenders, of which one makes a Mode and the other patches that of a person.
 *
 * @param change keys of the config that are to be others
 */
export async function faultWorld(
  { folder, service }: Ground,
  change: { readonly target?: string; readonly [key: string]: unknown } = {},
): Promise<FaultWorld> {
  worldCount += 1
  const home = join(folder, `world-${worldCount}`)
  const results = join(home, 'results')
  await mkdir(home)
  const recordings = join(folder, 'service', 'recordings', basename(home))
  const manifest = await writeToneCorpus(recordings, { one: 'yes', two: 'yes' })
  const front = await startFaultyFront(service.discoveryPath, home)
  const config = join(home, 'both.json')
  const text = JSON.stringify({
    target: front.discoveryPath,
    corpus: manifest,
    transport: 'path',
    contenders: [
      { id: 'made', engine: 'scripted', model: 'good' },
      { id: 'patched', mode: 'Mine', settings: { removeTrailingPeriod: true } },
    ],
    rounds: 3,
    warmupRequests: 1,
    ...change,
  })
  await writeFile(config, text)
  const args = ['run', config, '--results', results]
  const recorded = async (): Promise<RecordedRun> => {
    const [only = ''] = await listRuns(results)
    return readRun(only)
  }
  return {
    folder: home,
    results,
    manifest,
    front,
    target: change.target ?? front.discoveryPath,
    before: await service.modes(),
    run: (...flags) => cliHere(...args, ...flags),
    start: (...flags) => startCli([...args, ...flags], { cwd: home }),
    startIn: (env) => startCli(args, { cwd: home, env }),
    startThrough: (through, ...flags) => startCli([...args, ...flags], { cwd: home, through }),
    async interruptedAfter(attemptCount) {
      const stop = new AbortController()
      let leftCount = attemptCount
      await measure({
        config: { ...resolveConfig({ file: readConfig(text, config), flags: {}, env: {} }).config, results },
        stop: stop.signal,
        onEvent(event) {
          if (event.kind === 'attempted' && event.line.phase === 'measure') leftCount -= 1
          if (leftCount === 0) stop.abort()
        },
      })
      return recorded()
    },
    startResuming: () => startCli(['run', '--resume', 'latest', '--results', results], { cwd: home }),
    cli: (...words) => cliHere(...words, '--results', results),
    recorded,
    modes: () => service.modes(),
    [Symbol.asyncDispose]: () => front[Symbol.asyncDispose](),
  }
}
