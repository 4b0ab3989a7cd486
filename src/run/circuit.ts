import { describeFailure, failureLabel, type RequestFailure } from '#contract'
import type { AttemptLine, RunEnding } from '#journal'
import type { BenchError } from '#prelude'
import { runErrors } from './errors.ts'
import type { Sender } from './sender.ts'

/** What one more attempt says of those that are still to come. */
type Prospect =
  | { readonly kind: 'good' }
  /** Nothing that this contender is sent can succeed any more; others may. */
  | { readonly kind: 'contenderFailing' }
  /** Nothing at all can. */
  | { readonly kind: 'lost'; readonly ending: RunEnding }

/** Notices that a run can no longer succeed. */
export interface Circuit {
  /** @param mostInFlight so far: so many may fail at once for one reason */
  after(line: AttemptLine, mostInFlight: number): Promise<Prospect>
  /** Why what some contenders were to be sent was left out; null where it was not. */
  ending(): RunEnding | null
}

/** For each place in flight: a server that lets so many pass in a row does not come back within this run. */
const mostTimeoutsInARow = 5
/** For each place in flight: so many refusals in a row, none of which has to do with a recording or with the load. */
const mostFailuresInARow = 20

/** Commands for a person who has lost a target. */
interface WaysOn {
  /** Goes on with the run. */
  readonly resume: string
  /** Asks the target what it has. */
  readonly doctor: string
}

export function circuitOf(sender: Sender, ways: WaysOn): Circuit {
  const failing = new Map<string, AttemptLine>()
  const failuresInARow = new Map<string, number>()
  let timeoutsInARow = 0
  return {
    async after(line, mostInFlight) {
      const { contenderId, outcome } = line
      const failure = outcome.ok ? null : outcome.failure
      timeoutsInARow = failure?.kind === 'timedOut' ? timeoutsInARow + 1 : 0
      if (timeoutsInARow >= mostTimeoutsInARow * mostInFlight) {
        return { kind: 'lost', ending: stalled(sender, timeoutsInARow, ways) }
      }
      const mayBeGone = failure?.kind === 'unreachable' || failure?.kind === 'timedOut'
      if (failure !== null && mayBeGone && !(await sender.isAlive())) {
        return { kind: 'lost', ending: gone(sender, { index: line.index, failure }, ways) }
      }
      const inARow =
        failure !== null && isOfTheServer(failure) ? (failuresInARow.get(contenderId) ?? 0) + 1 : 0
      failuresInARow.set(contenderId, inARow)
      if (inARow < mostFailuresInARow * mostInFlight) return { kind: 'good' }
      failing.set(contenderId, line)
      return { kind: 'contenderFailing' }
    },
    ending() {
      const [first] = failing.values()
      if (first === undefined || first.outcome.ok) return null
      const who = [...failing.keys()].join(', ')
      return endingOf(
        runErrors.make('TARGET_FAILING', {
          message: `the target at ${sender.baseUrl} did not do what it was asked for ${who} any more, at last: ${describeFailure(first.outcome.failure)}`,
          hint: `see what it says: ${ways.doctor}; then go on with: ${ways.resume}`,
        }),
      )
    },
  }
}

/**
 * Whether a failure would meet any other recording as well. TRANSCRIPTION_FAILED would not: it is how this API answers
 * silence. Nor would refusals for the load's sake (RATE_LIMITED, TIMEOUT, 429, 503), which are what an overload is
 * measured by, nor a time-out of ours, which has a limit of its own.
 */
function isOfTheServer(failure: RequestFailure): boolean {
  switch (failure.kind) {
    case 'refused':
      return serverCodes.has(failure.code) || failure.httpStatus === 401 || failure.httpStatus === 403
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

const serverCodes: ReadonlySet<string> = new Set([
  'MODEL_NOT_INSTALLED',
  'MODEL_NOT_FOUND',
  'ENGINE_UNAVAILABLE',
  'MISSING_API_KEY',
  'MODE_NOT_FOUND',
])
const loadLabels: ReadonlySet<string> = new Set(['HTTP_429', 'HTTP_503'])

function stalled({ baseUrl }: Sender, timeoutCount: number, { resume, doctor }: WaysOn): RunEnding {
  return endingOf(
    runErrors.make('TARGET_LOST', {
      message: `the target at ${baseUrl} does not answer any more: ${timeoutCount} requests in a row ran into their time-out`,
      hint: `start it again, see ${doctor}, then go on with: ${resume}; a longer time is given by --timeout 5min`,
    }),
  )
}

/** A request that could not reach the server is only a failed request as long as /health still answers. */
function gone(
  { baseUrl }: Sender,
  { index, failure }: { readonly index: number; readonly failure: RequestFailure },
  { resume, doctor }: WaysOn,
): RunEnding {
  return endingOf(
    runErrors.make('TARGET_LOST', {
      message: `the target at ${baseUrl} is gone: request ${index} was ${describeFailure(failure)}, and /health is too`,
      hint: `start it again, see ${doctor}, then go on with: ${resume}`,
    }),
  )
}

function endingOf({ code, message, hint }: BenchError): RunEnding {
  return { code, message, hint }
}
