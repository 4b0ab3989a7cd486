/** The program that loads a model to see whether it can be: it may not survive it. */
import { engineSampleRateHz } from '../engines/engine.ts'
import { sherpaEngine } from '../engines/sherpa.ts'
import { sherpaFamilies } from '../engines/sherpa-families.ts'

/** What this process is told, as JSON in its only argument. */
export interface ModelToCheck {
  readonly family: string
  readonly folder: string
}

const { family, folder } = JSON.parse(process.argv[2] ?? '{}') as ModelToCheck

async function check(): Promise<string | null> {
  const known = sherpaFamilies.find((entry) => entry.family === family)
  if (known === undefined) return `there is no family ${family}`
  const loaded = await sherpaEngine(known).load({ id: family, folder, threads: 1 })
  if (!loaded.ok) return loaded.failure.message
  const silence = { samples: new Float32Array(engineSampleRateHz), sha256: '', fileName: null }
  const heard = await loaded.value.transcribe(silence, {
    language: null,
    timestamps: [],
    signal: new AbortController().signal,
  })
  return heard.ok ? null : heard.failure.message
}

const reason = await check()
if (reason !== null) {
  process.stderr.write(`${reason}\n`)
  process.exitCode = 1
}
