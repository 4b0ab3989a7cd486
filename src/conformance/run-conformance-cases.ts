import type { Platform } from '#contract/enums'
import { parseForeignJson } from '#prelude'
import { accessCases, protocolCases } from './access-cases.ts'
import {
  type Access,
  ask,
  asObject,
  type ConformanceCase,
  type Exchange,
  type JsonObject,
  notApplicable,
  type RawReply,
  type RawRequest,
  type Verdict,
} from './conformance-case.ts'
import { isOurName, listModes, patchMode } from './expect-reply.ts'
import { discoveryCases, inventoryCases } from './inventory-cases.ts'
import { modeCases, modeNameCases } from './mode-cases.ts'
import { modeFieldCases } from './mode-field-cases.ts'
import { recorderCases, recordingCases } from './recording-cases.ts'
import { conformanceRules, type Rule } from './rules.ts'
import { postProcessingCases, transcriptionCases } from './transcription-cases.ts'
import { audioFileCases, limitCases, resilienceCases } from './upload-cases.ts'

export interface CaseResult {
  readonly id: string
  readonly access: Access
  readonly verdict: Verdict
}

/** The result of one rule: broken by any of its cases, held by at least one, otherwise not applicable. */
export interface RuleResult {
  readonly rule: Rule
  readonly verdict: Verdict
  readonly cases: readonly CaseResult[]
}

export interface ConformanceReport {
  readonly formatVersion: 1
  /** Null where the build is unknown. */
  readonly platform: Platform | null
  readonly counts: Readonly<Record<Verdict['kind'], number>>
  /** Rules in the order of the table, those that were asked for. */
  readonly rules: readonly RuleResult[]
  /** Names of Modes that were created and could not be removed again. */
  readonly leftBehind: readonly string[]
  /** False where it was interrupted before every case had run. */
  readonly isComplete: boolean
}

export interface ConformanceOptions {
  /** Null: only cases that every build has to pass are run. */
  readonly platform: Platform | null
  readonly allowed: readonly Access[]
  /** Ends between two cases; what was created is removed all the same. */
  readonly signal?: AbortSignal | undefined
  /** Called with every case before it runs. */
  readonly onCase?: ((id: string) => void) | undefined
}

/**
 * Runs cases against a service, one after the other. What they create is removed after each one, whatever its
 * result, and the default Mode is restored.
 *
 * @throws only what the exchange throws, after tidying up
 */
export async function runConformanceCases(
  exchange: Exchange,
  cases: readonly ConformanceCase[],
  options: ConformanceOptions,
): Promise<ConformanceReport> {
  const cleanUp = await watchModes(exchange)
  const results = new Map<ConformanceCase, CaseResult>()
  for (const one of cases) {
    const verdict = await runCase(one, cleanUp.exchange, options).finally(cleanUp.removeCreated)
    results.set(one, { id: one.id, access: one.access, verdict: withoutToken(verdict, exchange.token) })
  }
  const rules = conformanceRules.flatMap((rule) => {
    const ofRule = cases.flatMap((one) => (one.rule === rule.id ? (results.get(one) ?? []) : []))
    return ofRule.length === 0 ? [] : [{ rule, verdict: summarise(ofRule), cases: ofRule }]
  })
  const count = (kind: Verdict['kind']) => rules.filter(({ verdict }) => verdict.kind === kind).length
  return {
    formatVersion: 1,
    platform: options.platform,
    counts: { held: count('held'), broken: count('broken'), notApplicable: count('notApplicable') },
    rules,
    leftBehind: await cleanUp.leftBehind(),
    isComplete: options.signal?.aborted !== true,
  }
}

