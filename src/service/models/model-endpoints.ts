import { apiVersion, modelKindFilters } from '#contract/enums'
import { type HealthProblem, type HealthSnapshot, localModelKeys, type ModelEntry } from '#contract/resources'
import { succeeded } from '#prelude'
import type { Catalogue } from '../engines/engine.ts'
import { type Handlers, refused } from '../http/call.ts'
import type { TextModel } from '../modes/provider-snapshot.ts'
import { isInstalled } from './model-folder.ts'

export interface ModelEndpointsInput {
  readonly catalogue: Catalogue
  readonly modelsDir: string
  readonly appVersion: string
  /** What was last known of them; answers at once. */
  providers(): Pick<HealthSnapshot, 'providers' | 'post_processing_providers'>
  /** Language models of post-processing providers, as last known; answers at once. */
  textModels(): readonly TextModel[]
  /** Asks the servers of this machine which models they have. */
  findTextModels(): Promise<void>
  /** What keeps the service from doing what it was started for. */
  problems(): readonly HealthProblem[]
  /** How the service was started, as far as a figure can hang on it. */
  readonly settings: NonNullable<HealthSnapshot['service_settings']>
}

type ModelHandlers = Required<Pick<Handlers, 'health' | 'listModels'>>

/** `GET /health` and `GET /models`: what the service is and has. */
export function modelEndpoints({
  catalogue,
  modelsDir,
  appVersion,
  providers,
  textModels,
  findTextModels,
  problems,
  settings,
}: ModelEndpointsInput): ModelHandlers {
  return {
    async health({ request }) {
      return succeeded({
        ok: true,
        app_version: appVersion,
        api_version: apiVersion,
        port: request.socket.localPort ?? 0,
        pid: process.pid,
        ...providers(),
        local_models: {
          ...(await localModels(catalogue, modelsDir)),
          local_llm: localTextModels(textModels()),
        },
        service_settings: settings,
        status: problems().length === 0 ? 'ok' : 'degraded',
        problems: problems(),
      })
    },

    async listModels({ query }) {
      const kind = query.get('kind') ?? 'all'
      if (!(modelKindFilters as readonly string[]).includes(kind)) {
        return refused('INVALID_REQUEST', `kind is one of ${modelKindFilters.join(', ')}.`)
      }
      const installedOnly = ['true', '1', 'yes'].includes(query.get('installed_only') ?? '')
      if (kind !== 'voice') await findTextModels()
      const voiceModels = await Promise.all(
        catalogue.models.map(
          async (model): Promise<ModelEntry> => ({
            id: model.id,
            kind: model.kind,
            provider: model.provider ?? 'local',
            displayName: model.displayName,
            installed: await isInstalled(modelsDir, model),
            size_mb: model.localKey === null ? null : Math.round(model.sizeBytes / 1e5) / 10,
          }),
        ),
      )
      const models = [...voiceModels, ...textModels().map(textEntry)]
      return succeeded({
        ok: true,
        models: models
          .filter((model) => kind === 'all' || model.kind === kind)
          .filter((model) => model.installed || !installedOnly),
      })
    },
  }
}

function textEntry({ id, provider }: TextModel): ModelEntry {
  return {
    id,
    kind: 'text',
    provider: provider.kind === 'local' ? 'local' : provider.id,
    displayName: `${provider.displayName} ${id}`,
    installed: true,
    size_mb: null,
  }
}

function localTextModels(models: readonly TextModel[]): HealthSnapshot['local_models'][string] {
  return models
    .filter(({ provider }) => provider.kind === 'local')
    .map(({ id, provider }) => ({ id, displayName: `${provider.displayName} ${id}`, installed: true }))
}

async function localModels(catalogue: Catalogue, modelsDir: string): Promise<HealthSnapshot['local_models']> {
  const listed = await Promise.all(
    catalogue.models.map(async (model) => {
      const { id, displayName, localKey } = model
      return { localKey, entry: { id, displayName, installed: await isInstalled(modelsDir, model) } }
    }),
  )
  return Object.fromEntries(
    localModelKeys.map((key) => [
      key,
      listed.filter(({ localKey }) => localKey === key).map(({ entry }) => entry),
    ]),
  )
}
