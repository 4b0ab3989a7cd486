import { type ExitClass, exitCodes } from '#prelude'
import { buildProgram } from '../../src/cli/command-line.ts'

/** What a command came to that ran in this process. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a command as the command line does, in this process, which spares the start of another one. What it writes is
 * kept instead of shown; one command at a time.
 */
export async function cliHere(...args: readonly string[]): Promise<Ended> {
  const written = { stdout: '', stderr: '' }
  const real = { stdout: process.stdout.write, stderr: process.stderr.write }
  for (const stream of ['stdout', 'stderr'] as const) {
    process[stream].write = (text: string | Uint8Array) => {
      written[stream] += String(text)
      return true
    }
  }
  try {
    let ending: ExitClass = 'done'
    const program = await buildProgram(args, (exit) => {
      ending = exit
    })
    await program.parseAsync([...args], { from: 'user' })
    return { code: exitCodes[ending].code, ...written }
  } finally {
    process.stdout.write = real.stdout
    process.stderr.write = real.stderr
  }
}
