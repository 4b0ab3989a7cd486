import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { ServiceOptions } from '#service'
import { descendantsOf } from '../service/child-processes.ts'

/** A service in a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly port: number
  readonly token: string
  send(method: string, path: string, sending?: Sending): Promise<Answered>
  /**
   * Memory of the service and its child processes, now and at its most; pages that they share count once. Linux only.
   * Looked at ten times a second.
   */
  memory(): { readonly nowBytes: number; readonly mostBytes: number }
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
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [{ port, token }] = (await once(child, 'message')) as [{ port: number; token: string }]
  let mostBytes = 0
  const look = (): number => {
    const nowBytes = treeBytes(child.pid ?? 0)
    mostBytes = Math.max(mostBytes, nowBytes)
    return nowBytes
  }
  const looking = setInterval(look, 100)
  return {
    child,
    port,
    token,
    send: (method, path, sending = {}) => send({ port, token }, method, path, sending),
    memory: () => ({ nowBytes: look(), mostBytes }),
    async [Symbol.asyncDispose]() {
      clearInterval(looking)
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

/** Proportional set sizes: a page that several processes map counts for each with its share. */
function treeBytes(pid: number): number {
  return [pid, ...descendantsOf(pid)].reduce((sum, each) => {
    try {
      const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))?.[1]
      return sum + Number(kilobytes ?? 0) * 1024
    } catch {
      // It has ended.
      return sum
    }
  }, 0)
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
