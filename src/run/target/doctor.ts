import type { TargetWarning } from '#client/target'
import { apiVersion, isListed, modelKinds, providerStates } from '#contract/enums'
import { runOfModeName } from '#contract/modes'
import type { HealthSnapshot, ModelEntry } from '#contract/resources'
import { systemClock } from '#load/clock'
import { BenchError, shellWord } from '#prelude'
import type { ProviderData } from '#providers/providers'
import { providerDataDate } from '#providers/providers'
import { readPowerSource } from '#telemetry/energy'
import { isQuiet, sysFolderIn } from '#telemetry/host'
import { cleanCommand } from '../commands.ts'
import {
  type AnyTarget,
  isServer,
  mayBill,
  type OpenServer,
  openAnyTarget,
  retirementText,
} from './open-server.ts'
import type { OpenTarget } from './open-target.ts'
import { openClip, type Trial, trialWords, tryModel } from './try-models.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Opens a target for checks only. */
export function openBriefly(
  target: string,
  env: Environment,
  keyFrom: string | null,
  enginesFile: string | null,
): Promise<AnyTarget> {
  const usual = { clock: systemClock, connections: 1, readableFolders: [] }
  return openAnyTarget({ ...usual, target, env, keyFrom, enginesFile })
}

/** One check with its result. `note` is neither good nor bad. */
export interface Check {
  readonly name: string
  readonly state: 'good' | 'bad' | 'note'
  readonly finding: string
  /** Advice, or null. */
  readonly hint: string | null
}

export interface DoctorRequest {
  readonly target: string
  /** Environment variable with the key of a transcription server; null if it needs none. */
  readonly keyFrom: string | null
  /** Engines file of the built-in service; null for none. */
  readonly engines: string | null
  /** Whether a transcription server or provider is sent a clip; `free` only if that costs nothing. */
  readonly sends: 'all' | 'free' | 'none'
  readonly env: Environment
}

/**
 * Checks the target and this machine, and sends a clip to a server. Changes nothing and never throws for a failed
 * check.
 *
 * @returns `isReady` is false if a run against this target would not start
 */
