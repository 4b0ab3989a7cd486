import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { readProcess } from '#telemetry/processes'
import { guard } from './http/server.ts'
import type { ServiceEvent } from './service-event.ts'

/** The current load of a model. */
export interface ModelOccupancy {
  readonly engine: string
  readonly model: string
  /** Recordings being transcribed. */
  readonly busyCount: number
  /** Maximum number of concurrent transcriptions. */
  readonly slotCount: number
  /** Recordings in the queue. */
  readonly waitingCount: number
  readonly isLoaded: boolean
}

/** Range from a short dictation on a loaded model to the default time-out. */
const latencyBucketsSeconds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600]

/**
 * Counts service events, and exports the counts in Prometheus' text format.
 *
 * @see https://prometheus.io/docs/practices/naming/ for the names: base units, `_total` for counters
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const answers = new Histogram({
    name: 'transcribench_request_duration_seconds',
    help: 'From the head of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: latencyBucketsSeconds,
    registers,
  })
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const failures = counter(
    'transcribench_request_failures_total',
    'Requests that were refused or failed, by the code of the API; "none" for a bare HTTP status.',
    ['route', 'code'],
  )
  const undelivered = counter('transcribench_answers_undelivered_total', 'Answers whose client had gone.')
  const ofModel = ['engine', 'model']
  const audio = counter(
    'transcribench_transcribed_audio_seconds_total',
    'Length of the audio that was transcribed.',
    ofModel,
  )
  const decoding = counter(
    'transcribench_transcription_seconds_total',
    'Time that engines worked on it.',
    ofModel,
  )

  return {
    observe(event: ServiceEvent) {
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

    /** Serves `GET /metrics` on 127.0.0.1. */
    async serve(port: number, occupancy: () => readonly ModelOccupancy[]) {
      addOccupancy(registry, occupancy)
      addProcesses(registry)
      // Default metrics of the service's own process: memory, processor time, event-loop delay.
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

/** Metrics of the service together with its child processes, which only Linux reports. */
function addProcesses(registry: Registry): void {
  if (readProcess(process.pid) === null) return
  const registers = [registry]
  const gauges = [
    ['transcribench_processes', 'The service and its child processes.', 'processCount'],
    [
      'transcribench_resident_memory_bytes',
      'Memory in RAM of the service and its child processes; pages that they share count once for each.',
      'residentBytes',
    ],
  ] as const
  for (const [name, help, field] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(readProcess(process.pid)?.[field] ?? 0)
      },
    })
  }
  new Counter({
    name: 'transcribench_cpu_seconds_total',
    help: 'Processor time of the service and its child processes, ended ones included.',
    registers,
    collect() {
      this.reset()
      this.inc(readProcess(process.pid)?.cpuSeconds ?? 0)
    },
  })
}

async function listen(registry: Registry, port: number) {
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
