import { readFileSync } from 'node:fs'
import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { basename } from 'node:path'
import type { ServiceOptions } from '#service/settings'
import { descendantsOf } from '../service/child-processes.ts'
import { startProgram } from './program.ts'

export type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>

/** Sums of proportional set sizes: a page that several processes map counts for each with its share. */
interface ServiceMemory {
  readonly nowBytes: number
  /** Process by process, as `served 90 MB, recogniser 310 MB`. */
  readonly now: string
  readonly mostBytes: number
  readonly most: string
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

/**
 * Starts a service in a separate process.
 *
 * @param options.catalogue null for the engines of the product in place of a scripted one
 */
export async function startServiceProcess(
  options: Omit<ServiceOptions, 'catalogue'> & { readonly catalogue?: null },
) {
  const program = await startProgram<{ port: number; token: string }>('served', JSON.stringify(options))
  const { child, said } = program
  const processes = (): number[] => [child.pid ?? 0, ...descendantsOf(child.pid ?? 0)]
  let [mostBytes, most] = [0, '']
  const look = (): ServiceMemory => {
    const sizes = processes().map(proportionalBytes)
    const nowBytes = sizes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const now = sizes
      .map(({ program, sizeBytes }) => `${program} ${(sizeBytes / 1e6).toFixed(0)} MB`)
      .join(', ')
    if (nowBytes > mostBytes) [mostBytes, most] = [nowBytes, now]
    return { nowBytes, now, mostBytes, most }
  }
  const looking = setInterval(look, 100)
  return {
    child,
    ...said,
    send: (method: string, path: string, sending: Sending = {}) => send(said, method, path, sending),
    /** The longest turn of its event loop since this was asked before, in milliseconds of processor time. */
    heldMs: () => program.ask<number>('held'),
    /** Seconds of processor time of it and its living child processes since it started. Linux only. */
    processorSeconds: () => processes().reduce((sum, pid) => sum + secondsOf(pid), 0),
    /** Memory of it and its child processes, sampled ten times a second. Linux only. */
    memory: look,
    async [Symbol.asyncDispose]() {
      clearInterval(looking)
      await program[Symbol.asyncDispose]()
    },
  }
}

/** Of a process and those of its children that have ended, in steps of 10 ms. */
function secondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
  } catch {
    // It has ended.
    return 0
  }
}

function proportionalBytes(pid: number): { readonly program: string; readonly sizeBytes: number } {
  try {
    const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const program = basename(words.find((word) => /\.[jt]s$/.test(word)) ?? words[0] ?? '').replace(
      /\.[jt]s$/,
      '',
    )
    return { program, sizeBytes: Number(kilobytes ?? 0) * 1024 }
  } catch {
    // It has ended.
    return { program: 'ended', sizeBytes: 0 }
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
