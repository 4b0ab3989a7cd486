import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { segment } from './attempt-line.ts'

const reading = z.number().nullable()
const missing = 'null where the host does not report it'

const serverReadings = {
  serverCpuSeconds: reading.describe(
    'Processor seconds of the server and its children; null where its process is not visible.',
  ),
  serverResidentBytes: reading.describe(
    'Resident memory of the server and its children in bytes; null where its process is not visible.',
  ),
  serverPeakResidentBytes: reading.describe(
    `Sum of the peak resident memory of the server's processes in bytes; ${missing}.`,
  ),
  serverThreadCount: reading.describe(`Threads of the server's processes; ${missing}.`),
  serverProcessCount: reading.describe(`The server's process and its children; ${missing}.`),
}

const serverTelemetry = z
  .object(serverReadings)
  .meta({ id: 'ServerTelemetry', description: 'What one server of several uses.' })
export type ServerTelemetry = DeepReadonly<z.infer<typeof serverTelemetry>>

const notReported = 'null where its tool does not report it'

const gpuDevice = z
  .object({
    id: z.string().describe('Maker and number, as its tool counts: `nvidia 0`.'),
    name: z.string().nullable().describe('Model; null where the tool does not report it.'),
    busyRate: reading.describe(`Share of the time in which it computed anything, 0..1; ${notReported}.`),
    memoryBytes: reading.describe(`Memory in use in bytes; ${notReported}.`),
    powerWatts: reading.describe(`Power in watts; ${notReported}.`),
    coreClockMHz: reading.describe(`Clock of its processors in MHz; ${notReported}.`),
    memoryClockMHz: reading.describe(`Clock of its memory in MHz; ${notReported}.`),
    throttledBy: z
      .array(z.string())
      .nullable()
      .describe(
        `Why its clock was lower than it could be: \`power limit\`, \`temperature\`; ${notReported}.`,
      ),
  })
  .meta({ id: 'GpuTelemetry', description: 'What one graphics processor does.' })

/** Reasons for readings that are absent from a line. */
const unread = z
  .object({
    server: z.string().nullable().optional().describe('Processor time and memory of the server.'),
    gpu: z.string().nullable().optional().describe('Graphics processors.'),
    rapl: z.string().nullable().optional().describe("The processor's counters of energy."),
    battery: z.string().nullable().optional().describe('Power from a battery.'),
  })
  .meta({ id: 'UnreadTelemetry', description: 'Why something was not read; null where it was.' })

/** Parser of one line of `telemetry.jsonl`. An absent reading is null, never 0. */
export const telemetryLine = z
  .object({
    atMs: z.number().describe("Milliseconds since the run's clock started."),
    segment,
    ...serverReadings,
    ownCpuSeconds: reading.describe(
      'Processor seconds of transcribench itself; null where it cannot be read.',
    ),
    samplerCpuSeconds: reading.describe(
      'Processor seconds of the programs that are kept running to sample; null where none is.',
    ),
    ownLoopDelayMs: reading.describe('Max event-loop stall since the last sample in milliseconds.'),
    wallAtMs: reading.describe('Wall clock in milliseconds since 1970: compared with `atMs` it shows steps.'),
    hostCpuSeconds: reading.describe(
      `Seconds that the processors of the host were busy since it started; ${missing}.`,
    ),
    hostLoad1: reading.describe(`Load average of the last minute; ${missing}.`),
    servers: z
      .record(z.string(), serverTelemetry)
      .optional()
      .describe(
        'In a run with several targets: each server on this machine by its target; the figures above are their sums.',
      ),
    hostCpuStalledSeconds: reading.describe(
      `Seconds since the host started in which a task waited for a processor; ${missing}.`,
    ),
    hostMemoryStalledSeconds: reading.describe(`The same for memory; ${missing}.`),
    hostIoStalledSeconds: reading.describe(`The same for a disk; ${missing}.`),
    hostSwappedPages: reading.describe(
      `Pages written to or read from swap since the host started; ${missing}.`,
    ),
    gpuBusyRate: reading.describe(`Busy time of all graphics processors, 0..1; ${missing}.`),
    gpuMemoryBytes: reading.describe(`Memory in use on all graphics processors in bytes; ${missing}.`),
    gpus: z
      .array(gpuDevice)
      .optional()
      .describe(
        'Graphics processors that were read since the last sample, which is once a second; absent without any.',
      ),
    energyJoules: z
      .record(z.string(), z.number())
      .optional()
      .describe(
        "Joules of each of the processor's counters since sampling began: `package-0`, `dram-0`, `psys`; absent where none is readable.",
      ),
    batteryWatts: z
      .number()
      .optional()
      .describe('Power of the whole machine from its battery in watts, once a second; absent on mains.'),
    unread: unread
      .optional()
      .describe('Why something is absent, in the first sample and wherever that changes; else absent.'),
  })
  .meta({
    id: 'TelemetryLine',
    description:
      'What the host and the server process use, four times a second; once a second on macOS and Windows.',
  })
export type TelemetryLine = DeepReadonly<z.infer<typeof telemetryLine>>
