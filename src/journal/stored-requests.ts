import type { PlannedSend } from '#load'
import {
  growingTable,
  lazyRows,
  type NumberTable,
  numberAt,
  type Rows,
  sharedValues,
  textCodes,
} from '#prelude'
import type { PlannedRequest } from './plan-line.ts'

/** What the requests of one block have in common. */
type RequestKind = Pick<PlannedRequest, 'phase' | 'round' | 'block' | 'contenderId'> & {
  readonly send: PlannedSend['kind'] | null
}

/** The requests of a plan as columns. */
export interface StoredRequests {
  readonly length: number
  /** Index less row, which is mostly 0, and the up to three numbers of the sending. */
  readonly doubles: NumberTable
  /** Kind and utterance. */
  readonly codes: NumberTable
  readonly kinds: readonly RequestKind[]
  readonly texts: readonly string[]
}

export interface RequestStore {
  add(line: PlannedRequest): void
  /** All that were added. */
  stored(): StoredRequests
}

export function requestStore(): RequestStore {
  const texts = textCodes()
  const utteranceCode = texts.column()
  const doubles = growingTable(4, 'double')
  const codes = growingTable(2, 'code')
  const kinds = sharedValues(isSameKind)
  let length = 0
  return {
    add({ index, phase, round, block, contenderId, utteranceId, send }) {
      doubles.add([index - length, ...numbersOf(send)])
      const kind = kinds.codeOf({ phase, round, block, contenderId, send: send?.kind ?? null })
      codes.add([kind, utteranceCode(utteranceId)])
      length += 1
    },
    stored: () => ({
      length,
      doubles: doubles.table(),
      codes: codes.table(),
      kinds: kinds.values,
      texts: texts.texts,
    }),
  }
}

export function requestRows(stored: StoredRequests): Rows<PlannedRequest> {
  return lazyRows(stored.length, (row) => requestAt(stored, row))
}

function numbersOf(send: PlannedSend | null): readonly [number, number, number] {
  switch (send?.kind) {
    case 'due':
      return [send.dueAtMs, 0, 0]
    case 'spoken':
      return [send.speaker, send.pauseMs, send.speechMs]
    default:
      return [0, 0, 0]
  }
}

function isSameKind(a: RequestKind, b: RequestKind): boolean {
  return (
    a.block === b.block &&
    a.phase === b.phase &&
    a.round === b.round &&
    a.contenderId === b.contenderId &&
    a.send === b.send
  )
}

function requestAt({ doubles, codes, kinds, texts }: StoredRequests, row: number): PlannedRequest {
  const { phase, round, block, contenderId, send } = kinds[numberAt(codes, row, 0)] as RequestKind
  return {
    kind: 'request',
    index: numberAt(doubles, row, 0) + row,
    phase,
    round,
    block,
    contenderId,
    utteranceId: texts[numberAt(codes, row, 1)] as string,
    send: send === 'next' ? nextSend : send === null ? null : timedSend(doubles, row, send),
  }
}

const nextSend: PlannedSend = { kind: 'next' }

function timedSend(doubles: NumberTable, row: number, kind: 'due' | 'spoken'): PlannedSend {
  const first = numberAt(doubles, row, 1)
  if (kind === 'due') return { kind, dueAtMs: first }
  return { kind, speaker: first, pauseMs: numberAt(doubles, row, 2), speechMs: numberAt(doubles, row, 3) }
}
