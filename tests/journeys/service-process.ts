import { type ScriptedModel, scriptedCatalogue, startService } from '#service'

/** What the parent asks for: a service with scripted models, in a process that can be killed. */
export interface ScriptedOrder {
  readonly dataDir: string
  readonly models: Readonly<Record<string, ScriptedModel>>
}

process.once('message', async ({ dataDir, models }: ScriptedOrder) => {
  const service = await startService({ dataDir, catalogue: scriptedCatalogue(models), concurrency: 8 })
  process.send?.(service.discoveryPath)
  process.once('disconnect', () => process.exit(0))
})
