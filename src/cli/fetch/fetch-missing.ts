import type { BenchConfig } from '#config'
import { defaultModelsDir, listModels } from '#service'
import type { CommandContext } from '../command-context.ts'
import { fetchMissingAudio } from './fetch-audio.ts'
import { installMissingModels } from './install-models.ts'

/** What `run --fetch` does first: the models of the built-in service and the recordings, where they are missing. */
export async function fetchWhatIsMissing(context: CommandContext, config: BenchConfig): Promise<void> {
  if (config.target === 'embedded') {
    const modelsDir = defaultModelsDir(context.env)
    const known = await listModels({ modelsDir })
    const wanted = config.contenders.map((contender) => contender.model)
    const missing = known
      .filter((model) => wanted.includes(model.id) && !model.installed)
      .map((model) => model.id)
    if (missing.length > 0) await installMissingModels(context, missing, modelsDir)
  }
  await fetchMissingAudio(context, config.corpus)
}
