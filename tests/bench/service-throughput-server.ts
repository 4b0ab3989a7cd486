/**
 * A process that holds a service with Moonshine Tiny, and the same recogniser without one. Asked over IPC: `bare`
 * decodes samples one after the other and answers how long it took, `lag` how long the event loop was held at
 * most since it was last asked.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import sherpa from 'sherpa-onnx-node'
import { resample } from '#audio/resampling'
import { decodeSound } from '#audio/sound-stream'
import { engineSampleRateHz } from '#service/engines/engine'
import { defaultCatalogue } from '#service/models/default-catalogue'
import { listModels } from '#service/models/known-models'
import { startService } from '#service/service'
import { findFiles, readOnnxMetadata, sherpaFamilies } from '../../src/service/engines/sherpa-families.ts'

/** What its parent may ask. */
export type Question = 'bare' | 'lag'

const [dataDir = '', modelsDir = '', audioFolder = '', ...clipPaths] = process.argv.slice(2)
const resolutionMs = 1

async function samplesOf(path: string): Promise<Float32Array> {
  const decoded = await decodeSound(await readFile(path))
  if (!decoded.ok) throw new Error(decoded.failure.reason)
  return resample(decoded.value, engineSampleRateHz)
}

const clips = await Promise.all(clipPaths.map(samplesOf))
const folder = (await listModels({ modelsDir })).find(({ id }) => id === 'moonshine-tiny')?.folder ?? ''
const family = sherpaFamilies.find((known) => known.family === 'moonshine')
const files = findFiles(await readdir(folder), family?.roles ?? {})
if (family === undefined || !files.ok) throw new Error('moonshine-tiny is not here')
const at = (role: string): string => join(folder, files.value[role] ?? '')
const metadata = await readOnnxMetadata(at(family.describedBy))
const config = family.config({ at, language: '', metadata })
const bare = await sherpa.OfflineRecognizer.createAsync({
  modelConfig: { ...config, tokens: at('tokens'), numThreads: 1, provider: 'cpu', debug: 0 },
})

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
  for (const samples of clips) {
    const stream = bare.createStream()
    stream.acceptWaveform({ samples, sampleRate: engineSampleRateHz })
    await bare.decodeAsync(stream)
  }
  process.send?.({ ms: performance.now() - startedAtMs })
})
process.once('disconnect', async () => {
  await service.stop()
  process.exit(0)
})
process.send?.({ port: service.port, token: service.token })
