import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { BenchRow } from './bench-row.ts'
import { shareOf, startNullService } from './null-service.ts'

const rounds = 7
const goal = 0.95

/**
 * Processor time per request of our schedule and client against a bare loop of `Pool.request`, on a server that does nothing. Requests
 * per second depend on who else has the processors; how often a processor could send such a request does not. Each is measured in a separate
 * process, as it is used: in one process, what the first makes of the library's compiled code slows the other. They take turns, so that
 * whatever else the machine does meets both.
 */
export async function benchThroughput(): Promise<BenchRow[]> {
  await using service = await startNullService()
  const costs: Record<Way, number[]> = { bare: [], ours: [] }
  for (let round = 0; round < rounds; round += 1) {
    const order: readonly Way[] = round % 2 === 0 ? ['bare', 'ours'] : ['ours', 'bare']
    for (const way of order) costs[way].push(await measureCost(way, service.discoveryPath))
  }
  const [oursMicroseconds, bareMicroseconds] = [shareOf(costs.ours, 0.5), shareOf(costs.bare, 0.5)]
  const ratios = costs.bare.map((cost, round) => cost / (costs.ours[round] ?? Number.NaN))
  const ratio = shareOf(ratios, 0.5)
  return [
    {
      name: 'dispatcher and client, 8 in flight, null server',
      value: `${oursMicroseconds.toFixed(1)} µs of processor time a request`,
      baseline: `${bareMicroseconds.toFixed(1)} µs, bare undici`,
      ratio,
      goal: `at least ${goal} of its requests per processor second`,
      met: ratio >= goal,
    },
  ]
}

type Way = 'bare' | 'ours'

/** Microseconds of processor time per request. */
async function measureCost(way: Way, discoveryPath: string): Promise<number> {
  const program = fileURLToPath(import.meta.resolve('./client-throughput-sender.ts'))
  const { stdout } = await promisify(execFile)(process.execPath, [program, way, discoveryPath])
  return Number(stdout)
}
