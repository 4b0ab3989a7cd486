import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Evaluation } from '#analysis/documents/evaluation'
import { listRuns, type RecordedRun, readRun } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
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
  }
}

export async function readEvaluation(runFolder: string): Promise<Evaluation> {
  return JSON.parse(await readFile(join(runFolder, runFiles.evaluation), 'utf8'))
}

/** A workplace with a corpus of tones, and a scripted service that may read it. */
export interface ScriptedWorkplace extends Workplace {
  readonly manifest: string
  readonly service: ScriptedService
  /** Where both are, and the usual flags. */
  readonly target: readonly string[]
  /** The words of a run of this corpus on this service. */
  typed(...flags: readonly string[]): string[]
  run(...flags: readonly string[]): Promise<CliResult>
}

/**
 * @param texts references of the corpus, by id
 * @param usual flags of every run
 */
export async function scriptedWorkplace(
  models: Parameters<typeof startScriptedService>[1],
  texts: Readonly<Record<string, string>>,
  usual: readonly string[] = [],
  options: Parameters<typeof startScriptedService>[2] = {},
): Promise<ScriptedWorkplace> {
  const home = await workplace()
  const manifest = await writeToneCorpus(join(home.path, 'service', 'recordings'), texts)
  const service = await startScriptedService(join(home.path, 'service'), models, options)
  const target = ['--target', service.discoveryPath, '--corpus', manifest, ...usual]
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
