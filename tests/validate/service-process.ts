import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { ServiceOptions } from '#service'

/** A service in a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly port: number
  readonly token: string
  send(method: string, path: string, sending?: Sending): Promise<Answered>
  /** Bytes of memory now, and the most there ever were. Linux only. */
  memory(): Promise<{ readonly nowBytes: number; readonly mostBytes: number }>
}

interface Sending {
  readonly body?: string | Uint8Array
  readonly headers?: OutgoingHttpHeaders
  readonly signal?: AbortSignal
}

interface Answered {
  readonly status: number
  readonly text: string
}

export async function startServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const child = fork(join(import.meta.dirname, 'served.ts'), [JSON.stringify(options)], {
    execArgv: ['--conditions=asrbench:source', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [{ port, token }] = (await once(child, 'message')) as [{ port: number; token: string }]
  return {
    child,
    port,
    token,
    send: (method, path, sending = {}) => send({ port, token }, method, path, sending),
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      const bytesOf = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
      return { nowBytes: bytesOf('VmRSS'), mostBytes: bytesOf('VmHWM') }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

function send(
  { port, token }: { readonly port: number; readonly token: string },
  method: string,
  path: string,
  { body, headers, signal }: Sending,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(signal === undefined ? {} : { signal }),
      },
      async (response) => {
        const text = Buffer.concat(await response.toArray()).toString()
        resolve({ status: response.statusCode ?? 0, text })
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}
