/**
 * The program of a service in a separate process, for measuring and killing it. Its options come as the first
 * argument; it reports its address to its parent, and stops when the parent lets go of it. Whenever it is sent a message, it
 * answers with the longest turn of its event loop since the one before.
 */

import { startService } from '#service/service'
import type { RunningService, ServiceOptions } from '#service/settings'
import { trimMemory } from '#service/worker-process'
import { scriptedCatalogue } from '../service/scripted-catalogue.ts'

const outsideText = 'what no request may read'

const options = JSON.parse(process.argv[2] ?? '{}') as ServiceOptions
const service: RunningService = await startService({
  profile: 'linux',
  catalogue: scriptedCatalogue({
    echo: {
      // A client that gets the service to read one of these sees it.
      byFile: { 'outside.wav': { text: outsideText }, 'link.wav': { text: outsideText } },
      otherwise: { text: 'Hello world.' },
    },
  }),
  ...options,
})
trimMemory()
// By the processor time of the thread: on a busy machine the clock counts what other programs do.
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
let [heldMs, seenMs] = [0, threadMs()]
setInterval(() => {
  const nowMs = threadMs()
  heldMs = Math.max(heldMs, nowMs - seenMs)
  seenMs = nowMs
}, 1)
process.on('message', () => {
  process.send?.(heldMs)
  heldMs = 0
})
process.once('disconnect', async () => {
  await service.stop()
  process.exit(0)
})
process.send?.({ port: service.port, token: service.token })
