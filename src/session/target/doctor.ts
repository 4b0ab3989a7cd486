import type { TargetWarning } from '#client'
import {
  apiVersion,
  type HealthSnapshot,
  isListed,
  type ModelEntry,
  modelKinds,
  providerStates,
  runOfModeName,
} from '#contract'
import { systemClock } from '#load'
import { BenchError, shellWord } from '#prelude'
import { type ProviderData, providerDataDate } from '#providers'
import { isQuiet, readPowerSource, sysFolderOf } from '#telemetry'
import { cleanCommand } from '../next-commands.ts'
import { type AnyTarget, isServer, type OpenServer, openAnyTarget } from './open-server.ts'
import type { openTarget } from './open-target.ts'
import { retirementText } from './retirements.ts'

/** One thing that was looked at. `note` is neither good nor bad. */
export interface Check {
  readonly name: string
  readonly state: 'good' | 'bad' | 'note'
  readonly finding: string
  /** What to do about it, or null. */
  readonly hint: string | null
}

export interface Diagnosis {
  /** False where a run against this target would not start. */
  readonly isReady: boolean
  readonly target: string
  readonly checks: readonly Check[]
  readonly health: HealthSnapshot | null
  readonly models: readonly ModelEntry[]
}

export interface DoctorRequest {
  readonly target: string
  /** Environment variable with the key of a transcription server; null where it wants none. */
  readonly keyFrom: string | null
  /** Engines file of the built-in service; null for none. */
  readonly engines: string | null
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Looks at the target and at this machine, changes nothing, and never throws for what it finds. */
export async function diagnose({ target: named, keyFrom, engines, env }: DoctorRequest): Promise<Diagnosis> {
  const machine = await machineCheck()
  try {
    await using target = await openAnyTarget({
      target: named,
      keyFrom,
      enginesFile: engines,
      env,
      clock: systemClock,
      connections: 1,
      readableFolders: [],
    })
    const { health, models } = target
    const checks = isServer(target)
      ? [...serverChecks(target, keyFrom), machine]
      : [
          good('reachable', `${target.description} answers`),
          ...target.warnings.map(warningCheck),
          versionCheck(target.health),
          ...problemChecks(target.health),
          modelCheck(models, target.kind === 'embedded'),
          ...keyChecks(target.health),
          ...retirementChecks(target),
          ...unlistedChecks(target.health, models),
          await leftoverCheck(target.connection, named),
          machine,
          ...(await powerChecks(env)),
        ]
    const isReady = checks.every((check) => check.state !== 'bad')
    return { isReady, target: target.description, checks, health, models }
  } catch (error) {
    if (!(error instanceof BenchError)) throw error
    const finding = [
      error.message,
      ...error.problems.map(({ where, what }) => `${where ?? ''} ${what}`.trim()),
    ].join('\n')
    const check: Check = { name: 'reachable', state: 'bad', finding, hint: error.hint }
    return { isReady: false, target: named, checks: [check, machine], health: null, models: [] }
  }
}

/** Checks of a server of `/v1/audio/transcriptions` or a provider: it answers, accepts the key, and lists models. */
function serverChecks(target: OpenServer, keyFrom: string | null): Check[] {
  const { description, models, warnings, provider } = target
  const ids = models.map(({ id }) => id)
  if (provider !== null && provider.protocol !== 'openai') {
    return [
      good('reachable', `${description} answers; its key is set and was not tried, which would cost money`),
      note('models', `${ids.join(', ')} (known on ${providerDataDate}; any other may be named)`),
      ...optionChecks(provider),
      ...retirementChecks(target),
      note('next', runCommand(target, keyFrom)),
    ]
  }
  return [
    good('reachable', `${description} answers`),
    ...warnings.map(warningCheck),
    ids.length > 0
      ? good('models', ids.join(', '))
      : note('models', 'it does not list its models; name one: --contender openai:<model>'),
    ...(provider === null ? [] : optionChecks(provider)),
    ...retirementChecks(target),
    note('next', runCommand(target, keyFrom)),
  ]
}

function optionChecks({ id, options }: ProviderData): Check[] {
  return [note('options', `${options.map(({ name }) => name).join(', ')}: transcribench explain ${id}`)]
}

/** What to type to measure it. */
function runCommand({ provider, server, models }: OpenServer, keyFrom: string | null): string {
  const [first, ...others] = models
  return [
    'transcribench run --target',
    shellWord(provider?.id ?? `openai:${server.baseUrl}`),
    ...(keyFrom === null ? [] : ['--key-from', shellWord(keyFrom)]),
    ...(first !== undefined && others.length === 0
      ? []
      : ['--contender', first === undefined ? 'any:<model>' : shellWord(`any:${first.id}`)]),
    '--fetch',
  ].join(' ')
}

/** Models that stop answering. */
function retirementChecks(target: AnyTarget): Check[] {
  const texts = target.models.flatMap(
    ({ id, provider }) => retirementText(id, { engine: provider, target }) ?? [],
  )
  return [...new Set(texts)].map((text) => note('retiring', text))
}

function good(name: string, finding: string): Check {
  return { name, state: 'good', finding, hint: null }
}

function note(name: string, finding: string, hint: string | null = null): Check {
  return { name, state: 'note', finding, hint }
}

function warningCheck({ code, message, hint }: TargetWarning): Check {
  return note(code === 'DISCOVERY_FILE_OPEN' ? 'token' : 'network', message, hint)
}

function versionCheck({ app_version, api_version }: HealthSnapshot): Check {
  const versions = `app ${app_version}, API version ${api_version}`
  if (api_version === apiVersion) return good('version', versions)
  return note('version', `${versions}; this transcribench knows ${apiVersion} and tries it all the same`)
}

/** What our own service says it was started for, and cannot do. */
function problemChecks({ problems = [] }: HealthSnapshot): Check[] {
  return problems.map(({ model, reason }) =>
    note('degraded', `${model} could not be loaded when the service started: ${reason}`),
  )
}

function modelCheck(models: readonly ModelEntry[], isEmbedded: boolean): Check {
  const voices = models.filter((model) => model.kind !== 'text')
  const installed = voices.filter((model) => model.installed)
  if (installed.length > 0) {
    return good('models', `${installed.map((model) => model.id).join(', ')} (of ${voices.length} listed)`)
  }
  const hint = isEmbedded
    ? `transcribench models install ${voices.map((model) => model.id).join(' ')}`
    : "install one in the application's library"
  return {
    name: 'models',
    state: 'bad',
    finding: `none of ${voices.length} listed models is installed`,
    hint,
  }
}

function keyChecks({ providers }: HealthSnapshot): Check[] {
  if (providers.length === 0) return [note('keys', 'the target lists no cloud providers')]
  const withKey = providers
    .filter((provider) => provider.key_present)
    .map(({ id, status }) => `${id} (${status})`)
  const without = providers.filter((provider) => !provider.key_present).map((provider) => provider.id)
  return [note('keys', `present: ${withKey.join(', ') || 'none'}; missing: ${without.join(', ') || 'none'}`)]
}

/** What a newer server sends and this contract does not list: kept, and shown here. */
function unlistedChecks({ providers }: HealthSnapshot, models: readonly ModelEntry[]): Check[] {
  const unlisted = [
    ...providers.map((provider) => provider.status).filter((status) => !isListed(providerStates, status)),
    ...models.map((model) => model.kind).filter((kind) => !isListed(modelKinds, kind)),
  ]
  if (unlisted.length === 0) return []
  return [
    note('values', `values that this transcribench does not know: ${[...new Set(unlisted)].join(', ')}`),
  ]
}

async function leftoverCheck(connection: Parameters<typeof leftovers>[0], target: string): Promise<Check> {
  const names = await leftovers(connection)
  if (names === null) return note('Modes', 'could not be listed')
  if (names.length === 0) return good('Modes', 'nothing left behind by earlier runs')
  const finding = `of runs that still go on, or have left them behind: ${names.join(', ')}`
  return note('Modes', finding, cleanCommand(target, null))
}

async function leftovers(connection: {
  listModes: Awaited<ReturnType<typeof openTarget>>['connection']['listModes']
}): Promise<string[] | null> {
  const listed = await connection.listModes()
  if (!listed.ok) return null
  return listed.value.modes.map((mode) => mode.name).filter((name) => runOfModeName(name) !== null)
}

async function powerChecks(env: DoctorRequest['env']): Promise<Check[]> {
  if ((await readPowerSource(sysFolderOf(env))) !== 'battery') return []
  return [note('power', 'this machine runs on its battery', 'plug it in before you measure')]
}

async function machineCheck(): Promise<Check> {
  const { quiet, message } = await isQuiet()
  return quiet ? good('machine', message) : note('machine', message, 'close other work before you measure')
}
