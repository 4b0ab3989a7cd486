import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** One request as the server saw it, in milliseconds of the wall clock. */
export interface LoggedRequest {
  readonly utteranceId: string
  readonly cameAtMs: number
  readonly answeredAtMs: number
  /** How long its work took, and the processor time of that. */
  readonly workMs: number
  readonly cpuMs: number
}

/** A server with its own log, in its own processes. */
export interface LoggingServer extends AsyncDisposable {
  /** As a target names it. */
  readonly target: string
  /** In the order of the answers. */
  log(): Promise<readonly LoggedRequest[]>
}

export async function startLoggingServer(): Promise<LoggingServer> {
  const child = fork(join(import.meta.dirname, 'logging-program.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the logging server has ended')))
  ended.catch(() => undefined)
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
  return {
    target: `openai:http://127.0.0.1:${port}/v1`,
    async log() {
      child.send('log')
      const [log] = (await Promise.race([once(child, 'message'), ended])) as [readonly LoggedRequest[]]
      return log
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
