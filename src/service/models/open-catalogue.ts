import { readFile } from 'node:fs/promises'
import which from 'which'
import type { ProviderStatus } from '#contract/resources'
import { errorCode, type Problem } from '#prelude'
import { baseUrlVariableFor, keyVariableFor } from '#providers/providers'
import { commandEngine } from '../engines/command.ts'
import type { Catalogue, CatalogueModel, KeylessProvider } from '../engines/engine.ts'
import { type CommandEntry, type ProviderEntry, readEnginesFile } from '../engines/engines-file.ts'
import {
  type ProviderEngine,
  type ProviderPreset,
  type ProviderSettings,
  providerEngine,
  providerPresets,
} from '../engines/provider-engine.ts'
import { openOutbound } from '../engines/provider-exchange.ts'
import { serviceErrors } from '../errors.ts'
import { readCatalogue } from './known-models.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The models and engines of a service: the built-in and added models, the programs and servers of an engines
 * file, and the cloud providers whose key is in the environment.
 *
 * @param enginesFile path of the engines file, or null for none
 * @throws BenchError ENGINES_FILE_INVALID, MODEL_REGISTER_UNREADABLE
 */
export async function openCatalogue(
  modelsDir: string,
  enginesFile: string | null,
  env: Environment,
): Promise<Catalogue> {
  const local = await readCatalogue(modelsDir)
  const entries =
    enginesFile === null ? [] : readEnginesFile(await readTextOrEmpty(enginesFile), enginesFile, findPreset)
  const commands = entries.filter((entry) => entry.kind === 'command')
  const servers = withKeys(
    entries.filter((entry) => entry.kind !== 'command'),
    env,
  ).map((entry) => providerSettings(entry, env))
  const models = [...local.models, ...commands.map(commandModel), ...servers.flatMap(providerModels)]
  const outbound = openOutbound()
  const providers: ProviderEngine[] = servers.map((settings) => providerEngine(settings, outbound))
  const keyless = keylessProviders(providers)
  return {
    ...local,
    models,
    engines: [...local.engines, ...(commands.length > 0 ? [commandEngine(commands)] : []), ...providers],
    providers: (): readonly ProviderStatus[] => [
      ...providers.map((provider) => provider.status()),
      ...keyless.map(({ id }) => ({ id, key_present: false, reachable: false, status: 'unknown' as const })),
    ],
    keyless,
  }
}

async function readTextOrEmpty(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT'
    const reason = error instanceof Error ? error.message : String(error)
    throw unusable(path, [{ where: path, what: isMissing ? 'there is no such file' : reason }])
  }
}

/** Adds preset providers that have a key and are not in the engines file. */
function withKeys(named: readonly ProviderEntry[], env: Environment): readonly ProviderEntry[] {
  const ids = new Set(named.map((entry) => entry.provider ?? entry.kind))
  const keyed = providerPresets.filter(
    ({ id, needsKey }) => needsKey && !ids.has(id) && (env[keyVariableFor(id)] ?? '').trim() !== '',
  )
  return [
    ...named,
    ...keyed.map(({ id, kind }): ProviderEntry => ({ kind, provider: id, timeoutSeconds: 300 })),
  ]
}

/** Providers without a key, which clients may name to get an error that says what is missing. */
function keylessProviders(providers: readonly ProviderEngine[]): readonly KeylessProvider[] {
  const offered = new Set(providers.map((provider) => provider.describe().family))
  return providerPresets
    .filter(({ id, needsKey }) => needsKey && !offered.has(id))
    .map(({ id, displayName }) => ({ id, displayName, keyVariable: keyVariableFor(id) }))
}

function findPreset({ kind, provider = kind }: ProviderEntry): ProviderPreset | undefined {
  return providerPresets.find(({ id }) => id === provider)
}

function providerSettings(entry: ProviderEntry, env: Environment): ProviderSettings {
  const { kind, provider: id = kind, name, timeoutSeconds, longestSeconds } = entry
  const namedPreset = findPreset(entry)
  const likeIt = namedPreset ?? providerPresets.find((preset) => preset.id === kind)
  if (likeIt === undefined) throw new TypeError(`no preset for ${kind}`)
  const baseUrl = entry.baseUrl ?? env[baseUrlVariableFor(id)] ?? likeIt.baseUrl
  const usualKey = namedPreset?.needsKey === true ? keyVariableFor(id) : null
  return {
    id,
    displayName: name ?? namedPreset?.displayName ?? id,
    protocol: likeIt.protocol,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    models: entry.models ?? namedPreset?.models ?? [],
    options: likeIt.options,
    languages: likeIt.languages,
    keyVariable: entry.keyVariable === undefined ? usualKey : entry.keyVariable,
    env,
    timeoutSeconds,
    maxClipSeconds: longestSeconds ?? likeIt.maxClipSeconds,
  }
}

function providerModels({ id, displayName, models }: ProviderSettings): CatalogueModel[] {
  return models.map((model) => ({
    ...withoutWeights,
    id: model,
    family: id,
    provider: id,
    localKey: null,
    displayName: `${displayName} ${model}`,
  }))
}

function commandModel({ id, name, language, program, environment }: CommandEntry): CatalogueModel {
  return {
    ...withoutWeights,
    isThere: () => isProgram(program, environment),
    id,
    family: 'command',
    localKey: 'engine_d',
    displayName: name ?? id,
    languages: language === undefined ? [] : [language],
  }
}

/** Looks the program up in the same PATH as when it is started. */
async function isProgram(program: string, environment: CommandEntry['environment']): Promise<boolean> {
  const { PATH: path } = { ...process.env, ...environment }
  return (await which(program, { nothrow: true, ...(path === undefined ? {} : { path }) })) !== null
}

const withoutWeights = {
  kind: 'voice',
  languages: [],
  licence: 'NOASSERTION',
  sizeBytes: 0,
  weights: null,
} as const

function unusable(path: string, problems: readonly Problem[]): Error {
  return serviceErrors.make('ENGINES_FILE_INVALID', {
    message: `${path} cannot be used.`,
    hint: 'docs/engines.md shows an engines file.',
    problems,
  })
}
