import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/** A 64-bit number is a string in the JSON of Protocol Buffers. */
const fixed64 = z.union([z.string().regex(/^\d+$/), z.int()]).transform(Number)

const attributes = z
  .array(z.strictObject({ key: z.string(), value: z.object({ stringValue: z.string() }).partial() }))
  .default([])
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value.stringValue])))

const point = z.object({
  attributes,
  startTimeUnixNano: fixed64,
  timeUnixNano: fixed64,
})
const numberPoint = point.extend({ asDouble: z.number().optional(), asInt: fixed64.optional() })
const histogramPoint = point
  .extend({
    count: fixed64,
    sum: z.number(),
    bucketCounts: z.array(fixed64),
    explicitBounds: z.array(z.number()),
  })
  .refine(({ bucketCounts, explicitBounds }) => bucketCounts.length === explicitBounds.length + 1)
  .refine(({ bucketCounts, count }) => bucketCounts.reduce((sum, one) => sum + one, 0) === count)

/** 2 is `AGGREGATION_TEMPORALITY_CUMULATIVE`. */
const cumulative = z.literal(2)
const metric = z.object({
  name: z.string(),
  unit: z.string(),
  description: z.string().min(1),
  sum: z
    .object({
      dataPoints: z.array(numberPoint),
      aggregationTemporality: cumulative,
      isMonotonic: z.boolean(),
    })
    .optional(),
  gauge: z.object({ dataPoints: z.array(numberPoint) }).optional(),
  histogram: z.object({ dataPoints: z.array(histogramPoint), aggregationTemporality: cumulative }).optional(),
})

/**
 * `ExportMetricsServiceRequest` in JSON.
 *
 * @see https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto
 */
const exportRequest = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeMetrics: z.array(z.object({ scope: z.object({ name: z.string() }), metrics: z.array(metric) })),
    }),
  ),
})

export type ReceivedMetric = z.infer<typeof metric>

export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly requestCount: number
  /** Of the last request, and those of all requests that were not of the protocol. */
  readonly headers: IncomingHttpHeaders
  readonly problems: readonly string[]
  readonly resource: Readonly<Record<string, string | undefined>>
  /** The last state of a metric; figures are sums since the start. */
  latest(name: string): ReceivedMetric | undefined
}

/** A collector of OTLP over HTTP, written from the definition of the protocol. */
export async function startCollector(status = 200): Promise<Collector> {
  const metrics = new Map<string, ReceivedMetric>()
  const problems: string[] = []
  const state = { requestCount: 0, headers: {} as IncomingHttpHeaders, resource: {} }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    state.requestCount += 1
    state.headers = request.headers
    if (request.url !== '/v1/metrics' || request.method !== 'POST')
      problems.push(`${request.method} ${request.url}`)
    const parsed = exportRequest.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    if (!parsed.success) problems.push(parsed.error.message)
    for (const { resource, scopeMetrics } of parsed.data?.resourceMetrics ?? []) {
      state.resource = resource.attributes
      for (const each of scopeMetrics.flatMap((scope) => scope.metrics)) metrics.set(each.name, each)
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    problems,
    get requestCount() {
      return state.requestCount
    },
    get headers() {
      return state.headers
    },
    get resource() {
      return state.resource
    },
    latest: (name) => metrics.get(name),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
