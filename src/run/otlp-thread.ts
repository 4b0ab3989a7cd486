/**
 * Entry point of the thread that exports live metrics: it loads OpenTelemetry, collects metrics and sends requests to
 * the collector, away from the event loop that measures.
 */
import { once } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { DiagLogLevel, diag, type Meter } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { LiveBatch, LiveMessage, LiveProblem } from './live-metrics.ts'

const exportIntervalMillis = 2000

/** Bucket bounds in seconds, from a warm short dictation to the default timeout. */
const latencyBounds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600]
const lagBounds = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5]

/** @returns a function that records a batch */
function instruments(meter: Meter, errorMetric: string): (batch: LiveBatch) => void {
  const requests = meter.createCounter('transcribench.requests', {
    unit: '{request}',
    description: 'Measured requests that ended, by contender and outcome.',
  })
  const failures = meter.createCounter('transcribench.request.failures', {
    unit: '{request}',
    description: 'Measured requests that failed, by contender and code.',
  })
  const latency = meter.createHistogram('transcribench.request.latency', {
    unit: 's',
    description: 'Latency of answered requests, as the report counts it.',
    advice: { explicitBucketBoundaries: latencyBounds },
  })
  const sendLag = meter.createHistogram('transcribench.send.lag', {
    unit: 's',
    description: 'How late requests left.',
    advice: { explicitBucketBoundaries: lagBounds },
  })
  const inFlight = meter.createGauge('transcribench.requests.in_flight', {
    unit: '{request}',
    description: 'Requests without an answer yet.',
  })
  const errorRate = meter.createGauge('transcribench.error_rate', {
    unit: '1',
    description: 'Error rate of the answers so far, by contender; only under a closed load.',
  })
  const memory = meter.createGauge('transcribench.server.memory', {
    unit: 'By',
    description: 'Resident memory of the server and its children.',
  })
  let cpuSeconds: number | null = null
  meter
    .createObservableCounter('transcribench.server.cpu.time', {
      unit: 's',
      description: 'Processor time of the server and its children since it started.',
    })
    .addCallback((result) => {
      if (cpuSeconds !== null) result.observe(cpuSeconds)
    })
  return (batch) => {
    for (const { contenderId: contender, latencySeconds, sendLagSeconds, failure } of batch.attempts) {
      requests.add(1, { contender, outcome: failure === null ? 'answered' : 'failed' })
      if (failure === null) latency.record(latencySeconds, { contender })
      else failures.add(1, { contender, code: failure })
      sendLag.record(sendLagSeconds, { contender })
    }
    inFlight.record(batch.inFlight)
    for (const { contenderId: contender, rate } of batch.errorRates) {
      errorRate.record(rate, { contender, metric: errorMetric })
    }
    if (batch.serverResidentBytes !== null) memory.record(batch.serverResidentBytes)
    cpuSeconds = batch.serverCpuSeconds ?? cpuSeconds
  }
}

async function main(port: MessagePort): Promise<void> {
  const silent = (): void => undefined
  const error = (problem: string): void => port.postMessage({ problem } satisfies LiveProblem)
  diag.setLogger(
    { error, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR },
  )
  const [begin]: [LiveMessage] = (await once(port, 'message')) as [LiveMessage]
  if (begin.kind !== 'begin') return
  const exporter = new OTLPMetricExporter({ url: begin.url })
  const provider = new MeterProvider({
    resource: resourceFromAttributes(begin.attributes),
    readers: [
      new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis: 2000 }),
    ],
  })
  const record = instruments(provider.getMeter('transcribench'), begin.errorMetric)
  port.on('message', (message: LiveMessage) => {
    if (message.kind === 'batch') record(message)
    // The shutdown exports the last figures.
    if (message.kind === 'end')
      void provider
        .shutdown()
        .catch(silent)
        .finally(() => port.close())
  })
}

if (parentPort !== null) await main(parentPort)
