/**
 * Entry point of the process of the built-in service. Its parent sends one message with the options and keeps the
 * channel open. When the channel closes, for whatever reason, the service stops and removes its private folder.
 */
import { rm } from 'node:fs/promises'
import { BenchError } from '#prelude'
import { startService } from '#service/service'
import { trimMemory } from '#service/worker-process'
import type { ServiceAnswer, ServiceOrder } from './open-target.ts'

// Signals of the terminal reach all its processes; the parent decides what happens to requests in flight.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

process.once('message', async (order: ServiceOrder) => {
  // The handler is registered before anything is awaited, because the parent may die at any time.
  const starting = startService(order.options)
  process.once('disconnect', async () => {
    const service = await starting.catch(() => null)
    await service?.stop()
    await rm(order.privateFolder, { recursive: true, force: true })
    process.exit(0)
  })
  try {
    const service = await starting
    trimMemory()
    answer({ ok: true, discoveryPath: service.discoveryPath })
  } catch (error) {
    if (error instanceof BenchError) {
      const { code, exit, message, hint, problems } = error
      answer({ ok: false, mistake: { code, exit, message, hint, problems } })
    } else {
      const { message, stack } = error as Error
      answer({ ok: false, message, hint: stack ?? '' })
    }
    process.disconnect()
  }
})

function answer(message: ServiceAnswer): void {
  process.send?.(message)
}
