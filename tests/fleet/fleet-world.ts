import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { decodeSound } from '#audio/sound-stream'
import type { AttemptLine } from '#journal/attempt-line'
import { listRuns } from '#journal/find-run'
import { type RecordedRun, readRun } from '#journal/run-reader'
import { type CliResult, type RunningCli, runCli, startCli } from '../journeys/run-cli.ts'
import { type ScriptedService, startScriptedService } from '../journeys/scripted-service.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { type ScriptedAnswer, soundKey } from '../service/scripted-catalogue.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type RedisOptions, type RedisServer, startRedis } from './redis-server.ts'

/** A corpus, a service that knows its texts, and a Redis: all that agents and a coordinator need. */
export interface FleetWorld extends AsyncDisposable {
  readonly folder: string
  readonly manifest: string
  readonly service: ScriptedService
  readonly redis: RedisServer
  /** Starts an agent with a separate home folder. It is killed with the world. */
  startAgent(name: string, options?: ProgramOptions): RunningCli
  /** Starts the coordinator, whose results are in the folder `results` of the world. */
  startFleetRun(args: readonly string[], options?: ProgramOptions): RunningCli
  /** The same to its end, in a process that may have executed other commands before. */
  runFleet(args: readonly string[]): Promise<CliResult>
  /** A plain run against the same service, in the folder `alone`. */
  runAlone(args: readonly string[]): Promise<CliResult>
}

interface ProgramOptions {
  /** Null: the address is in the environment. */
  readonly url?: string | null
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

const fleetKey = 'a key that all hosts of this test share'

/** Settings that a plain run and a run of a fleet have in common. */
export const commonFlags: readonly string[] = [
  ...['--contender', 'scripted:good', '--contender', 'scripted:poor'],
  ...['--warmup', '1', '--rounds', '2', '--concurrency', '2'],
]

/** The same for a run whose blocks are spread over its hosts. */
export const shardFlags: readonly string[] = [...commonFlags, '--mode', 'shard', '--block', '24s']

const references = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`u${index}`, `this is the sentence with the number ${index}`]),
)

export interface WorldOptions {
  /** How long each answer takes. */
  readonly delayMs?: number
  readonly redis?: RedisOptions
}

