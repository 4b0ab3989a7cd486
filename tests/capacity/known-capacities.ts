/**
 * The highest rate, in requests per second, at which each simulated server answers 95 % of its requests within
 * 0.5 s + 0.1 s for each second of audio, the two small ones within 0.4 s + 0.1 s. From `trueCapacity` with 1,500,000 requests and the seeds 1 to 4, averaged;
 * the four differ by 0.2 to 0.3 %.
 */
export const knownCapacities: Readonly<Record<string, number>> = {
  deterministic: 8.112,
  lognormal: 13.678,
  'serialised by a lock': 9.471,
  thrashing: 10.008,
  'failing 1 %': 5.778,
  batching: 12.435,
  'one at a time': 2.573,
  'two at once': 5.994,
}
