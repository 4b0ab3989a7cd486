import type { RequestFailure } from '#contract'
import {
  type GrowingTable,
  growingTable,
  lazyRows,
  type NumberTable,
  numberAt,
  type Rows,
  type SharedValues,
  sharedValues,
  textCodes,
} from '#prelude'
import type { AttemptAnswer, AttemptLine, AttemptSocket } from './attempt-line.ts'

/** What the attempts of one block mostly have in common. */
interface AttemptKind
  extends Pick<
    AttemptLine,
    | 'attempt'
    | 'segment'
    | 'phase'
    | 'round'
    | 'block'
    | 'contenderId'
    | 'modeId'
    | 'transport'
    | 'refusedTransport'
    | 'pacedMs'
    | 'resentFor'
    | 'resentMs'
  > {
  /** Null where it failed. */
  readonly answer: Pick<AttemptAnswer, 'engine' | 'model' | 'language' | 'format' | 'isPostProcessed'> | null
}

/** The attempts of a run as columns: a million of them take 100 MB, where as many objects take a gigabyte. */
export interface StoredAttempts {
  readonly length: number
  /** In the order of `doubleColumns`; what is absent is NaN. */
  readonly doubles: NumberTable
  /** In the order of `codeColumns`. */
  readonly codes: NumberTable
  readonly kinds: readonly AttemptKind[]
  readonly failures: readonly RequestFailure[]
  readonly texts: readonly string[]
}

const doubleColumns = {
  /** Less the row: mostly the same for all. */
  indexLessRow: 0,
  audioSeconds: 1,
  bodyBytes: 2,
  dueAtMs: 3,
  sentAtMs: 4,
  firstByteAtMs: 5,
  endedAtMs: 6,
  startedAtMs: 7,
  connectMs: 8,
  uploadedAtMs: 9,
  serverLoadMs: 10,
  serverDecodeMs: 11,
  serverLatencyMs: 12,
} as const

const codeColumns = { kind: 0, utteranceId: 1, textOrFailure: 2, rawText: 3, cuts: 4, times: 5 } as const

/** In place of the code of a text that is null. */
const noText = 2 ** 32 - 1

interface AttemptTexts {
  utteranceCode(id: string): number
  textCode(text: string): number
  rawTextCode(text: string): number
  /** Of cuts as JSON: mostly the same at every sending of a recording. */
  cutsCode(text: string): number
  /** Of times as JSON, in the same way. */
  timesCode(text: string): number
  readonly kinds: SharedValues<AttemptKind>
  readonly failures: SharedValues<RequestFailure>
}

export interface AttemptStore {
  add(line: AttemptLine): void
  /** All that were added. */
  stored(): StoredAttempts
}

export function attemptStore(): AttemptStore {
  const texts = textCodes()
  const doubles = growingTable(Object.keys(doubleColumns).length, 'double')
  const codes = growingTable(Object.keys(codeColumns).length, 'code')
  const kinds = sharedValues(isSameKind)
  const failures = sharedValues<RequestFailure>(() => false)
  const [utteranceCode, textCode, rawTextCode] = [texts.column(), texts.column(), texts.column()]
  const [cutsCode, timesCode] = [texts.column(), texts.column()]
  const columns = { utteranceCode, textCode, rawTextCode, cutsCode, timesCode, kinds, failures }
  let length = 0
  return {
    add(line) {
      addDoubles(doubles, line, length)
      addCodes(codes, line, columns)
      length += 1
    },
    stored: () => ({
      length,
      doubles: doubles.table(),
      codes: codes.table(),
      kinds: kinds.values,
      failures: failures.values,
      texts: texts.texts,
    }),
  }
}

export function attemptRows(stored: StoredAttempts): Rows<AttemptLine> {
  return lazyRows(stored.length, (row) => new StoredAttempt(stored, row))
}

function addDoubles(doubles: GrowingTable, line: AttemptLine, row: number): void {
  const { socket, outcome } = line
  const answer = outcome.ok ? outcome.answer : null
  doubles.add([
    line.index - row,
    line.audioSeconds,
    line.bodyBytes,
    line.dueAtMs,
    line.sentAtMs,
    line.firstByteAtMs ?? Number.NaN,
    line.endedAtMs,
    socket?.startedAtMs ?? Number.NaN,
    socket?.connectMs ?? Number.NaN,
    socket?.uploadedAtMs ?? Number.NaN,
    answer?.serverLoadMs ?? Number.NaN,
    answer?.serverDecodeMs ?? Number.NaN,
    answer?.serverLatencyMs ?? Number.NaN,
  ])
}

