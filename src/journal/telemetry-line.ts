import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { segment } from './attempt-line.ts'

const reading = z.number().nullable()
const missing = 'null where the host does not report it'
const younger = `${missing}, absent in older runs`

/** Parser of one line of `telemetry.jsonl`. Absent is null, never 0. */
export const telemetryLine = z
  .object({
    atMs: z.number().describe("Milliseconds since the run's clock started."),
    segment,
    serverCpuSeconds: reading.describe(
      'Processor seconds of the server and its children; null where its process is not visible.',
    ),
    serverResidentBytes: reading.describe('Their resident memory in bytes; null likewise.'),
    ownCpuSeconds: reading
      .default(null)
      .describe('Processor seconds of transcribench itself; null in older runs.'),
    ownLoopDelayMs: reading
      .optional()
      .describe('Max event-loop stall since the last sample in milliseconds; absent in older runs.'),
    wallAtMs: reading
      .optional()
      .describe(
        'Wall clock in milliseconds since 1970: compared with `atMs` it shows steps; absent in older runs.',
      ),
    hostCpuSeconds: reading
      .default(null)
      .describe(`Seconds that the processors of the host were busy since it started; ${missing}.`),
    hostLoad1: reading.describe(`Load average of the last minute; ${missing}.`),
    serverPeakResidentBytes: reading
      .optional()
      .describe(`Sum of the peak resident memory of the server's processes in bytes; ${younger}.`),
    serverThreadCount: reading.optional().describe(`Threads of the server's processes; ${younger}.`),
    serverProcessCount: reading.optional().describe(`The server's process and its children; ${younger}.`),
    hostCpuStalledSeconds: reading
      .optional()
      .describe(`Seconds since the host started in which a task waited for a processor; ${younger}.`),
    hostMemoryStalledSeconds: reading.optional().describe(`The same for memory; ${younger}.`),
    hostIoStalledSeconds: reading.optional().describe(`The same for a disk; ${younger}.`),
    hostSwappedPages: reading
      .optional()
      .describe(`Pages written to or read from swap since the host started; ${younger}.`),
    gpuBusyRate: reading.optional().describe(`Busy time of all graphics processors, 0..1; ${younger}.`),
    gpuMemoryBytes: reading
      .optional()
      .describe(`Memory in use on all graphics processors in bytes; ${younger}.`),
  })
  .meta({
    id: 'TelemetryLine',
    description: 'What the host and the server process use, four times a second.',
  })
export type TelemetryLine = DeepReadonly<z.infer<typeof telemetryLine>>
