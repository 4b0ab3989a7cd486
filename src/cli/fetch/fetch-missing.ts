import { access } from 'node:fs/promises'
import type { BenchConfig } from '#config'
import { readCorpus } from '#corpus'
import type { CommandContext } from '../command-context.ts'
import { fetchMissingAudio } from './fetch-audio.ts'

/** What `run --fetch` does first: the models of the built-in service and the recordings, where they are missing. */
export async function fetchWhatIsMissing(context: CommandContext, config: BenchConfig): Promise<void> {
  const wanted = config.contenders.flatMap(({ target = config.target, model }) =>
    target === 'embedded' ? [model] : [],
  )
  if (wanted.length > 0) {
    const { defaultModelsDir, listModels } = await import('#service')
    const modelsDir = defaultModelsDir(context.env)
    const known = await listModels({ modelsDir })
    const missing = known
      .filter((model) => wanted.includes(model.id) && !model.installed)
      .map((model) => model.id)
    if (missing.length > 0) {
      const { installMissingModels } = await import('./install-models.ts')
      await installMissingModels(context, missing, modelsDir)
    }
  }
  if (!(await isComplete(config, context.env))) await fetchMissingAudio(context, config.corpus)
}

/** A corpus of one's own has no place to be fetched from, and needs none where its recordings are there. */
async function isComplete({ corpus, workload }: BenchConfig, env: CommandContext['env']): Promise<boolean> {
  return workload === 'post-process' || (await hasRecordings(corpus, env))
}

/** Whether a corpus can be read and all of its recordings are there. */
export async function hasRecordings(named: string, env: CommandContext['env']): Promise<boolean> {
  const corpus = await readCorpus(named, { env }).catch(() => null)
  if (corpus === null) return false
  const present = await Promise.all(
    corpus.utterances.map(({ audioPath }) =>
      access(audioPath).then(
        () => true,
        () => false,
      ),
    ),
  )
  return present.every((isThere) => isThere)
}
