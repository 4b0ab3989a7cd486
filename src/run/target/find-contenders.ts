import { BenchError } from '#prelude'
import { providerAccess } from '#providers/access'
import { providerData } from '#providers/providers'
import { listModels } from '#service/models/known-models'
import { defaultModelsDir } from '#service/settings'
import { listEngines } from '#service/transcription/resolve-model'
import { openBriefly } from './doctor.ts'
import { isServer } from './open-server.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A contender that is ready to be measured. */
export interface FoundContender {
  readonly target: string
  /** Null for a transcription server, which has only models. */
  readonly engine: string | null
  readonly model: string
}

export interface FoundContenders {
  readonly contenders: readonly FoundContender[]
  /** Contenders of providers whose keys are in the environment; they cost money. */
  readonly billed: readonly FoundContender[]
}

/** Default addresses of local transcription servers: Speaches and vLLM, whisper.cpp. */
const usualServers = ['openai:http://127.0.0.1:8000/v1', 'openai:http://127.0.0.1:8080/v1']

/**
 * Finds contenders: installed models of the built-in service, the running service, transcription servers at their
 * default addresses and at TRANSCRIBENCH_TARGET, and providers with a key. Sends no audio.
 */
export async function findContenders(env: Environment): Promise<FoundContenders> {
  const modelsDir = defaultModelsDir(env)
  const [listed, engines] = await Promise.all([
    listModels({ modelsDir }),
    listEngines({ modelsDir, enginesFile: null, env }),
  ])
  const familyOf = new Map(listed.map(({ id, family }) => [id, family]))
  const installed = listed.filter((model) => model.installed && engines.has(model.family))
  const configuredTarget = env['TRANSCRIBENCH_TARGET']?.trim()
  const targets = new Set([
    'auto',
    ...usualServers,
    ...(configuredTarget === undefined || configuredTarget === 'embedded' ? [] : [configuredTarget]),
  ])
  const found = await Promise.all([...targets].map((target) => listContenders(target, env, familyOf)))
  return {
    contenders: [
      ...installed.map(({ id, family }) => ({ target: 'embedded', engine: family, model: id })),
      ...found.flat(),
    ],
    billed: providerData
      .filter((provider) => !('missing' in providerAccess(provider, { env, keyFrom: null })))
      .flatMap(({ id, models }) =>
        models.slice(0, 1).map((model) => ({ target: id, engine: null, model: model.id })),
      ),
  }
}

/** The contenders of a target; empty if it does not answer. */
async function listContenders(
  target: string,
  env: Environment,
  familyOf: ReadonlyMap<string, string>,
): Promise<readonly FoundContender[]> {
  try {
    await using opened = await openBriefly(target, env, null, null)
    if (isServer(opened)) {
      // The models of a provider cost money, and are listed separately by its key.
      return opened.provider === null
        ? opened.models.map(({ id }) => ({ target, engine: null, model: id }))
        : []
    }
    return opened.models.flatMap(({ id, kind, installed, provider }) => {
      const engine = familyOf.get(id)
      const isReady = kind !== 'text' && installed && provider === 'local'
      return isReady && engine !== undefined ? [{ target, engine, model: id }] : []
    })
  } catch (error) {
    if (error instanceof BenchError) return []
    throw error
  }
}
