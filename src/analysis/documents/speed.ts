import type { Interval } from '#rates'
import type { Crossover } from './latency.ts'

/** Audio seconds transcribed per second, over the steady part of every block of one contender. */
export type SystemSpeed = MissingSpeed | MeasuredSpeed

interface MissingSpeed {
  readonly value: null
  readonly reason: string
  /** Answers that the blocks lack for a steady window each; null where more would not help. */
  readonly moreAnswers: number | null
}

interface MeasuredSpeed {
  /** Sum of audio seconds / sum of window seconds. */
  readonly value: number
  readonly audioSeconds: number
  readonly windowSeconds: number
  /** Blocks with a steady window. */
  readonly blockCount: number
  /** Blocks too short for one; they are in no sum above. */
  readonly shortBlockCount: number
  /** Mean number of requests in flight over the windows; a closed schedule of N keeps it near N. */
  readonly meanInFlight: number
  /** Answers and failures inside the windows. */
  readonly completedCount: number
  /** What Little's law makes of completions and times: should equal `meanInFlight`. */
  readonly predictedInFlight: number
}

/** How much faster one contender was than another one, within one run. */
export interface SpeedDifference {
  readonly faster: string
  readonly slower: string
  /**
   * `speed`: the ratio of the two system speeds. `latency`: the geometric mean over the requests of the slower one's
   * latency over the faster one's, for loads under which everything that is offered is done.
   */
  readonly basis: 'speed' | 'latency'
  /** How many times faster, 1 or more. */
  readonly ratio: number
  /**
   * Of the ratio: the spread between pairs of turns of this run, over the same utterances. What a further run would
   * differ by is not in it. Null with too few turns.
   */
  readonly interval: Interval | null
  /** By more than the margin for certain, by less for certain, or neither. Sure together with all other pairs. */
  readonly verdict: 'faster' | 'alike' | 'unresolved'
  /** Why it is unresolved, where the interval does not say it. */
  readonly reason: string | null
}

/** Every two contenders of a run by their speed. */
export interface SpeedDifferences {
  /** Why speeds of this run are not compared; `pairs` is empty then. Null where they are. */
  readonly withheld: string | null
  /** A ratio within 1 + margin counts as none. */
  readonly margin: number
  /** Turns that the contenders took, each with a block of every one. */
  readonly turnCount: number
  /** Rounds after which there are enough turns for an interval; null where there are, or that is not known. */
  readonly roundsNeeded: number | null
  /** Those of which both have a figure. */
  readonly pairs: readonly SpeedDifference[]
  /** Where the fitted latencies of every two cross; empty with more than four contenders. */
  readonly crossovers: readonly ContenderCrossover[]
}

/** At which length of the audio one of two contenders becomes the faster one. */
interface ContenderCrossover {
  readonly first: string
  readonly second: string
  readonly crossover: Crossover
}
