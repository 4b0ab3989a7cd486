import type { PathologyKind } from '#scoring'

/** What the ways to go wrong are called. */
export const pathologyNames: Readonly<Record<PathologyKind, string>> = {
  hallucination: 'hallucination',
  loop: 'loop',
  emptyOutput: 'nothing at all',
  missingStart: 'start missing',
  missingMiddle: 'middle missing',
  missingEnd: 'end missing',
  wrongScript: 'wrong script',
}
