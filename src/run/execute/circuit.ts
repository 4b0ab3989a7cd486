import {
  describeFailure,
  failureLabel,
  meansNoSpeech,
  meansRateLimited,
  meansSpentQuota,
  type RequestFailure,
} from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { Phase } from '#journal/plan-line'
import type { GivenUpContender, RunEnding } from '#journal/run-record'
import type { BenchError } from '#prelude'
import { runErrors } from './errors.ts'
import { partFor, type Sender, type SenderPart } from './senders.ts'

/** The consequence of one attempt for the following ones. */
type Prospect =
  | { readonly kind: 'good' }
  /** No request to these contenders can succeed any more; other contenders are not affected. */
  | { readonly kind: 'givenUp'; readonly contenders: readonly GivenUpContender[] }
  /** No request at all can succeed any more. */
  | { readonly kind: 'lost'; readonly ending: RunEnding }

/** Timeouts in a row, per request in flight, after which a server is not expected to recover within this run. */
const maxTimeoutsInARow = 5
/** Failures in a row, per request in flight, that depend on neither a recording nor the load. */
const maxFailuresInARow = 20

/**
 * Detects that a contender, or a whole run, can no longer succeed.
 *
 * @param commands for a user who has lost a target: to resume the run, and to check the target
 */
export function startCircuit(sender: Sender, commands: Readonly<Record<'resume' | 'doctor', string>>) {
  const givenUp = new Map<string, GivenUpContender>()
  const failuresInARow = new Map<string, number>()
  const warmUps = new Map<string, AttemptLine[]>()
  // Timeouts count over all contenders of a target, so that after one was given up the next is given up sooner.
  const timeoutsInARow = new Map<SenderPart | null, number>()
  // Requests that time out together share one check, so that a busy server is not asked once for each of them.
  const checks = new Map<Sender, Promise<boolean>>()
  const isAlive = (target: Sender): Promise<boolean> => {
    const check = checks.get(target) ?? target.isAlive().finally(() => checks.delete(target))
    checks.set(target, check)
    return check
  }
  /** @param why a reason that other code has found */
  const giveUp = ({ contenderId, phase, outcome }: AttemptLine, why?: string): GivenUpContender => {
    const contender =
      givenUp.get(contenderId) ?? givenUpFor(contenderId, phase, outcome.ok ? null : outcome.failure, why)
    givenUp.set(contenderId, contender)
    return contender
  }
  /** Gives up all contenders of a lost target; those of other targets continue. */
  const loseTarget = (
    { contenderIds, sender: { baseUrl } }: SenderPart,
    { phase }: AttemptLine,
    failure: RequestFailure,
  ): readonly GivenUpContender[] => {
    const why = `its target at ${baseUrl} is gone: it does not answer a check either`
    const lost = contenderIds.filter((id) => !givenUp.has(id))
    for (const id of lost) givenUp.set(id, givenUpFor(id, phase, failure, why))
    return lost.flatMap((id) => givenUp.get(id) ?? [])
  }
  return {
    /** @param maxInFlight so far, because that many requests may fail at once for one reason */
    async after(line: AttemptLine, maxInFlight: number): Promise<Prospect> {
      const { contenderId, phase, outcome } = line
      const failure = outcome.ok ? null : outcome.failure
      const isWarmUp = phase === 'warmup'
      if (isWarmUp) warmUps.set(contenderId, [...(warmUps.get(contenderId) ?? []), line])
      const mayBeGone = failure?.kind === 'unreachable' || failure?.kind === 'timedOut'
      const part = partFor(sender, contenderId)
      if (failure !== null && mayBeGone && !(await isAlive(part?.sender ?? sender))) {
        return part === null
          ? { kind: 'lost', ending: gone(sender, line.index, failure, commands) }
          : { kind: 'givenUp', contenders: loseTarget(part, line, failure) }
      }
      const timeouts = failure?.kind === 'timedOut' ? (timeoutsInARow.get(part) ?? 0) + 1 : 0
      timeoutsInARow.set(part, timeouts)
      const inARow =
        failure !== null && isOfTheServer(failure) ? (failuresInARow.get(contenderId) ?? 0) + 1 : 0
      failuresInARow.set(contenderId, inARow)
      const isHopeless = isWarmUp
        ? failure !== null && (isRefusedForGood(failure) || isSilence(failure))
        : meansSpentQuota(failure) ||
          inARow >= maxFailuresInARow * maxInFlight ||
          timeouts >= maxTimeoutsInARow * maxInFlight
      return isHopeless ? { kind: 'givenUp', contenders: [giveUp(line)] } : { kind: 'good' }
    },
    /** Called when a contender's warm-up is over. @returns the contender to give up, or null */
    afterWarmUp(contenderId: string): GivenUpContender | null {
      const [first, ...others] = warmUps.get(contenderId) ?? []
      if (first === undefined || others.length === 0) return null
      const reason = lastingReason(first)
      return reason !== null && others.every((line) => lastingReason(line) === reason) ? giveUp(first) : null
    },
    giveUp,
    givenUp: (): readonly GivenUpContender[] => [...givenUp.values()],
    isGivenUp: (contenderId: string): boolean => givenUp.has(contenderId),
    /** Why some contenders were sent only a part of their plan; null if none were given up. */
    ending(): RunEnding | null {
      const all = [...givenUp.values()]
      if (all.length === 0) return null
      const hints = [...new Set(all.flatMap(({ hint }) => (hint === null ? [] : [withoutPeriod(hint)])))]
      return endingFor(
        runErrors.make('TARGET_FAILING', {
          message: all.map(({ id, reason }) => `${id} was given up ${withoutPeriod(reason)}`).join('; '),
          hint: [
            ...hints,
            `see what the target has: ${commands.doctor}`,
            `then go on with: ${commands.resume}`,
          ].join('; '),
        }),
      )
    },
  }
}

