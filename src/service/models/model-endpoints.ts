import { apiVersion, modelKindFilters } from '#contract/enums'
import { type HealthProblem, type HealthSnapshot, localModelKeys, type ModelEntry } from '#contract/resources'
import { succeeded } from '#prelude'
import type { Catalogue } from '../engines/engine.ts'
import { type Handlers, refused } from '../http/call.ts'
import type { ProviderSnapshot, TextModel } from '../modes/provider-snapshot.ts'
import type { Settings } from '../settings.ts'
import { isInstalled } from './model-folder.ts'

/**
 * Handlers of `GET /health` and `GET /models`.
 *
 * @param snapshot last known states of the post-processing providers
 * @param problems reasons why the service is degraded
 */
export function modelEndpoints(
  { catalogue, modelsDir, ...settings }: Settings,
  appVersion: string,
  snapshot: ProviderSnapshot,
  problems: () => readonly HealthProblem[],
) {
  const { threads, concurrency, instances, idleUnloadSeconds } = settings
  return {
    async health({ request }) {
      return succeeded({
        ok: true,
        app_version: appVersion,
        api_version: apiVersion,
        port: request.socket.localPort ?? 0,
        pid: process.pid,
        providers: catalogue.providers?.() ?? [],
        post_processing_providers: snapshot.read(),
        local_models: {
          ...(await localModels(catalogue, modelsDir)),
          local_llm: localTextModels(snapshot.textModels()),
        },
        // Settings that affect speed are reported, so that two services can be compared.
        service_settings: { threads, concurrency, instances, idle_unload_seconds: idleUnloadSeconds },
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
      if (kind !== 'voice') await snapshot.findLocalModels()
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
      const models = [...voiceModels, ...snapshot.textModels().map(textEntry)]
      return succeeded({
        ok: true,
        models: models
          .filter((model) => kind === 'all' || model.kind === kind)
          .filter((model) => model.installed || !installedOnly),
      })
    },
  } satisfies Handlers
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
