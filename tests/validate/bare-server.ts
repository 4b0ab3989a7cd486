import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** One decode, by the clock of the process that did it. */
export interface TimedDecode {
  readonly utteranceId: string
  readonly tookMs: number
}

/** The recogniser without our service, in a separate process. */
export interface BareServer extends AsyncDisposable {
  /** As a target names it. */
  readonly target: string
  /** Everything it has decoded, in the order of the requests. */
  decodes(): Promise<readonly TimedDecode[]>
}

export async function startBareServer(threads: number): Promise<BareServer> {
  const child = fork(join(import.meta.dirname, 'bare-program.ts'), [String(threads)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the bare recogniser has ended')))
  ended.catch(() => undefined)
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
  return {
    target: `openai:http://127.0.0.1:${port}/v1`,
    async decodes() {
      child.send('decodes')
      const [decodes] = (await once(child, 'message')) as [readonly TimedDecode[]]
      return decodes
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
