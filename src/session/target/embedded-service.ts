import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownProgram } from '#installation'
import { BenchError } from '#prelude'
import type { ServiceOptions } from '#service'
import { sessionErrors } from '../errors.ts'

const program = ownProgram(import.meta.url, 'service-process')

/** What the parent asks of the service's process. */
export interface ServiceOrder {
  readonly options: ServiceOptions
  /** Removed by the service's process when it ends, also after the death of the parent. */
  readonly privateFolder: string
}

export type ServiceAnswer =
  | { readonly ok: true; readonly discoveryPath: string }
  /** A problem that the user can solve, in the service's own words. */
  | {
      readonly ok: false
      readonly mistake: Pick<BenchError, 'code' | 'exit' | 'message' | 'hint' | 'problems'>
    }
  | { readonly ok: false; readonly mistake?: undefined; readonly message: string; readonly hint: string }

/** The built-in service, running in a separate process. Disposing stops it. */
export interface EmbeddedService extends AsyncDisposable {
  readonly discoveryPath: string
}

/**
 * Starts the reference service in a child process with a private data folder; installed models are shared.
 *
 * @throws BenchError EMBEDDED_SERVICE_FAILED, and what the service throws
 */
export async function startEmbeddedService(
  options: Omit<ServiceOptions, 'dataDir'> & { readonly modelsDir: string },
): Promise<EmbeddedService> {
  const privateFolder = await mkdtemp(join(tmpdir(), 'transcribench-'))
  const child = fork(fileURLToPath(program.url), {
    execArgv: [...program.execArgv],
    env: { ...process.env, ...program.environment },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-2000)
  })
  const answered = new Promise<ServiceAnswer>((resolve) => {
    child.once('message', (message) => resolve(message as ServiceAnswer))
    child.once('exit', () =>
      resolve({ ok: false, message: 'its process ended at once', hint: complaint.trim() }),
    )
  })
  const order: ServiceOrder = { options: { ...options, dataDir: privateFolder }, privateFolder }
  child.send(order)
  const answer = await answered
  if (!answer.ok && answer.mistake !== undefined) {
    const { code, exit, ...details } = answer.mistake
    throw new BenchError(code, exit, details)
  }
  if (!answer.ok) {
    throw sessionErrors.make('EMBEDDED_SERVICE_FAILED', {
      message: `the built-in service did not start: ${answer.message}`,
      hint: answer.hint || 'try it alone and read what it says: transcribench serve',
    })
  }
  return {
    discoveryPath: answer.discoveryPath,
    async [Symbol.asyncDispose]() {
      await stopProcess(child)
      // The service's process does this itself, unless it was killed.
      await rm(privateFolder, { recursive: true, force: true })
    },
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  if (child.connected) child.disconnect()
  await ended
}