export async function diagnose(request: DoctorRequest) {
  const { target: targetName, keyFrom, engines, env } = request
  const machine = await machineCheck()
  try {
    await using target = await openBriefly(targetName, env, keyFrom, engines)
    const { health, models } = target
    const checks = isServer(target)
      ? [...(await serverChecks(target, request)), machine]
      : [
          good('reachable', `${target.description} answers`),
          ...target.warnings.map(warningCheck),
          versionCheck(target.health),
          ...problemChecks(target.health),
          modelCheck(models, target.kind === 'embedded'),
          ...keyChecks(target.health),
          ...retirementChecks(target),
          ...unlistedChecks(target.health, models),
          await leftoverCheck(target, targetName),
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
    return { isReady: false, target: targetName, checks: [check, machine], health: null, models: [] }
  }
}

/** Checks that a transcription server or provider answers, accepts the key, lists models, and transcribes. */
async function serverChecks(target: OpenServer, { keyFrom, sends, env }: DoctorRequest): Promise<Check[]> {
  const { description, models, warnings, provider } = target
  const ids = models.map(({ id }) => id)
  const isSent = sends === 'all' || (sends === 'free' && !mayBill(target))
  const isKeyTried = provider === null || provider.protocol === 'openai' || isSent
  const trials = isSent ? await tryAll(target, ids, env) : { checks: notSent(target, sends), working: null }
  return [
    good(
      'reachable',
      `${description} answers${isKeyTried ? '' : '; its key is set and was not tried, which would cost money'}`,
    ),
    ...warnings.map(warningCheck),
    provider !== null && provider.protocol !== 'openai'
      ? note('models', `${ids.join(', ')} (known on ${providerDataDate}; any other may be named)`)
      : ids.length > 0
        ? good('models', ids.join(', '))
        : note('models', 'it does not list its models; name one: --contender any:<model>'),
    ...trials.checks,
    ...(provider === null ? [] : [optionCheck(provider)]),
    ...retirementChecks(target),
    ...(isSent && trials.working === null ? [] : [note('next', runCommand(target, keyFrom, trials.working))]),
  ]
}

/** Maximum number of models to try: a server may list hundreds, most of another kind. */
const maxTrials = 5

/** Model to try on servers without a list: most accept any name, and clients usually send this one. */
const usualModel = 'whisper-1'

/** Tries models until the maximum. The server is ready if one of them transcribes. */
async function tryAll(target: OpenServer, listed: readonly string[], env: Environment) {
  await using clip = await openClip(env)
  // Some servers list patterns of names, such as large*, which a request cannot contain.
  const ids = listed.filter((id) => !id.includes('*'))
  const trials: Trial[] = []
  for (const model of ids.length === 0 ? [usualModel] : ids.slice(0, maxTrials)) {
    const trial = await tryModel(target, model, clip)
    trials.push(trial)
    // These failures do not depend on the model: if the first one fails so, all others would.
    const failure = trials.length === 1 && !trial.outcome.ok ? trial.outcome.failure : null
    if (failure?.kind === 'unreachable' || (failure?.kind === 'refused' && failure.code === 'HTTP_404')) break
  }
  const working = trials.find(({ outcome }) => outcome.ok)?.model ?? null
  const checks = trials.map((trial): Check => {
    const { outcome } = trial
    const finding = `${trialWords(trial)}${outcome.ok ? `, of ${clip.words}` : ''}`
    if (outcome.ok) return good('transcribes', finding)
    const hint = outcome.failure.kind === 'refused' ? outcome.failure.hint : null
    return { name: 'transcribes', state: working === null ? 'bad' : 'note', finding, hint }
  })
  const rest = ids.length - maxTrials
  return {
    working,
    checks: rest > 0 ? [...checks, note('transcribes', `${rest} more models were not tried`)] : checks,
  }
}

function notSent({ provider }: OpenServer, sends: DoctorRequest['sends']): readonly Check[] {
  if (sends === 'none') return [note('transcribes', 'not tried: nothing was to be sent')]
  const who = provider === null ? 'a server on another machine' : 'a provider'
  return [
    note('transcribes', `not tried: ${who} may bill it; --yes sends a clip of a few seconds to each model`),
  ]
}

function optionCheck({ id, options }: ProviderData): Check {
  return note('options', `${options.map(({ name }) => name).join(', ')}: transcribench explain ${id}`)
}

/** The command that measures the server. */
function runCommand(
  { provider, server, models }: OpenServer,
  keyFrom: string | null,
  model: string | null,
): string {
  const [listed, ...others] = models.map(({ id }) => id)
  const first = model ?? listed
  return [
    'transcribench run --target',
    shellWord(provider?.id ?? `openai:${server.baseUrl}`),
    ...(keyFrom === null ? [] : ['--key-from', shellWord(keyFrom)]),
    ...(listed !== undefined && others.length === 0
      ? []
      : ['--contender', first === undefined ? 'any:<model>' : shellWord(`any:${first}`)]),
    '--fetch',
  ].join(' ')
}

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

/** Problems that the built-in service reports about what it was started for. */
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

/** Values of a newer server that this contract does not list: they are kept, and shown here. */
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

async function leftoverCheck({ connection }: OpenTarget, named: string): Promise<Check> {
  const listed = await connection.listModes()
  if (!listed.ok) return note('Modes', 'could not be listed')
  const names = listed.value.modes.map(({ name }) => name).filter((name) => runOfModeName(name) !== null)
  if (names.length === 0) return good('Modes', 'nothing left behind by earlier runs')
  const finding = `of runs that still go on, or have left them behind: ${names.join(', ')}`
  return note('Modes', finding, cleanCommand(named, null))
}

async function powerChecks(env: Environment): Promise<Check[]> {
  if ((await readPowerSource(sysFolderIn(env))) !== 'battery') return []
  return [note('power', 'this machine runs on its battery', 'plug it in before you measure')]
}

async function machineCheck(): Promise<Check> {
  const { quiet, message } = await isQuiet()
  return quiet ? good('machine', message) : note('machine', message, 'close other work before you measure')
}
