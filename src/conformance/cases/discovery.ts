import { platforms } from '#contract'
import { objectOf } from '../ask.ts'
import {
  broken,
  type ConformanceCase,
  held,
  notApplicable,
  reads,
  type Verdict,
} from '../conformance-case.ts'
import type { Exchange, FoundDiscovery } from '../exchange.ts'
import { discoveryShape } from '../shapes.ts'

const ownerOnly = 0o600

/** The file by which clients find the service. */
export const discoveryCases: readonly ConformanceCase[] = [
  reads('discovery.file', platforms, (exchange) =>
    withFile(exchange, ({ content }) => {
      const { port, token } = objectOf(content) as Readonly<Record<string, unknown>>
      if (port !== exchange.port)
        return broken(`port is ${JSON.stringify(port)}; the service is on ${exchange.port}`)
      return token === exchange.token ? held : broken('token is not the one that the service takes')
    }),
  ),
  reads('discovery.fields', platforms, (exchange) =>
    withFile(exchange, ({ content }) => {
      const parsed = discoveryShape.safeParse(content)
      if (parsed.success) return held
      const [issue] = parsed.error.issues
      return broken(`${issue?.path.join('.')}: ${issue?.message}`)
    }),
  ),
  reads('discovery.private', platforms, (exchange) =>
    withFile(exchange, ({ mode }) => {
      if (mode === null) return notApplicable('this system has no permission bits')
      return mode === ownerOnly ? held : broken(`its mode is ${mode.toString(8)}`)
    }),
  ),
]

async function withFile(
  { discovery }: Exchange,
  check: (found: FoundDiscovery) => Verdict,
): Promise<Verdict> {
  return discovery === null ? notApplicable('the service was named by its address') : check(discovery)
}
