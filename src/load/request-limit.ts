import { loadErrors } from './errors.ts'

/** Far more than one run answers in a week; a plan of all of them still fits in memory. */
const mostRequests = 10_000_000

/** @throws BenchError LOAD_TOO_LARGE for a number of requests that no run comes to the end of */
export function refuseTooMany(requestCount: number): void {
  if (requestCount <= mostRequests) return
  const asked = requestCount < 1e15 ? requestCount.toLocaleString('en-US') : requestCount.toExponential(1)
  throw loadErrors.make('LOAD_TOO_LARGE', {
    message: `this load has ${asked} requests, and a run takes at most ${mostRequests.toLocaleString('en-US')}`,
    hint: 'lower the rate, the duration or the number of rounds',
  })
}
