import { type ScriptedModel, scriptedCatalogue } from '#service/engines/scripted'
import { startService } from '#service/service'

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
}

process.once('message', async ({ dataDir, models, ...options }: ScriptedOrder) => {
  const catalogue = scriptedCatalogue(models)
  const service = await startService({ dataDir, catalogue, concurrency: 8, ...options })
  process.send?.(service.discoveryPath)
  process.once('disconnect', () => process.exit(0))
})
