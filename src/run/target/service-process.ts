/**
 * The program of the built-in service's own process. Its parent sends one message with the options and
 * keeps the channel open for as long as the service shall live: when the channel closes, for whatever
 * reason, the service stops and removes its private folder.
 */
import { rm } from 'node:fs/promises'
import { BenchError } from '#prelude'
import { trimMemory } from '#service/garbage-collector'
import { startService } from '#service/service'
import type { ServiceAnswer, ServiceOrder } from './open-target.ts'

// Signals of the terminal reach every process of it; the parent decides what happens to requests in flight.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

process.once('message', async (order: ServiceOrder) => {
  // Before anything is started, since the parent may die at any moment.
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
