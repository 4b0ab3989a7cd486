import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type ProcessUsage, readProcess } from '#telemetry/processes'
import { guard } from './http/server.ts'
import type { ServiceEvent } from './service-event.ts'

/** How busy a model is at this moment. */
export interface ModelOccupancy {
  readonly engine: string
  readonly model: string
  /** Recordings being transcribed. */
  readonly busyCount: number
  /** Recordings that could be at the same time. */
  readonly slotCount: number
  /** Recordings that wait. */
  readonly waitingCount: number
  readonly isLoaded: boolean
}

/** Counts what happens, and shows it in Prometheus' text format. */
export interface Metrics {
  observe(event: ServiceEvent): void
  /** Serves `GET /metrics` on 127.0.0.1. */
  serve(port: number, occupancy: () => readonly ModelOccupancy[]): Promise<MetricsServer>
}

export interface MetricsServer {
  readonly address: string
  stop(): Promise<void>
}

/** From a warm short dictation to the default time-out. */
const latencyBucketsSeconds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600]

/** @see https://prometheus.io/docs/practices/naming/ for the names: base units, `_total` for counters */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const answers = new Histogram({
    name: 'transcribench_request_duration_seconds',
    help: 'From the head of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: latencyBucketsSeconds,
    registers,
  })
  const failures = new Counter({
    name: 'transcribench_request_failures_total',
    help: 'Requests that were refused or failed, by the code of the API; "none" for a bare HTTP status.',
    labelNames: ['route', 'code'],
    registers,
  })
  const undelivered = new Counter({
    name: 'transcribench_answers_undelivered_total',
    help: 'Answers whose client had gone.',
    registers,
  })
  const audio = new Counter({
    name: 'transcribench_transcribed_audio_seconds_total',
    help: 'Length of the audio that was transcribed.',
    labelNames: ['engine', 'model'],
    registers,
  })
  const decoding = new Counter({
    name: 'transcribench_transcription_seconds_total',
    help: 'Time that engines worked on it.',
    labelNames: ['engine', 'model'],
    registers,
  })

  return {
    observe(event) {
      if (event.kind === 'answered') {
        const route = event.route ?? 'unknown'
        const isFailure = event.code !== null || event.httpStatus >= 400
        const status = String(event.httpStatus)
        answers.observe({ method: event.method, route, status }, event.durationMs / 1000)
        if (isFailure) failures.inc({ route, code: event.code ?? 'none' })
        if (!event.isDelivered) undelivered.inc()
      } else if (event.kind === 'unparsed') {
        failures.inc({ route: 'unknown', code: 'none' })
      } else if (event.kind === 'transcribed') {
        const labels = { engine: event.engine, model: event.model }
        audio.inc(labels, event.audioSeconds)
        decoding.inc(labels, event.decodeMs / 1000)
      }
    },

    async serve(port, occupancy) {
      addOccupancy(registry, occupancy)
      addProcesses(registry)
      // Of the service's own process: memory, processor time, and how long the event loop was held.
      collectDefaultMetrics({ register: registry })
      return listen(registry, port)
    },
  }
}

function addOccupancy(registry: Registry, occupancy: () => readonly ModelOccupancy[]): void {
  const gauges: readonly (readonly [string, string, (model: ModelOccupancy) => number])[] = [
    ['transcribench_busy_slots', 'Recordings being transcribed.', ({ busyCount }) => busyCount],
    [
      'transcribench_slots',
      'Recordings that can be transcribed at the same time.',
      ({ slotCount }) => slotCount,
    ],
    ['transcribench_queue_length', 'Recordings that wait for a slot.', ({ waitingCount }) => waitingCount],
    ['transcribench_model_loaded', 'Whether the model is in memory.', ({ isLoaded }) => Number(isLoaded)],
  ]
  for (const [name, help, read] of gauges) {
    new Gauge({
      name,
      help,
      labelNames: ['engine', 'model'],
      registers: [registry],
      collect() {
        this.reset()
        for (const model of occupancy()) {
          this.set({ engine: model.engine, model: model.model }, read(model))
        }
      },
    })
  }
}

/** Of the service together with the processes of its models and decoders. Only Linux says it. */
function addProcesses(registry: Registry): void {
  if (readProcess(process.pid) === null) return
  const registers = [registry]
  const read = (of: (usage: ProcessUsage) => number): number => {
    const usage = readProcess(process.pid)
    return usage === null ? 0 : of(usage)
  }
  new Gauge({
    name: 'transcribench_processes',
    help: 'The service and its child processes.',
    registers,
    collect() {
      this.set(read(({ processCount }) => processCount))
    },
  })
  new Gauge({
    name: 'transcribench_resident_memory_bytes',
    help: 'Memory in RAM of the service and its child processes; pages that they share count once for each.',
    registers,
    collect() {
      this.set(read(({ residentBytes }) => residentBytes))
    },
  })
  new Counter({
    name: 'transcribench_cpu_seconds_total',
    help: 'Processor time of the service and its child processes, ended ones included.',
    registers,
    collect() {
      this.reset()
      this.inc(read(({ cpuSeconds }) => cpuSeconds))
    },
  })
}

async function listen(registry: Registry, port: number): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (guard(request, null) !== null) response.writeHead(403).end()
    else if (request.method !== 'GET' || request.url !== '/metrics') response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      registry.clear()
    },
  }
}
