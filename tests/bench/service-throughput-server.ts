/**
 * A process that holds a service with Moonshine Tiny, and the same recogniser without one. Asked over IPC: `bare`
 * decodes samples one after the other and answers how long it took, `lag` how long the event loop was held at
 * most since it was last asked.
 */
import { readFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { decodeAudio, toMono } from '#audio'
import { type Clip, defaultCatalogue, engineSampleRateHz, listModels, startService } from '#service'

/** What its parent may ask. */
export type Question = 'bare' | 'lag'

const [dataDir = '', modelsDir = '', audioFolder = '', ...clipPaths] = process.argv.slice(2)
const resolutionMs = 1

async function clipOf(path: string): Promise<Clip> {
  const decoded = await decodeAudio(await readFile(path))
  if (!decoded.ok) throw new Error(decoded.failure.reason)
  return { samples: await toMono(decoded.value, engineSampleRateHz), sha256: '', fileName: null }
}

const clips = await Promise.all(clipPaths.map(clipOf))
const folder = (await listModels({ modelsDir })).find(({ id }) => id === 'moonshine-tiny')?.folder ?? ''
const engine = defaultCatalogue.engines.find((known) => known.describe().family === 'moonshine')
const bare = await engine?.load({ id: 'moonshine-tiny', folder, threads: 1 })
if (bare?.ok !== true) throw new Error('moonshine-tiny does not load')

const service = await startService({
  dataDir,
  modelsDir,
  catalogue: defaultCatalogue,
  allowDirs: [audioFolder],
  concurrency: 1,
  warmUp: ['moonshine-tiny'],
})
const delay = monitorEventLoopDelay({ resolution: resolutionMs })
delay.enable()

process.on('message', async (question: Question) => {
  if (question === 'lag') {
    process.send?.({ ms: Math.max(0, delay.max / 1e6 - resolutionMs) })
    delay.reset()
    return
  }
  const startedAtMs = performance.now()
  for (const clip of clips) {
    const request = { language: null, timestamps: [], signal: new AbortController().signal } as const
    await bare.value.transcribe(clip, request)
  }
  process.send?.({ ms: performance.now() - startedAtMs })
})
process.once('disconnect', async () => {
  await service.stop()
  process.exit(0)
})
process.send?.({ port: service.port, token: service.token })
