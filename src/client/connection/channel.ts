import type { RequestFailure } from '#contract'
import type { Clock } from '#load'
import type { Outcome } from '#prelude'
import type { Locator, ServiceLocation } from '../discovery/location.ts'
import { type Exchange, exchange, type HttpCall } from './exchange.ts'
import type { Reply } from './reply-receiver.ts'
import { TimedPool, type TimedPoolOptions } from './timed-pool.ts'

export type ChannelOptions = TimedPoolOptions

/** Where the service is, with the sockets that lead there. Changes as a whole when the service moves. */
interface Place {
  readonly location: ServiceLocation
  readonly pool: TimedPool
}

/** What came of a call, and the token that went with it, which must not be kept with the answer. */
export interface Sent {
  readonly exchange: Exchange
  readonly token: string
}

/**
 * Kept-alive HTTP/1.1 connections to one service, which follow it when it comes back on another port or with
 * another token. Its location is private: no inspection and no `JSON.stringify` shows the token.
 */
export class Channel implements AsyncDisposable {
  readonly #locate: Locator
  readonly #options: ChannelOptions
  readonly #pools = new Set<TimedPool>()
  #place: Place
  #lookingAgain: Promise<Place> | null = null

  constructor(locate: Locator, location: ServiceLocation, options: ChannelOptions) {
    this.#locate = locate
    this.#options = options
    this.#place = { location, pool: this.#openPool(location.origin) }
  }

  get baseUrl(): string {
    return this.#place.location.origin
  }

  get clock(): Clock {
    return this.#options.clock
  }

  /**
   * Sends what `prepare` makes. After a 401 or a refused connection the location is read again, and only
   * where it has changed the call is prepared and sent once more.
   */
  async send(prepare: () => HttpCall | Promise<HttpCall>): Promise<Sent> {
    const place = this.#place
    const prepared = prepare()
    const first = await this.#sendTo(place, prepared instanceof Promise ? await prepared : prepared)
    if (!suggestsMove(first.exchange.reply)) return first
    const present = await this.#lookAgain(place)
    return present === place ? first : this.#sendTo(present, await prepare())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools].map((pool) => pool[Symbol.asyncDispose]()))
  }

  async #sendTo({ pool, location }: Place, call: HttpCall): Promise<Sent> {
    return { exchange: await exchange(pool, location, call, this.#options.clock), token: location.token }
  }

  /** Several requests fail together when a service moves; the first of them reads the location for all. */
  #lookAgain(left: Place): Promise<Place> {
    if (this.#place !== left) return Promise.resolve(this.#place)
    this.#lookingAgain ??= this.#follow(left).finally(() => {
      this.#lookingAgain = null
    })
    return this.#lookingAgain
  }

  async #follow(left: Place): Promise<Place> {
    // A discovery file that is gone means that the service stopped: the first failure says so already.
    const location = await this.#locate().catch(() => left.location)
    const { origin, hostHeader, token } = location
    const isSameOrigin = origin === left.location.origin
    if (isSameOrigin && hostHeader === left.location.hostHeader && token === left.location.token) return left
    this.#place = { location, pool: isSameOrigin ? left.pool : this.#openPool(origin) }
    return this.#place
  }

  #openPool(origin: string): TimedPool {
    const pool = new TimedPool(origin, this.#options)
    this.#pools.add(pool)
    return pool
  }
}

function suggestsMove(reply: Outcome<Reply, RequestFailure>): boolean {
  if (reply.ok) return reply.value.status === 401
  return reply.failure.kind === 'unreachable' && reply.failure.cause === 'ECONNREFUSED'
}
