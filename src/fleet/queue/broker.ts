import { addAbortListener } from 'node:events'
import type { Processor, Queue, Worker, WorkerOptions } from 'bullmq'
import type { Redis } from 'ioredis'
import { fleetErrors } from '../errors.ts'
import type { FleetIdentity } from './seal.ts'

export interface BrokerAddress extends FleetIdentity {
  /** `redis://` or `rediss://` (TLS), with an ACL user if there is one. */
  readonly url: string
}

/** Milliseconds of silence after which an agent's block is given to another one. */
export const lockMs = 30_000

/** Milliseconds without an answer after which a command is sent again on a new connection. */
const silenceMs = 30_000

/** Hosts with connected agents, busy or not; empty if the Redis user may not list clients. */
export async function connectedHosts({ redis }: Pick<Broker, 'redis'>): Promise<ReadonlySet<string>> {
  const list = await redis.client('LIST').catch(() => '')
  const names = [...String(list).matchAll(/ name=transcribench-(?:agent|lock)-([^ :]+)/g)]
  return new Set(names.map(([, host = '']) => host))
}

/** Prefix of all keys of a fleet. */
export function keyPrefix({ fleet }: FleetIdentity): string {
  return `transcribench:${fleet}`
}

/** A connection to the Redis of a fleet, with its queues. Disposing closes them all. */
export type Broker = Awaited<ReturnType<typeof openBroker>>

/**
 * Connects to the Redis of a fleet. BullMQ and ioredis are optional packages.
 *
 * @param name of the connection in CLIENT LIST
 * @param patience until this aborts, an absent Redis is waited for; without it, its absence is an error
 * @throws BenchError FLEET_PACKAGES_MISSING, FLEET_QUEUE_UNREACHABLE
 */
export async function openBroker(address: BrokerAddress, name: string, patience?: AbortSignal) {
  const [bullmq, { Redis: Client }] = await loadPackages()
  const redis = new Client(address.url, {
    connectionName: name,
    lazyConnect: true,
    // Commands are retried without limit, so that they continue after a network failure.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(200 * times, 2000),
    socketTimeout: silenceMs,
    keepAlive: 10_000,
  })
  // Without a listener, each failed reconnection would be printed.
  redis.on('error', () => undefined)
  const resources = new AsyncDisposableStack()
  if (patience === undefined) await connect(redis, address)
  else {
    redis.connect().catch(() => undefined)
    resources.use(addAbortListener(patience, () => redis.disconnect()))
  }
  const prefix = keyPrefix(address)
  const queues = new Map<string, Queue>()
  return {
    address,
    redis,
    /** The time of Redis in milliseconds since 1970. */
    async nowMs(): Promise<number> {
      const [seconds, microseconds] = await redis.time()
      return Number(seconds) * 1000 + Number(microseconds) / 1000
    },
    queue(queueName: string): Queue {
      const known = queues.get(queueName)
      if (known !== undefined) return known
      const queue = new bullmq.Queue(queueName, { connection: redis, prefix })
      queue.on('error', () => undefined)
      queues.set(queueName, queue)
      resources.defer(() => queue.close())
      return queue
    },
    /** A worker with this processor, or with null one that only takes jobs. */
    worker(
      queueName: string,
      processor: Processor | null,
      options: Omit<WorkerOptions, 'connection'>,
    ): Worker {
      const worker = new bullmq.Worker(queueName, processor, { ...options, connection: redis, prefix })
      worker.on('error', () => undefined)
      // The worker is closed by force, because Redis may be away.
      resources.defer(() => worker.close(true))
      return worker
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await resources.disposeAsync()
      redis.disconnect()
    },
  }
}

function loadPackages(): Promise<
  [Pick<typeof import('bullmq'), 'Queue' | 'Worker'>, Pick<typeof import('ioredis'), 'Redis'>]
> {
  return Promise.all([import('bullmq'), import('ioredis')]).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw fleetErrors.make('FLEET_PACKAGES_MISSING', {
      message: 'a fleet needs the packages bullmq and ioredis, which are not installed',
      hint: 'npm install bullmq ioredis',
      cause,
    })
  })
}

/** Makes the first connection, which must succeed at once and with sufficient rights; later ones are retried. */
async function connect(redis: Redis, address: BrokerAddress): Promise<void> {
  const refused = new Promise<never>((_, reject) => redis.once('error', reject))
  try {
    await Promise.race([redis.connect().then(() => tryRights(redis, address)), refused])
  } catch (cause) {
    redis.disconnect()
    const { what, hint } = whyNot(cause as NodeJS.ErrnoException)
    throw fleetErrors.make('FLEET_QUEUE_UNREACHABLE', {
      message: `${withoutPassword(address.url)} ${what}: ${(cause as Error).message}`,
      hint,
      cause,
    })
  }
}

/** Tests the rights that all agents and coordinators need: reading the time, and writing keys in scripts. */
async function tryRights(redis: Redis, address: BrokerAddress): Promise<void> {
  await redis.time()
  const write = "return redis.call('set', KEYS[1], '', 'PX', 1000)"
  await redis.eval(write, 1, `${keyPrefix(address)}:rights`)
}

function whyNot({ code = '', message }: NodeJS.ErrnoException) {
  if (/^(WRONGPASS|NOAUTH)/.test(message)) {
    return {
      what: 'refuses the user or the password',
      hint: 'correct them: export TRANSCRIBENCH_FLEET_QUEUE=rediss://<user>:<password>@<host>:<port>',
    }
  }
  if (message.includes('NOPERM')) {
    return {
      what: 'does not let the user do what a fleet does',
      hint: 'give it the rights of docs/scale.md: redis-cli ACL SETUSER transcribench …',
    }
  }
  if (/CERT|VERIFY|SELF_SIGNED|ALTNAME/.test(code)) {
    return {
      what: 'has a certificate that this host does not trust',
      hint: 'name the certificate of its authority: export NODE_EXTRA_CA_CERTS=<authority.pem>',
    }
  }
  return { what: 'does not answer', hint: 'start Redis, or correct the address: --queue redis://host:6379' }
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'the address of the queue'
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
