import type { AttemptLine, GivenUpContender, RunCounts, RunEnding } from '#journal'

/** What happens during a run, for the programs that show it. Sent after the fact, never between two stamps. */
export type RunEvent =
  /** Other runs of this user cannot see which Modes this one holds. Sent for every target. */
  | { readonly kind: 'markUnwritten'; readonly folder: string; readonly reason: string }
  | {
      readonly kind: 'modeReady'
      readonly contenderId: string
      readonly modeName: string
      readonly isTemporary: boolean
    }
  | { readonly kind: 'warmingUp'; readonly contenderId: string }
  | { readonly kind: 'warmedUp'; readonly contenderId: string; readonly firstRequestMs: number | null }
  | {
      readonly kind: 'attempted'
      readonly line: AttemptLine
      readonly counts: RunCounts
      readonly inFlight: number
      /** Requests whose last attempt was refused for a rate limit and that will be sent again. */
      readonly pausedCount: number
    }
  /** The server asked for a pause by refusing this attempt; until it is over, the contender is sent nothing. */
  | { readonly kind: 'paused'; readonly line: AttemptLine; readonly forSeconds: number }
  /** The contender is sent nothing more. */
  | { readonly kind: 'gaveUp'; readonly contender: GivenUpContender }
  | { readonly kind: 'ended'; readonly counts: RunCounts; readonly ending: RunEnding | null }
  | {
      readonly kind: 'modeLeft'
      readonly contenderId: string
      readonly reason: string
      /** The command that tries once more to give it back; null where that is for a person to do. */
      readonly clean: string | null
    }
