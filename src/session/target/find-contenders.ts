import { systemClock } from '#load'
import { BenchError } from '#prelude'
import { providerAccess, providerData } from '#providers'
import { defaultModelsDir, listEngines, listModels } from '#service'
import { isServer, openAnyTarget } from './open-server.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Something that can be measured as it is. */
export interface FoundContender {
  readonly target: string
  /** Null for a transcription server, which has models alone. */
  readonly engine: string | null
  readonly model: string
}

export interface FoundContenders {
  readonly contenders: readonly FoundContender[]
  /** The same of providers whose keys are in the environment: they cost money. */
  readonly billed: readonly FoundContender[]
}

/** Where transcription servers of this machine listen by default: Speaches and vLLM, whisper.cpp. */
const usualServers = ['openai:http://127.0.0.1:8000/v1', 'openai:http://127.0.0.1:8080/v1']

/**
 * Looks for what could be measured here: models of the built-in service that are installed, the running service,
 * transcription servers at their usual addresses and at TRANSCRIBENCH_TARGET, and providers with a key. Sends no audio.
 */
export async function findContenders(env: Environment): Promise<FoundContenders> {
  const modelsDir = defaultModelsDir(env)
  const [listed, engines] = await Promise.all([
    listModels({ modelsDir }),
    listEngines({ modelsDir, enginesFile: null, env }),
  ])
  const familyOf = new Map(listed.map(({ id, family }) => [id, family]))
  const installed = listed.filter((model) => model.installed && engines.has(model.family))
  const own = env['TRANSCRIBENCH_TARGET']?.trim()
  const targets = new Set([
    'auto',
    ...usualServers,
    ...(own === undefined || own === 'embedded' ? [] : [own]),
  ])
  const found = await Promise.all([...targets].map((target) => contendersOf(target, { env, familyOf })))
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

/** Nothing for a target that does not answer. */
async function contendersOf(
  target: string,
  { env, familyOf }: { readonly env: Environment; readonly familyOf: ReadonlyMap<string, string> },
): Promise<readonly FoundContender[]> {
  try {
    const request = { target, env, keyFrom: null, clock: systemClock, connections: 1, readableFolders: [] }
    await using opened = await openAnyTarget(request)
    if (isServer(opened)) {
      // What a provider lists costs money, and is found by its key.
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
