import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Evaluation } from '#analysis/documents/evaluation'
import { listRuns } from '#journal/run-reader'
import { runFiles } from '#journal/run-writer'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { argv, type CliResult, runCli } from './run-cli.ts'

/** A folder in which a user types commands. */
export interface Workplace extends TemporaryFolder {
  cli(...args: readonly string[]): Promise<CliResult>
  /** The same as it is typed: home.type`run ${config} --rounds 2`. */
  type(...line: Parameters<typeof argv>): Promise<CliResult>
  read(name: string): Promise<string>
  /** The run folders in `results`, the oldest first. */
  runs(): Promise<readonly string[]>
}

export async function workplace(): Promise<Workplace> {
  const home = await temporaryFolder()
  return {
    ...home,
    cli: (...args) => runCli(args, { cwd: home.path }),
    type: (...line) => runCli(argv(...line), { cwd: home.path }),
    read: (name) => readFile(join(home.path, name), 'utf8'),
    runs: () => listRuns(join(home.path, 'results')),
  }
}

export async function readEvaluation(runFolder: string): Promise<Evaluation> {
  return JSON.parse(await readFile(join(runFolder, runFiles.evaluation), 'utf8'))
}