function addCodes(codes: GrowingTable, line: AttemptLine, texts: AttemptTexts): void {
  const { outcome } = line
  const kind = texts.kinds.codeOf(kindOf(line))
  const utterance = texts.utteranceCode(line.utteranceId)
  if (outcome.ok) {
    const { text, rawText, cutsSeconds, times: timed } = outcome.answer
    const raw = rawText === null ? noText : texts.rawTextCode(rawText)
    const cuts = cutsSeconds === undefined ? noText : texts.cutsCode(JSON.stringify(cutsSeconds))
    const times = timed === undefined ? noText : texts.timesCode(JSON.stringify(timed))
    codes.add([kind, utterance, texts.textCode(text), raw, cuts, times])
  } else codes.add([kind, utterance, texts.failures.codeOf(outcome.failure), noText, noText, noText])
}

function kindOf(line: AttemptLine): AttemptKind {
  return {
    attempt: line.attempt,
    segment: line.segment,
    phase: line.phase,
    round: line.round,
    block: line.block,
    contenderId: line.contenderId,
    modeId: line.modeId,
    transport: line.transport,
    refusedTransport: line.refusedTransport,
    pacedMs: line.pacedMs,
    resentFor: line.resentFor,
    resentMs: line.resentMs,
    answer: line.outcome.ok ? answererOf(line.outcome.answer) : null,
  }
}

function answererOf({
  engine,
  model,
  language,
  format,
  isPostProcessed,
}: AttemptAnswer): AttemptKind['answer'] {
  return { engine, model, language, format, isPostProcessed }
}

function isSameKind(a: AttemptKind, b: AttemptKind): boolean {
  return (
    a.block === b.block &&
    a.attempt === b.attempt &&
    a.segment === b.segment &&
    a.phase === b.phase &&
    a.round === b.round &&
    a.contenderId === b.contenderId &&
    a.modeId === b.modeId &&
    a.transport === b.transport &&
    a.refusedTransport === b.refusedTransport &&
    a.pacedMs === b.pacedMs &&
    a.resentMs === b.resentMs &&
    a.resentFor?.join() === b.resentFor?.join() &&
    a.answer?.format === b.answer?.format &&
    a.answer?.engine === b.answer?.engine &&
    a.answer?.model === b.answer?.model &&
    a.answer?.language === b.answer?.language &&
    a.answer?.isPostProcessed === b.answer?.isPostProcessed
  )
}

/**
 * One attempt, read from its columns when it is asked. A class instead of an object, because many million
 * fields of a large run are looked at this way, and getters of a class are what the engine makes fast. Its fields are
 * not its own: where it is to be copied or written, that is done by `toJSON`.
 */
class StoredAttempt implements AttemptLine {
  readonly #stored: StoredAttempts
  readonly #row: number

  constructor(stored: StoredAttempts, row: number) {
    this.#stored = stored
    this.#row = row
  }

