import type { AttemptLine, RunCounts, RunEnding } from '#journal'

/** What happens during a run, for whoever wants to show it. Sent after the fact, never between two stamps. */
export type RunEvent =
  | {
      readonly kind: 'modeReady'
      readonly contenderId: string
      readonly modeName: string
      readonly isTemporary: boolean
    }
  | { readonly kind: 'warmedUp'; readonly contenderId: string; readonly firstRequestMs: number | null }
  | {
      readonly kind: 'attempted'
      readonly line: AttemptLine
      readonly counts: RunCounts
      readonly inFlight: number
    }
  | { readonly kind: 'ended'; readonly counts: RunCounts; readonly ending: RunEnding | null }
  | {
      readonly kind: 'modeLeft'
      readonly contenderId: string
      readonly reason: string
      /** The command that tries once more to give it back; null where that is for a person to do. */
      readonly clean: string | null
    }
