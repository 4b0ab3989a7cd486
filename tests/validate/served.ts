/**
 * The program of a service in a separate process, for measuring and killing it. Its options come as the first
 * argument; it reports its address to its parent, and stops when the parent lets go of it.
 */

import { scriptedCatalogue } from '#service/engines/scripted'
import { trimMemory } from '#service/garbage-collector'
import { startService } from '#service/service'
import type { RunningService, ServiceOptions } from '#service/settings'

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
process.once('disconnect', async () => {
  await service.stop()
  process.exit(0)
})
process.send?.({ port: service.port, token: service.token })
