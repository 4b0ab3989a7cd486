import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { decodeAudio, toMono } from '#audio'
import { defaultModelsDir } from '#service'

/** Models and recordings that `./scripts/test` installs and fetches: without them there is nothing real to measure. */
const root: string = join(import.meta.dirname, '../..')
export const env: Readonly<Record<string, string>> = { ...(process.env as Record<string, string>) }
export const modelsDir: string = defaultModelsDir({ HOME: homedir(), ...env })
const manifest: string = join(root, 'corpora/quick/manifest.jsonl')

/** The quick corpus as samples at 16 kHz. */
export async function quickClips(): Promise<readonly Float32Array[]> {
  const lines = (await readFile(manifest, 'utf8')).trim().split('\n')
  return await Promise.all(
    lines.map(async (line) => {
      const { audio } = JSON.parse(line) as { readonly audio: string }
      const decoded = await decodeAudio(await readFile(join(root, 'corpora/quick', audio)))
      if (!decoded.ok) throw new Error(decoded.failure.reason)
      return await toMono(decoded.value, 16_000)
    }),
  )
}

/** Contenders on the quick corpus, as a config. */
export function quickConfig(options: {
  readonly name: string
  readonly target: string
  readonly models: readonly string[]
  readonly rounds: number
}): string {
  return [
    `name: ${options.name}`,
    `target: ${options.target}`,
    `corpus: ${manifest}`,
    'contenders:',
    ...options.models.flatMap((model) => [
      '  - engine: moonshine',
      `    model: ${model}`,
      '    language: en',
    ]),
    `rounds: ${options.rounds}`,
    '',
  ].join('\n')
}