async function runCase(
  one: ConformanceCase,
  exchange: Exchange,
  { platform, allowed, signal, onCase }: ConformanceOptions,
): Promise<Verdict> {
  const reason =
    platform === null
      ? one.platforms.length === everyBuild
        ? null
        : 'the platform of the service is not known: --platform'
      : one.platforms.includes(platform)
        ? null
        : `a rule for ${one.platforms.join(', ')}`
  if (reason !== null) return notApplicable(reason)
  if (!allowed.includes(one.access)) return notApplicable(reasonOf[one.access])
  if (signal?.aborted === true) return notApplicable('interrupted')
  onCase?.(one.id)
  return one.check(exchange)
}

const reasonOf: Readonly<Record<Access, string>> = {
  reads: 'cases that read are left out',
  writes: 'it creates Modes or has audio transcribed: --write',
  risks: 'it uses the microphone, leaves a transcript, or could lose a Mode: --disposable',
}

const everyBuild = 4

function summarise(results: readonly CaseResult[]): Verdict {
  const verdicts = results.map(({ verdict }) => verdict)
  const order: readonly Verdict['kind'][] = ['broken', 'held', 'notApplicable']
  for (const kind of order) {
    const found = verdicts.find((verdict) => verdict.kind === kind)
    if (found !== undefined) return found
  }
  return notApplicable('no case')
}

/** A server may repeat what it was sent. */
function withoutToken(verdict: Verdict, token: string): Verdict {
  if (verdict.kind !== 'broken' || token === '') return verdict
  return { kind: 'broken', seen: verdict.seen.replaceAll(token, '<token>') }
}

/**
 * Remembers which Modes are created. Their ids come from the answers, and from the list where an answer was
 * lost.
 */
async function watchModes(exchange: Exchange) {
  const created = new Set<unknown>()
  const former = await listModes(exchange)
  const formerIds = new Set(former.map((mode) => mode['id']))
  const formerDefault = former.find((mode) => mode['isDefault'] === true)?.['id']
  // A server that answers a create with a Mode it already had does not make that Mode ours.
  const isOurs = ({ id, name }: JsonObject): boolean =>
    !formerIds.has(id) && (created.has(id) || isOurName(exchange, name))
  let mayHaveChanged = false

  const watched: Exchange = {
    ...exchange,
    async send(request) {
      const reply = await exchange.send(request)
      if (/^(POST|PATCH|DELETE)$/.test(request.method)) mayHaveChanged = true
      const id = createdId(request, reply)
      if (id !== null) created.add(id)
      return reply
    },
  }

  return {
    /** As the given one, but remembers what is created through it. */
    exchange: watched,
    /** Removes what was created since, and restores the default Mode. */
    async removeCreated() {
      if (!mayHaveChanged) return
      mayHaveChanged = false
      const modes = await listModes(exchange)
      const wasDefault = modes.find((mode) => mode['id'] === formerDefault)
      if (wasDefault?.['isDefault'] === false) {
        await patchMode(exchange, String(formerDefault), { isDefault: true })
      }
      for (const mode of modes.filter(isOurs)) await ask(exchange, 'DELETE', `/modes/${mode['id']}`)
    },
    /** Names of created Modes that are still there. */
    async leftBehind() {
      return (await listModes(exchange)).filter(isOurs).map(({ name }) => String(name))
    },
  }
}

function createdId({ method, target }: RawRequest, { text }: RawReply): string | null {
  if (method !== 'POST' || target !== '/modes') return null
  try {
    const id = asObject(asObject(parseForeignJson(text))['mode'])['id']
    return typeof id === 'string' ? id : null
  } catch {
    // No JSON, no Mode: what was created all the same is found by its name.
    return null
  }
}

export const conformanceCases: readonly ConformanceCase[] = [
  ...accessCases,
  ...protocolCases,
  ...inventoryCases,
  ...modeCases,
  ...modeNameCases,
  ...modeFieldCases,
  ...transcriptionCases,
  ...resilienceCases,
  ...audioFileCases,
  ...postProcessingCases,
  ...limitCases,
  ...recorderCases,
  ...recordingCases,
  ...discoveryCases,
]
