import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Evaluation } from '#analysis/documents/evaluation'
import { listRuns } from '#journal/find-run'
import { type RecordedRun, readRun } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
import { type OpenAiDouble, type OpenAiScript, startOpenAiDouble } from '../client/openai-server.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { argv, type CliResult, runCli } from './run-cli.ts'
import { type ScriptedService, startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'

/** A folder in which a user types commands. */
export interface Workplace extends TemporaryFolder {
  cli(...args: readonly string[]): Promise<CliResult>
  /** The same as it is typed: home.type`run ${config} --rounds 2`. */
  type(...line: Parameters<typeof argv>): Promise<CliResult>
  read(name: string): Promise<string>
  /** The run folders in `results`, the oldest first. */
  runs(): Promise<readonly string[]>
  /** The newest of them. */
  recorded(): Promise<RecordedRun>
  /** The same, with what it came to. */
  evaluated(): Promise<EvaluatedRun>
}

interface EvaluatedRun extends RecordedRun {
  readonly evaluation: Evaluation
}

export async function workplace(): Promise<Workplace> {
  const home = await temporaryFolder()
  const runs = (): Promise<readonly string[]> => listRuns(join(home.path, 'results'))
  return {
    ...home,
    cli: (...args) => runCli(args, { cwd: home.path }),
    type: (...line) => runCli(argv(...line), { cwd: home.path }),
    read: (name) => readFile(join(home.path, name), 'utf8'),
    runs,
    recorded: async () => readRun((await runs()).at(-1) ?? ''),
    async evaluated() {
      const folder = (await runs()).at(-1) ?? ''
      return { evaluation: await readEvaluation(folder), ...(await readRun(folder)) }
    },
  }
}

export async function readEvaluation(runFolder: string): Promise<Evaluation> {
  return JSON.parse(await readFile(join(runFolder, runFiles.evaluation), 'utf8'))
}

/** A workplace with a corpus of tones, and what is measured on it. */
export interface MeasuringWorkplace<Service extends AsyncDisposable> extends Workplace {
  readonly manifest: string
  readonly service: Service
  /** Where both are, and the usual flags. */
  readonly target: readonly string[]
  /** The words of a run of this corpus on this service. */
  typed(...flags: readonly string[]): string[]
  run(...flags: readonly string[]): Promise<CliResult>
}

function measuring<Service extends AsyncDisposable>(
  home: Workplace,
  manifest: string,
  service: Service,
  target: readonly string[],
): MeasuringWorkplace<Service> {
  const typed = (...flags: readonly string[]): string[] => ['run', ...target, ...flags]
  return {
    ...home,
    manifest,
    service,
    target,
    typed,
    run: (...flags) => home.cli(...typed(...flags)),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

/**
 * A scripted service that may read the recordings.
 *
 * @param texts references of the corpus, by id
 * @param usual flags of every run
 */
export async function scriptedWorkplace(
  models: Parameters<typeof startScriptedService>[1],
  texts: Readonly<Record<string, string>>,
  usual: readonly string[] = [],
  options: Parameters<typeof startScriptedService>[2] = {},
): Promise<MeasuringWorkplace<ScriptedService>> {
  const home = await workplace()
  const manifest = await writeToneCorpus(join(home.path, 'service', 'recordings'), texts)
  const service = await startScriptedService(join(home.path, 'service'), models, options)
  return measuring(home, manifest, service, [
    ...['--target', service.discoveryPath, '--corpus', manifest],
    ...usual,
  ])
}

/** A transcription server. */
export async function serverWorkplace(
  script: OpenAiScript,
  texts: Readonly<Record<string, string>>,
  usual: readonly string[] = [],
): Promise<MeasuringWorkplace<OpenAiDouble>> {
  const home = await workplace()
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), texts)
  const server = await startOpenAiDouble(script)
  return measuring(home, manifest, server, ['--target', server.target, '--corpus', manifest, ...usual])
}
