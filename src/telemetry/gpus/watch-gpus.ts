import which from 'which'
import { type LineProgram, startLineProgram } from '../line-program.ts'
import { amdTools } from './amd.ts'
import type { GpuDevice, GpuTool } from './gpu-device.ts'
import { nvidiaTools } from './nvidia.ts'

/** Watches until it is disposed. */
export interface GpuWatch extends Disposable {
  /** The last reading of each device; empty where there is none. */
  latest(): readonly GpuDevice[]
  /** Readings since this was called last. */
  take(): readonly GpuDevice[]
  /** The program that reads; null where none runs. */
  pid(): number | null
  /** Why there is no reading; null where there is one, and while the first is awaited. */
  reason(): string | null
}

/**
 * Keeps the first of these programs running that prints a reading: of NVIDIA's, then AMD's. A machine with devices of both
 * makers shows those of the first.
 */
export function watchGpus(
  env: Readonly<Record<string, string | undefined>>,
  tools: readonly GpuTool[] = [...nvidiaTools, ...amdTools],
): GpuWatch {
  const readings = new Map<string, GpuDevice>()
  const fresh = new Map<string, GpuDevice>()
  const reasons = new Map<string, string>()
  let isOver = false
  let program: LineProgram | null = null
  const start = ([tool, ...others]: readonly GpuTool[]): void => {
    if (tool === undefined) {
      isOver = true
      program = null
      return
    }
    // Looked for first: the attempt to start a program copies this process, which holds up its event loop.
    if (which.sync(tool.command, { path: env['PATH'] ?? '', nothrow: true }) === null) {
      reasons.set(tool.command, `${tool.command} is not installed`)
      start(others)
      return
    }
    const read = tool.reader()
    let firstWords = ''
    let hasRead = false
    program = startLineProgram({
      command: tool.command,
      args: tool.args,
      env: { ...env, ...tool.env },
      onLine(line) {
        const device = read(line)
        if (device === null) {
          firstWords ||= line.trim().slice(0, 200)
          return
        }
        hasRead = true
        readings.set(device.id, device)
        fresh.set(device.id, device)
      },
      onEnd(reason) {
        readings.clear()
        // What nvidia-smi has to say, it says on stdout.
        reasons.set(tool.command, hasRead || firstWords === '' ? reason : `${tool.command}: ${firstWords}`)
        start(hasRead ? [] : others)
      },
    })
  }
  start(tools)
  return {
    latest: () => [...readings.values()],
    take() {
      const taken = [...fresh.values()]
      fresh.clear()
      return taken
    },
    pid: () => program?.pid ?? null,
    reason: () => (isOver ? [...reasons.values()].join('; ') : null),
    [Symbol.dispose]() {
      program?.[Symbol.dispose]()
    },
  }
}