  get index(): number {
    return this.#double('indexLessRow') + this.#row
  }
  get attempt(): number {
    return this.#kind.attempt
  }
  get segment(): number | undefined {
    return this.#kind.segment
  }
  get phase(): AttemptLine['phase'] {
    return this.#kind.phase
  }
  get round(): number {
    return this.#kind.round
  }
  get block(): number {
    return this.#kind.block
  }
  get contenderId(): string {
    return this.#kind.contenderId
  }
  get utteranceId(): string {
    return textAt(this.#stored, this.#row, 'utteranceId') ?? ''
  }
  get modeId(): string | null {
    return this.#kind.modeId
  }
  get transport(): AttemptLine['transport'] {
    return this.#kind.transport
  }
  get refusedTransport(): AttemptLine['refusedTransport'] {
    return this.#kind.refusedTransport
  }
  get pacedMs(): number | undefined {
    return this.#kind.pacedMs
  }
  get resentFor(): AttemptLine['resentFor'] {
    return this.#kind.resentFor
  }
  get resentMs(): number | undefined {
    return this.#kind.resentMs
  }
  get audioSeconds(): number {
    return this.#double('audioSeconds')
  }
  get bodyBytes(): number {
    return this.#double('bodyBytes')
  }
  get dueAtMs(): number {
    return this.#double('dueAtMs')
  }
  get sentAtMs(): number {
    return this.#double('sentAtMs')
  }
  get firstByteAtMs(): number | null {
    return this.#known('firstByteAtMs')
  }
  get endedAtMs(): number {
    return this.#double('endedAtMs')
  }
  get socket(): AttemptSocket | undefined {
    const startedAtMs = this.#known('startedAtMs')
    if (startedAtMs === null) return undefined
    return { startedAtMs, connectMs: this.#double('connectMs'), uploadedAtMs: this.#known('uploadedAtMs') }
  }
  get outcome(): AttemptLine['outcome'] {
    const { answer } = this.#kind
    if (answer === null) {
      return { ok: false, failure: this.#stored.failures[this.#code('textOrFailure')] as RequestFailure }
    }
    return { ok: true, answer: new StoredAnswer(this.#stored, this.#row, answer) }
  }

  toJSON(): AttemptLine {
    const { index, audioSeconds, bodyBytes, dueAtMs, sentAtMs, firstByteAtMs, endedAtMs } = this
    const { answer: _answer, ...kind } = this.#kind
    const times = { dueAtMs, sentAtMs, firstByteAtMs, endedAtMs, socket: this.socket }
    const { utteranceId, outcome } = this
    return { index, ...kind, utteranceId, audioSeconds, bodyBytes, ...times, outcome }
  }

  get #kind(): AttemptKind {
    return this.#stored.kinds[this.#code('kind')] as AttemptKind
  }
  #double(column: keyof typeof doubleColumns): number {
    return numberAt(this.#stored.doubles, this.#row, doubleColumns[column])
  }
  #known(column: keyof typeof doubleColumns): number | null {
    return knownAt(this.#stored, this.#row, column)
  }
  #code(column: keyof typeof codeColumns): number {
    return numberAt(this.#stored.codes, this.#row, codeColumns[column])
  }
}

/** What an attempt was answered, in the same way: mostly one field of it is looked at. */
class StoredAnswer implements AttemptAnswer {
  readonly #stored: StoredAttempts
  readonly #row: number
  readonly #kind: NonNullable<AttemptKind['answer']>

  constructor(stored: StoredAttempts, row: number, kind: NonNullable<AttemptKind['answer']>) {
    this.#stored = stored
    this.#row = row
    this.#kind = kind
  }

  get text(): string {
    return textAt(this.#stored, this.#row, 'textOrFailure') ?? ''
  }
  get rawText(): string | null {
    return textAt(this.#stored, this.#row, 'rawText')
  }
  get engine(): string {
    return this.#kind.engine
  }
  get model(): string {
    return this.#kind.model
  }
  get language(): string | null {
    return this.#kind.language
  }
  get serverLoadMs(): number | null {
    return knownAt(this.#stored, this.#row, 'serverLoadMs')
  }
  get serverDecodeMs(): number | null {
    return knownAt(this.#stored, this.#row, 'serverDecodeMs')
  }
  get serverLatencyMs(): number | null {
    return knownAt(this.#stored, this.#row, 'serverLatencyMs')
  }
  get cutsSeconds(): AttemptAnswer['cutsSeconds'] {
    const cuts = textAt(this.#stored, this.#row, 'cuts')
    return cuts === null ? undefined : JSON.parse(cuts)
  }
  get times(): AttemptAnswer['times'] {
    const times = textAt(this.#stored, this.#row, 'times')
    return times === null ? undefined : JSON.parse(times)
  }
  get format(): AttemptAnswer['format'] {
    return this.#kind.format
  }
  get isPostProcessed(): AttemptAnswer['isPostProcessed'] {
    return this.#kind.isPostProcessed
  }

  toJSON(): AttemptAnswer {
    const { text, rawText, engine, model, language, cutsSeconds, format, times, isPostProcessed } = this
    const { serverLoadMs, serverDecodeMs, serverLatencyMs } = this
    const durations = { serverLoadMs, serverDecodeMs, serverLatencyMs }
    return {
      ...{ text, rawText, engine, model, language },
      ...durations,
      ...{ cutsSeconds, format, times, isPostProcessed },
    }
  }
}

function knownAt(
  { doubles }: StoredAttempts,
  row: number,
  column: keyof typeof doubleColumns,
): number | null {
  const value = numberAt(doubles, row, doubleColumns[column])
  return Number.isNaN(value) ? null : value
}

function textAt(
  { codes, texts }: StoredAttempts,
  row: number,
  column: keyof typeof codeColumns,
): string | null {
  const code = numberAt(codes, row, codeColumns[column])
  return code === noText ? null : (texts[code] as string)
}
