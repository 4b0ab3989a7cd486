import type { BenchRow } from './bench-row.ts'
import { benchLag, benchLagBesideUploads } from './load-lag.ts'
import { benchPause } from './load-pause.ts'

/** What the instrument itself does to a measurement under load, on the real clock. */
export async function benchLoad(): Promise<BenchRow[]> {
  return [...(await benchLag()), ...(await benchLagBesideUploads()), ...(await benchPause())]
}
