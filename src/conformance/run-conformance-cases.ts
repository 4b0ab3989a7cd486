import { type Platform, platforms } from '#contract/enums'
import { accessCases, protocolCases } from './access-cases.ts'
import {
  type Access,
  ask,
  asObject,
  asObjects,
  type ConformanceCase,
  type Exchange,
  type JsonObject,
  notApplicable,
  parseObject,
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

/** The result of one rule: broken if any case is broken, held if at least one holds, otherwise not applicable. */
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
  /** The selected rules, in the order of the table. */
  readonly rules: readonly RuleResult[]
  /** Names of created Modes that could not be removed; ids if the service lists none any more. */
  readonly leftBehind: readonly string[]
  /** False if the run was interrupted before the last case. */
  readonly isComplete: boolean
}

export interface ConformanceOptions {
  /** Null runs only the cases that apply to every build. */
  readonly platform: Platform | null
  readonly allowed: readonly Access[]
  /** Aborting ends the run between two cases; created Modes are removed nevertheless. */
  readonly signal?: AbortSignal | undefined
  /** Called with the id of each case before it runs. */
  readonly onCase?: ((id: string) => void) | undefined
}

/**
 * Runs cases one after the other. After each case it removes the Modes that the case created, and restores
 * the default Mode.
 *
 * @throws only what the exchange throws, after cleaning up
 */
export async function runConformanceCases(
  exchange: Exchange,
  cases: readonly ConformanceCase[],
  options: ConformanceOptions,
): Promise<ConformanceReport> {
  const cleanUp = await watchModes(exchange)
  const results = new Map<ConformanceCase, CaseResult>()
  for (const testCase of cases) {
    const { id, access } = testCase
    const verdict = await runCase(testCase, cleanUp.exchange, options).finally(cleanUp.removeCreated)
    results.set(testCase, { id, access, verdict: withoutToken(verdict, exchange.token) })
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
      ? one.platforms.length === platforms.length
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

function summarise(results: readonly CaseResult[]): Verdict {
  const verdicts = results.map(({ verdict }) => verdict)
  const order: readonly Verdict['kind'][] = ['broken', 'held', 'notApplicable']
  for (const kind of order) {
    const found = verdicts.find((verdict) => verdict.kind === kind)
    if (found !== undefined) return found
  }
  return notApplicable('no case')
}

/** Removes the token, because a server may repeat it in a response. */
function withoutToken(verdict: Verdict, token: string): Verdict {
  if (verdict.kind !== 'broken' || token === '') return verdict
  return { kind: 'broken', seen: verdict.seen.replaceAll(token, '<token>') }
}

/** Records which Modes are created: by the ids in responses, and by the names in the list where a response was lost. */
async function watchModes(exchange: Exchange) {
  const created = new Set<unknown>()
  const deleted = new Set<unknown>()
  const former = await listModes(exchange)
  const formerIds = new Set(former.map((mode) => mode['id']))
  const formerDefault = former.find((mode) => mode['isDefault'] === true)?.['id']
  // A Mode that existed before stays, even if a server returns it in response to a create.
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
      const [, deletedId] = /^\/modes\/(.+)$/.exec(request.target) ?? []
      if (request.method === 'DELETE' && parseObject(reply.text)['ok'] === true) deleted.add(deletedId)
      return reply
    },
  }

  return {
    /** The given exchange, which also records created Modes. */
    exchange: watched,
    /** Removes the Modes created since the last call, and restores the default Mode. */
    async removeCreated() {
      if (!mayHaveChanged) return
      const modes = await listModes(exchange)
      const wasDefault = modes.find((mode) => mode['id'] === formerDefault)
      if (wasDefault?.['isDefault'] === false) {
        await patchMode(exchange, String(formerDefault), { isDefault: true })
      }
      for (const mode of modes.filter(isOurs)) await ask(watched, 'DELETE', `/modes/${mode['id']}`)
      mayHaveChanged = false
    },
    /** Names of created Modes that still exist; ids if the service lists none any more, because it has ended. */
    async leftBehind() {
      const { json } = await ask(exchange, 'GET', '/modes')
      if (!Array.isArray(json['modes'])) return [...created].filter((id) => !deleted.has(id)).map(String)
      return asObjects(json['modes'])
        .filter(isOurs)
        .map(({ name }) => String(name))
    },
  }
}

function createdId({ method, target }: RawRequest, { text }: RawReply): string | null {
  if (method !== 'POST' || target !== '/modes') return null
  const { id } = asObject(parseObject(text)['mode']) as Readonly<Record<'id', unknown>>
  return typeof id === 'string' ? id : null
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
