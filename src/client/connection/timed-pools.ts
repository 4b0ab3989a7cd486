import { TimedPool, type TimedPoolOptions } from './timed-pool.ts'

/** Connections to several origins: a pool for each, opened when it is first asked for. */
export class TimedPools implements AsyncDisposable {
  readonly #options: TimedPoolOptions
  readonly #pools = new Map<string, TimedPool>()

  constructor(options: TimedPoolOptions) {
    this.#options = options
  }

  to(origin: string): TimedPool {
    const pool = this.#pools.get(origin) ?? new TimedPool(origin, this.#options)
    this.#pools.set(origin, pool)
    return pool
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool[Symbol.asyncDispose]()))
  }
}
