import { groupNumbers, type NumberGroups, numberColumn } from '#prelude'
import type { JudgedContender } from './judged-run.ts'

/** When the answered requests of a contender were sent and what they took, in the order of the plan. */
export interface AnsweredTimes {
  readonly sentAtMs: Float64Array
  readonly serviceMs: Float64Array
  /** Those about one utterance together, told by its place in the run. */
  readonly byUtterance: NumberGroups
}

/** @param isWanted whether the request of a row is to be among them; all are, unless told */
export function answeredTimes(
  requests: JudgedContender['requests'],
  isWanted: (row: number) => boolean = () => true,
): AnsweredTimes {
  const places = new Uint32Array(requests.length)
  const [sentAtMs, serviceMs] = [numberColumn(requests.length), numberColumn(requests.length)]
  let [row, count] = [-1, 0]
  for (const { attempt, status, utterancePlace } of requests) {
    row += 1
    if (attempt === null || status !== 'scored' || !isWanted(row)) continue
    places[count] = utterancePlace
    sentAtMs.add(attempt.sentAtMs)
    serviceMs.add(attempt.endedAtMs - attempt.sentAtMs)
    count += 1
  }
  return {
    sentAtMs: sentAtMs.values(),
    serviceMs: serviceMs.values(),
    byUtterance: groupNumbers(places.subarray(0, count)),
  }
}
