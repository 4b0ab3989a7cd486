/**
 * How long a queue remembers: the relaxation time of a queue with Poisson arrivals and exponential service,
 * τ = S / (c (1 - √ρ)²) = 1 / (X (1 - √ρ)²) with X = c / S, the most that the server can do.
 *
 *   ρ     0.5   0.8   0.9    0.95
 *   τ·X    12    90   380   1,560
 *
 * Service that varies less relaxes sooner, so this errs on the long side.
 *
 * @param mostPerSecond requests per second that the server completes when it always has work
 * @returns seconds; infinite where more is offered than can be served
 * @see Cohen 1982, The Single Server Queue, II.2
 */
export function relaxationSeconds(perSecond: number, mostPerSecond: number): number {
  const utilisation = perSecond / mostPerSecond
  if (!(utilisation < 1)) return Number.POSITIVE_INFINITY
  return 1 / (mostPerSecond * (1 - Math.sqrt(utilisation)) ** 2)
}

/**
 * The same for service whose variation is known, and not a bound but what was seen in many queues:
 * τ = (Ca² + Cs²) / (2.8 X (1 - √ρ)²). Half of the bound where the service times vary as the lengths of dictations do.
 *
 * @param serviceVariation squared coefficient of variation of the service times
 * @returns seconds; infinite where more is offered than can be served
 * @see Odoni and Roth 1983, doi:10.1287/opre.31.3.432
 */
export function usualRelaxationSeconds(
  perSecond: number,
  mostPerSecond: number,
  serviceVariation: number,
): number {
  return ((1 + serviceVariation) / 2.8) * relaxationSeconds(perSecond, mostPerSecond)
}

/**
 * The probability that all servers are busy when a request arrives, for Poisson arrivals and exponential service.
 *
 * @param servers a whole number from 1
 * @param offered mean number of busy servers, λ·S, under `servers`
 * @see Erlang 1917; B by the recursion B_k = a B / (k + a B), then C = B / (1 - ρ + ρ B)
 */
export function erlangC(servers: number, offered: number): number {
  let blocked = 1
  for (let k = 1; k <= servers; k += 1) blocked = (offered * blocked) / (k + offered * blocked)
  const utilisation = offered / servers
  return blocked / (1 - utilisation + utilisation * blocked)
}

/** What the formulas of a queue need to know of a server. */
export interface QueueShape {
  readonly perSecond: number
  readonly serviceSeconds: number
  readonly servers: number
  /** Squared coefficient of variation of the intervals: 1 for Poisson arrivals. */
  readonly arrivalVariation: number
  /** The same of the service times. */
  readonly serviceVariation: number
}

/**
 * Mean time in the queue, without the service: Allen and Cunneen's W = C·S / (c (1 - ρ)) · (Ca² + Cs²) / 2.
 *
 * @returns seconds; infinite where more is offered than can be served
 * @see Allen 1990, Probability, Statistics, and Queueing Theory, 5.3
 */
export function meanWaitSeconds(queue: QueueShape): number {
  const { perSecond, serviceSeconds, servers, arrivalVariation, serviceVariation } = queue
  const offered = perSecond * serviceSeconds
  const utilisation = offered / servers
  if (!(utilisation < 1)) return Number.POSITIVE_INFINITY
  const exponential = (erlangC(servers, offered) * serviceSeconds) / (servers * (1 - utilisation))
  return (exponential * (arrivalVariation + serviceVariation)) / 2
}

/** Requests in the system on average (Little's law): those that wait and those that are served. */
export function meanInSystem(queue: QueueShape): number {
  return queue.perSecond * (meanWaitSeconds(queue) + queue.serviceSeconds)
}
