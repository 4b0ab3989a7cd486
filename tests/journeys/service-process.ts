import { startService } from '#service/service'
import type { RunningService } from '#service/settings'
import { type ScriptedModel, scriptedCatalogue } from '../service/scripted-catalogue.ts'

/** What the parent asks for: a service with scripted models, in a process that can be killed. */
export interface ScriptedOrder {
  readonly dataDir: string
  readonly models: Readonly<Record<string, ScriptedModel>>
  /** Whether it keeps a history of what it transcribed. */
  readonly record: boolean
  /** Whether that history has the sound too. */
  readonly recordAudio?: boolean | undefined
  /** Requests that may wait; as many as the service sees fit unless told. */
  readonly maxQueue?: number | undefined
  /** Its environment; default: that of the tests. */
  readonly env?: Readonly<Record<string, string>> | undefined
}

let service: RunningService | null = null

/** Starts what is ordered, and answers where it is; or ends it, for the next order. */
process.on('message', async (order: ScriptedOrder | 'stop') => {
  if (order === 'stop') await service?.stop()
  else {
    const { dataDir, models, ...options } = order
    service = await startService({
      dataDir,
      catalogue: scriptedCatalogue(models),
      concurrency: 8,
      ...options,
    })
  }
  process.send?.(order === 'stop' ? order : service?.discoveryPath)
})
process.once('disconnect', () => process.exit(0))
