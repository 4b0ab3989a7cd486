import { groupNumbers, numberColumn, partsOfColumn } from '#prelude'
import type { ResolvedContender } from './resolved-run.ts'

/** When the answered requests of a contender were sent and what they took, utterance by utterance. */
export interface AnsweredTimes {
  /** Index of each utterance among those of the run, in the order in which they were first asked. */
  readonly utterancePlaces: Uint32Array
  readonly requestCount: number
  /** Of the n-th utterance, in the order of the plan. */
  sentAtMs(utterance: number): Float64Array
  serviceMs(utterance: number): Float64Array
}

/** @param isWanted whether the request of a row is included; default: all are */
export function answeredTimes(
  requests: ResolvedContender['requests'],
  isWanted: (row: number) => boolean = () => true,
): AnsweredTimes {
  const [places, answered] = [new Uint32Array(requests.length), new Uint32Array(requests.length)]
  let [row, count] = [-1, 0]
  for (const { status, utterancePlace, reused } of requests) {
    row += 1
    if (status !== 'scored' || reused !== null || !isWanted(row)) continue
    places[count] = utterancePlace
    answered[count] = row
    count += 1
  }
  const groups = groupNumbers(places.subarray(0, count))
  const [sentAtMs, serviceMs] = [numberColumn(count), numberColumn(count)]
  for (const at of groups.rows) {
    const attempt = requests.at(answered[at] as number)?.attempt
    if (attempt === undefined || attempt === null) throw new TypeError('what was answered was not sent')
    sentAtMs.add(attempt.sentAtMs)
    serviceMs.add(attempt.endedAtMs - attempt.sentAtMs)
  }
  return {
    utterancePlaces: groups.keys,
    requestCount: count,
    sentAtMs: partsOfColumn(groups, sentAtMs.values()),
    serviceMs: partsOfColumn(groups, serviceMs.values()),
  }
}
