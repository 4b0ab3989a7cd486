import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'

/** The Redis of the distribution, on a free port of this machine. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly process: ChildProcess
}

export interface RedisOptions {
  /** 0: any that is free. */
  readonly port?: number
  readonly arguments?: readonly string[]
}

/** @param folder where it keeps its data: another server goes on with what it finds there */
export async function startRedis(
  folder: string,
  { port: wanted = 0, arguments: more = [] }: RedisOptions = {},
): Promise<RedisServer> {
  const port = wanted === 0 ? await freePort() : wanted
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const child = spawn('redis-server', [...place, ...durable, ...more], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stdout.on('data', (bytes: Buffer) => {
    said = `${said}${bytes}`.slice(-2000)
  })
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`redis-server does not start (apt-get install redis-server): ${error.message}`)
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`redis-server ended: ${said}`)
  })
  for (const end of [failed, ended]) end.catch(() => undefined)
  await Promise.race([failed, ended, heard(() => said.includes('Ready to accept connections'))])
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    process: child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** A connection for what a test looks up itself. */
export function connectRedis(url: string): Redis & AsyncDisposable {
  const redis = new Redis(url)
  return Object.assign(redis, {
    async [Symbol.asyncDispose]() {
      redis.disconnect()
    },
  })
}

async function heard(isHeard: () => boolean): Promise<void> {
  while (!isHeard()) await sleep(20)
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a socket without a port')
  return address.port
}
