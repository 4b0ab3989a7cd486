/**
 * The program of the checkout under plain Node, which executes one command after the other: the modules are loaded once. Each
 * command has its own arguments, environment, working directory, standard input and outputs. Its parent sends a
 * `WarmCommand` and receives a `WarmResult`; when the parent ends, it ends.
 */
import { Readable, Writable } from 'node:stream'
import { runCommandLine } from '../../src/cli/command-line.ts'
import type { CliResult } from './run-cli.ts'

export interface WarmCommand {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: string
}

export interface WarmResult extends CliResult {
  /** Whether the command has read its standard input to the end. */
  readonly isInputRead: boolean
}

const [node = process.execPath, program = ''] = process.argv

async function execute({ args, cwd, env, stdin: content }: WarmCommand): Promise<WarmResult> {
  process.chdir(cwd)
  process.argv = [node, program, ...args]
  process.exitCode = 0
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  const [stdout, stderr] = [keptOutput(), keptOutput()]
  const stdin = Readable.from([Buffer.from(content)])
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream }
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true })
  }
  await runCommandLine()
  return {
    code: Number(process.exitCode),
    signal: null,
    stdout: stdout.text(),
    stderr: stderr.text(),
    isInputRead: stdin.readableEnded,
  }
}

function keptOutput(): { readonly stream: Writable; text(): string } {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(pieces).toString() }
}

process.on('message', async (command: WarmCommand) => process.send?.(await execute(command)))
process.on('disconnect', () => process.exit())
