import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientErrors, type RunningTarget, resolveTarget } from '#client'
import {
  type ConformanceCase,
  type ConformanceReport,
  conformanceCases,
  conformanceRules,
  type Exchange,
  runConformanceCases,
} from '#conformance'
import { hostPlatform, type Platform } from '#contract'
import { homeDirectory } from '#installation'
import { sessionErrors } from '../errors.ts'
import { doctorCommand } from '../next-commands.ts'
import { openExchange } from './conformance-exchange.ts'
import { startEmbeddedService } from './embedded-service.ts'

export interface ConformanceRequest {
  /** `embedded`, `auto`, a discovery file, or an address. */
  readonly target: string
  /** Which build the service is, or is to be where it is the embedded one; null where unknown. */
  readonly platform: Platform | null
  /** Also the cases that create Modes and have audio transcribed. */
  readonly writes: boolean
  /** The service holds nothing of value: also the cases that could lose something. */
  readonly isDisposable: boolean
  /** Ids of rules or cases, or the part before the full stop; empty for all of them. */
  readonly only: readonly string[]
  /** A folder that the service may read; the cases about files put theirs there, and remove them. */
  readonly folder: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
  readonly onCase?: ((id: string) => void) | undefined
}

export interface CheckedConformance {
  /** As a person would name it. Never with a token. */
  readonly target: string
  readonly report: ConformanceReport
}

/**
 * Holds a service against the conformance cases. The embedded service is one that may be written to.
 *
 * @throws BenchError CONFORMANCE_RULE_UNKNOWN, and what goes wrong with finding or starting the target
 */
export async function checkConformance(request: ConformanceRequest): Promise<CheckedConformance> {
  const cases = chosenCases(request.only)
  const environment = { env: request.env, home: homeDirectory(request.env), platform: process.platform }
  const named = await resolveTarget(request.target, environment)
  if (named.kind !== 'embedded') {
    const platform = request.platform ?? (await platformHere(named))
    return { target: named.text, report: await hold(named, cases, { ...request, platform }) }
  }
  const { defaultModelsDir } = await import('#service')
  const platform = request.platform ?? hostPlatform(process.platform)
  await using folder = await temporaryFolder()
  await using service = await startEmbeddedService({
    profile: platform,
    modelsDir: defaultModelsDir(request.env),
    allowDirs: [folder.path],
  })
  const running = await resolveTarget(service.discoveryPath, environment)
  if (running.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  const options = { ...request, platform, folder: folder.path, writes: true, isDisposable: true }
  return { target: 'the built-in service', report: await hold(running, cases, options) }
}

async function hold(
  target: RunningTarget,
  cases: readonly ConformanceCase[],
  request: ConformanceRequest,
): Promise<ConformanceReport> {
  await using exchange = await openExchange({ target, folder: request.folder, env: request.env })
  await checkAnswers(exchange, target)
  const { platform, writes, isDisposable, signal, onCase } = request
  return await runConformanceCases(exchange, cases, {
    platform,
    allowed: [
      'reads',
      ...(writes ? (['writes'] as const) : []),
      ...(isDisposable ? (['risks'] as const) : []),
    ],
    signal,
    onCase,
  })
}

/** Without an answer to this token every rule would fail, and no result would say why. */
async function checkAnswers({ send, port, token }: Exchange, { text }: RunningTarget): Promise<void> {
  const headers = [
    ['host', `127.0.0.1:${port}`],
    ['authorization', `Bearer ${token}`],
  ] as const
  const { status, fault } = await send({ method: 'GET', target: '/modes', headers })
  if (status !== null && status !== 401) return
  const what = status === 401 ? 'refuses the token' : `does not answer (${fault})`
  throw clientErrors.make('TARGET_UNREACHABLE', {
    message: `${text} ${what}`,
    hint: `see what the target says: ${doctorCommand({ target: text })}`,
  })
}

/** The API does not say which build it is; a service on this machine is taken for the build of this machine. */
async function platformHere(target: RunningTarget): Promise<Platform | null> {
  const { pid } = await target.locate()
  return pid === null ? null : hostPlatform(process.platform)
}

/** @throws BenchError CONFORMANCE_RULE_UNKNOWN with every unknown name */
function chosenCases(only: readonly string[]): readonly ConformanceCase[] {
  if (only.length === 0) return conformanceCases
  const isMeant = ({ id, rule }: ConformanceCase, name: string): boolean =>
    [id, rule, rule.split('.')[0]].includes(name)
  const unknown = only.filter((name) => !conformanceCases.some((one) => isMeant(one, name)))
  if (unknown.length === 0) return conformanceCases.filter((one) => only.some((name) => isMeant(one, name)))
  const subjects = [...new Set(conformanceRules.map(({ subject }) => subject))]
  throw sessionErrors.make('CONFORMANCE_RULE_UNKNOWN', {
    message: `there is no rule named ${unknown.map((name) => `"${name}"`).join(', ')}`,
    hint: `name a rule as the table of \`transcribench conformance\` does, or a subject: ${subjects.join(', ')}`,
  })
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'transcribench-readable-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