function givenUpFor(
  id: string,
  phase: Phase,
  failure: RequestFailure | null,
  why: string | undefined,
): GivenUpContender {
  const when = phase === 'warmup' ? 'in its warm-up' : 'while it was measured'
  const words = [
    ...(failure === null ? [] : [withoutPeriod(describeFailure(failure))]),
    ...(why === undefined ? [] : [why]),
  ]
  const hint = failure?.kind === 'refused' ? failure.hint : null
  return { id, phase, reason: `${when}: ${words.join('; ')}`, hint }
}

function withoutPeriod(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

/** The failure in words if all further requests would fail alike; null if recording or load may cause it. */
function lastingReason({ outcome }: AttemptLine): string | null {
  if (outcome.ok) return null
  const { failure } = outcome
  const isPassing = loadLabels.has(failureLabel(failure)) || meansRateLimited(failure)
  if (isPassing || failure.kind === 'unsendable' || failure.kind === 'dropped') return null
  return meansNoSpeech(failure) ? null : describeFailure(failure)
}

/**
 * Whether any other recording would fail alike. That does not hold for TRANSCRIPTION_FAILED, which is how this API
 * answers silence. Nor does it hold for refusals caused by load (RATE_LIMITED, TIMEOUT, 429, 503), which measure an
 * overload, or for timeouts of the client, which have a separate limit.
 */
function isOfTheServer(failure: RequestFailure): boolean {
  switch (failure.kind) {
    case 'refused':
      return isRefusedForGood(failure)
    case 'malformed':
      return !loadLabels.has(failureLabel(failure))
    case 'unreachable':
      return true
    case 'timedOut':
    case 'unsendable':
    case 'dropped':
      return false
  }
}

/** Whether, according to the server, no request to the same contender will be answered. */
function isRefusedForGood(failure: RequestFailure): boolean {
  if (failure.kind !== 'refused') return false
  return serverCodes.has(failure.code) || failure.httpStatus === 401 || failure.httpStatus === 403
}

/** Whether no response came within the time limit of a request. */
function isSilence(failure: RequestFailure): boolean {
  return failure.kind === 'timedOut' || (failure.kind === 'refused' && failure.code === 'TIMEOUT')
}

const serverCodes: ReadonlySet<string> = new Set([
  'MODEL_NOT_INSTALLED',
  'MODEL_NOT_FOUND',
  'ENGINE_UNAVAILABLE',
  'MISSING_API_KEY',
  'QUOTA_EXCEEDED',
  'MODE_NOT_FOUND',
  // The path does not exist, does not take this method, or redirects elsewhere.
  ...[301, 302, 303, 307, 308, 404, 405].map((status) => `HTTP_${status}`),
])
const loadLabels: ReadonlySet<string> = new Set(['HTTP_429', 'HTTP_503'])

/** The ending of a run whose target answers no check either: see `isAlive` of `Sender`. */
function gone(
  { baseUrl }: Sender,
  index: number,
  failure: RequestFailure,
  { resume, doctor }: Parameters<typeof startCircuit>[1],
): RunEnding {
  return endingFor(
    runErrors.make('TARGET_LOST', {
      message: `the target at ${baseUrl} is gone: request ${index} was ${describeFailure(failure)}, and a check whether it answers failed as well`,
      hint: `start it again, see ${doctor}, then go on with: ${resume}`,
    }),
  )
}

/** How a run ended because of an error. */
export function endingFor({ code, message, hint }: BenchError): RunEnding {
  return { code, message, hint }
}
