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
  /** Valkey understands the same. */
  readonly program?: 'redis-server' | 'valkey-server'
  /** Names of files in the folder of the data; the port is then one for TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly authority: string }
}

/** @param folder where it keeps its data: another server goes on with what it finds there */
export async function startRedis(
  folder: string,
  { port: wanted = 0, arguments: more = [], program = 'redis-server', tls }: RedisOptions = {},
): Promise<RedisServer> {
  const port = wanted === 0 ? await freePort() : wanted
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  const place = [
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    ...(tls === undefined ? ['--port', `${port}`] : tlsPort(port, tls)),
  ]
  const child = spawn(program, [...place, ...durable, ...more], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (bytes: Buffer) => {
    said = `${said}${bytes}`.slice(-2000)
  })
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`${program} does not start (apt-get install ${program}): ${error.message}`)
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${program} ended: ${said}`)
  })
  for (const end of [failed, ended]) end.catch(() => undefined)
  await Promise.race([failed, ended, heard(() => said.includes('Ready to accept connections'))])
  return {
    url: `${tls === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`,
    port,
    process: child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

function tlsPort(port: number, tls: NonNullable<RedisOptions['tls']>): readonly string[] {
  const { certificate, key, authority } = tls
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', authority]
  return ['--port', '0', '--tls-port', String(port), ...files, '--tls-auth-clients', 'no']
}

/** A connection for what a test looks up itself. */
export function connectRedis(url: string, tls?: { readonly ca: Buffer }): Redis & AsyncDisposable {
  const redis = new Redis(url, tls === undefined ? {} : { tls })
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
