/**
 * A server whose models take known amounts of processor time, twice: as a service, whose process transcribench can watch, and
 * behind `/v1/audio/transcriptions`, which it cannot. It sends its parent both targets, and stops when the parent lets go
 * of it.
 */

import { startService } from '#service/service'
import { startOpenAiDouble } from '../client/openai-server.ts'
import { scriptedCatalogue } from '../service/scripted-catalogue.ts'
import { work } from './work.ts'

/** Units of work for every second of audio. `twin` is the same as `light`. */
const unitsPerSecond = { light: 10, twin: 10, heavy: 22 }
const text = 'the cat sat'

/** Files of the tone corpus are named after their length: `tone-12.wav` is 1.2 s. */
function secondsOf(fileName: string): number {
  return Number(/\d+/.exec(fileName)?.[0]) / 10
}

const [, , dataDir = ''] = process.argv
const service = await startService({
  dataDir,
  concurrency: 1,
  catalogue: scriptedCatalogue(
    Object.fromEntries(
      Object.entries(unitsPerSecond).map(([model, units]) => [
        model,
        {
          otherwise: ({ durationSeconds }: { readonly durationSeconds: number }) => {
            work(units * durationSeconds)
            return { text }
          },
        },
      ]),
    ),
  ),
})
const unwatched = await startOpenAiDouble({
  models: Object.keys(unitsPerSecond),
  textOf(fileName, model) {
    work((unitsPerSecond[model as keyof typeof unitsPerSecond] ?? 0) * secondsOf(fileName))
    return text
  },
})
process.send?.({ watched: service.discoveryPath, unwatched: unwatched.target })
process.once('disconnect', () => process.exit(0))