export async function fleetWorld({ delayMs = 15, redis: wanted }: WorldOptions = {}): Promise<FleetWorld> {
  const stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await temporaryFolder())
  const manifest = await writeToneCorpus(join(folder, 'corpus'), references)
  await mkdir(join(folder, 'redis'))
  const redis = stack.use(await startRedis(join(folder, 'redis'), wanted))
  const service = stack.use(
    await startScriptedService(join(folder, 'service'), await models(folder, delayMs)),
  )
  const start = (args: readonly string[], home: string, env: ProgramOptions['env']): RunningCli =>
    stack.use(startCli(args, { cwd: home, env: { TRANSCRIBENCH_FLEET_KEY: fleetKey, ...env } }))
  // A host looks for the same path in its own folder.
  const fleetRun = ['fleet', 'run', '--corpus', 'corpus/manifest.jsonl']
  await Promise.all(['alone', 'a', 'b', 'c'].map((name) => mkdir(join(folder, name))))
  return {
    folder,
    manifest,
    service,
    redis,
    startAgent(name, { url = redis.url, env, args = [] } = {}) {
      const place = [...queueAt(url), '--host', name, '--target', service.discoveryPath]
      return start(['fleet', 'agent', ...place, ...args], join(folder, name), env)
    },
    startFleetRun: (args, { url = redis.url, env } = {}) =>
      start([...fleetRun, ...queueAt(url), ...args], folder, env),
    runFleet: (args) =>
      runCli([...fleetRun, ...queueAt(redis.url), ...args], {
        cwd: folder,
        env: { TRANSCRIBENCH_FLEET_KEY: fleetKey },
      }),
    runAlone: (args) =>
      runCli(['run', '--target', service.discoveryPath, '--corpus', manifest, '--max-warmup', '0', ...args], {
        cwd: join(folder, 'alone'),
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Asks agents to stop, which they do without an error. */
export async function endAgents(...agents: readonly RunningCli[]): Promise<void> {
  for (const agent of agents) agent.process.kill('SIGTERM')
  for (const agent of agents) expect((await agent.ended).code).toBe(0)
}

/** Expects that a run was measured: 5 only where this machine was too busy to send in time, which is said. */
export function expectMeasured({ code, stderr }: Pick<CliResult, 'code' | 'stderr'>): void {
  const isLate = code === 5 && /sent late [1-9]/.test(stderr) && !stderr.includes('error:')
  expect(isLate ? 0 : code, stderr).toBe(0)
}

/** The id of a run in what the coordinator says. */
export function runIn(stderr: string): string {
  return /20\d\d-\S+/.exec(stderr)?.[0] ?? ''
}

function queueAt(url: string | null): readonly string[] {
  return url === null ? [] : ['--queue', url]
}

/** What the model says to the utterance in this place: one hears every word, and one mishears some. */
function heardBy(model: 'good' | 'poor', text: string, index: number): string {
  return model === 'poor' && index % 3 === 0 ? text.replace('sentence', 'sequence') : text
}

async function models(
  folder: string,
  delayMs: number,
): Promise<Readonly<Record<string, { bySound: Readonly<Record<string, ScriptedAnswer>> }>>> {
  const good: Record<string, ScriptedAnswer> = {}
  const poor: Record<string, ScriptedAnswer> = {}
  for (const [index, [id, text]] of Object.entries(references).entries()) {
    const bytes = await readFile(join(folder, 'corpus', 'audio', `${id}.wav`))
    const sound = await decodeSound(bytes)
    if (!sound.ok) throw new Error(sound.failure.reason)
    const key = soundKey(sound.value.samples)
    good[key] = { text: heardBy('good', text, index), delayMs }
    poor[key] = { text: heardBy('poor', text, index), delayMs }
  }
  return { good: { bySound: good }, poor: { bySound: poor } }
}

/** What `answersOf` makes of a plain run with `commonFlags`. */
export const plainAnswers: readonly string[] = Object.entries(references)
  .flatMap(([id, text], index) =>
    (['good', 'poor'] as const).flatMap((model) =>
      [1, 2].map((round) => [model, id, round, heardBy(model, text, index)].join(' | ')),
    ),
  )
  .sort()

/** A copy of the corpus of the world on one host, with other content in some files. */
export async function copyCorpus(
  { folder, manifest }: FleetWorld,
  host: string,
  changed: readonly string[] = [],
): Promise<void> {
  const target = join(folder, host, 'corpus')
  await mkdir(join(target, 'audio'), { recursive: true })
  await copyFile(manifest, join(target, 'manifest.jsonl'))
  for (const id of Object.keys(references)) {
    const from = changed.includes(id) ? 'u11' : id
    await copyFile(join(folder, 'corpus', 'audio', `${from}.wav`), join(target, 'audio', `${id}.wav`))
  }
}

export async function newestRun(folder: string): Promise<RecordedRun> {
  const [newest = ''] = (await listRuns(join(folder, 'results'))).toReversed()
  return readRun(newest)
}

/** Every measured answer as a line of contender, utterance, round and text, sorted; the host is left out. */
export function answersOf({ attempts }: RecordedRun): readonly string[] {
  const lines: string[] = []
  for (const line of attempts as Iterable<AttemptLine>) {
    const { phase, contenderId, utteranceId, round, outcome } = line
    if (phase !== 'measure') continue
    const text = outcome.ok ? outcome.answer.text : 'failed'
    lines.push([contenderId.split('@')[0], utteranceId, round, text].join(' | '))
  }
  return lines.sort()
}
