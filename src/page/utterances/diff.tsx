import type { ComponentChildren, JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { sumOf } from '#prelude'
import { type AlignedColumn, alignColumns } from '#reports/page'
import type { Profile } from '#scoring/profiles/profile'
import { alignPair } from '#scoring/score-utterance'
import type { AlignmentStep } from '#scoring/shapes'
import { useWidth } from '../charts.tsx'
import { ContenderName } from '../layout.tsx'

/** One text to compare with the reference. */
export interface DiffSide {
  readonly key: string
  /** Index of its colour. */
  readonly contender: number
  readonly contenderId: string
  /** Text next to the name. */
  readonly remark: string
  /** Null without an answer. */
  readonly text: string | null
}

/** Called with the position of a clicked word in the reference, 0..1; null if there is no recording. */
type OnWord = ((share: number) => void) | null

export interface DiffProps {
  readonly reference: string
  readonly sides: readonly DiffSide[]
  readonly profile: Profile
  readonly onWord: OnWord
}

/** The reference and all answers, aligned in the browser. */
export function Diff({ reference, sides, profile, onWord }: DiffProps): JSX.Element {
  const columns = useMemo(() => alignSides(reference, sides, profile), [reference, sides, profile])
  return <AlignedWords columns={columns} sides={sides} onWord={onWord} reference={reference} />
}

export interface AlignedWordsProps {
  readonly columns: readonly AlignedColumn[]
  /** Sides in the order of the steps of a column. */
  readonly sides: readonly Omit<DiffSide, 'text'>[]
  readonly onWord: OnWord
  /** The reference as written, which determines the reading direction. */
  readonly reference: string
}

const nameWidth = 190
const narrow = 560

/** Words in fixed columns, so that errors in one word are below each other. */
export function AlignedWords({ columns, sides, onWord, reference }: AlignedWordsProps): JSX.Element {
  const [place, width] = useWidth<HTMLDivElement>(900)
  const widthOf = useMemo(() => measure(), [])
  const isNarrow = width < narrow
  const cut = lines(columns, columnWidth(widthOf), isNarrow ? width : width - nameWidth)
  const isMirrored = isRightToLeft(reference)
  const shares = measureShares(columns)
  return (
    <div class={isNarrow ? 'diff narrow' : 'diff'} ref={place}>
      {columns.length === 0 ? <p class="quiet">Neither the reference nor any answer holds a word.</p> : null}
      {cut.map((line, at) => (
        <table dir={isMirrored ? 'rtl' : 'ltr'} key={line[0]?.position ?? at}>
          <tbody>
            <NamedRow isNarrow={isNarrow} name="reference" rowClass="reference">
              {line.map((column, columnIndex) => (
                <td key={columnIndex}>
                  <ReferenceWord column={column} onWord={onWord} share={shares.get(column) ?? 0} />
                </td>
              ))}
            </NamedRow>
            {sides.map((side, index) => (
              <NamedRow isNarrow={isNarrow} key={side.key} name={<SideName side={side} />}>
                {line.map((column, columnIndex) => (
                  <StepCell step={column.steps[index] ?? null} key={columnIndex} />
                ))}
              </NamedRow>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  )
}

interface NamedRowProps {
  readonly isNarrow: boolean
  readonly name: ComponentChildren
  readonly rowClass?: string
  readonly children: readonly JSX.Element[]
}

/** The name is in the line of the words, or above it where the line has no room. */
function NamedRow({ isNarrow, name, rowClass, children }: NamedRowProps): JSX.Element {
  if (!isNarrow)
    return (
      <tr class={rowClass}>
        <th scope="row">
          <span dir="ltr">{name}</span>
        </th>
        {children}
      </tr>
    )
  return (
    <>
      <tr class={rowClass}>
        <th colSpan={children.length + 1} scope="row">
          <span dir="ltr">{name}</span>
        </th>
      </tr>
      <tr class={rowClass}>
        {children}
        <td class="rest" />
      </tr>
    </>
  )
}

function SideName({ side }: { readonly side: Omit<DiffSide, 'text'> }): JSX.Element {
  return (
    <>
      <ContenderName index={side.contender} id={side.contenderId} />
      <small>{side.remark}</small>
    </>
  )
}

function alignSides(reference: string, sides: readonly DiffSide[], profile: Profile): AlignedColumn[] {
  const stepsOf = (hypothesis: string): readonly AlignmentStep[] =>
    alignPair({ reference, hypothesis }, profile).steps
  const words = stepsOf('').flatMap((step) => step.reference ?? [])
  return alignColumns(
    words,
    sides.map(({ text }) => (text === null ? null : stepsOf(text))),
  )
}

/** The position of every column in the letters of the reference, 0..1. */
function measureShares(columns: readonly AlignedColumn[]): ReadonlyMap<AlignedColumn, number> {
  const all = sumOf(columns, ({ reference }) => reference?.length ?? 0)
  const shares = new Map<AlignedColumn, number>()
  let before = 0
  for (const column of columns) {
    shares.set(column, all === 0 ? 0 : before / all)
    before += column.reference?.length ?? 0
  }
  return shares
}

/** Measures widths of texts in the font of the diff, in pixels. */
function measure(): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return (text) => text.length * 9
  context.font = `500 15px ${getComputedStyle(document.body).fontFamily}`
  return (text) => context.measureText(text).width
}

const padding = 11
/** Width of the mark of a deleted word, which is not measured because the style sheet pads it. */
const deletedWidth = 22

function columnWidth(widthOf: (text: string) => number): (column: AlignedColumn) => number {
  const stepWidth = (step: AlignmentStep | null): number =>
    step?.kind === 'deletion' ? deletedWidth : widthOf(step?.hypothesis ?? '')
  return ({ reference, steps }) => Math.max(widthOf(reference ?? '·'), ...steps.map(stepWidth)) + padding
}

interface ReferenceWordProps {
  readonly column: AlignedColumn
  readonly share: number
  readonly onWord: OnWord
}

function ReferenceWord({ column: { reference }, share, onWord }: ReferenceWordProps): JSX.Element {
  if (reference === null) return <span class="gap">·</span>
  if (onWord === null) return <bdi>{reference}</bdi>
  return (
    <button
      type="button"
      class="word"
      title="Hear it from about here: the place is estimated from the letters before it"
      onClick={() => onWord(share)}
    >
      <bdi>{reference}</bdi>
    </button>
  )
}

function StepCell({ step }: { readonly step: AlignmentStep | null }): JSX.Element {
  if (step === null) return <td class="gap" />
  if (step.kind === 'deletion')
    return (
      <td class="deletion">
        <span class="unseen">deleted</span>
        <span aria-hidden="true">–</span>
      </td>
    )
  return (
    <td class={step.kind}>
      {step.kind === 'hit' ? null : (
        <span class="unseen">{step.kind === 'insertion' ? 'inserted: ' : 'instead: '}</span>
      )}
      <bdi>{step.hypothesis}</bdi>
    </td>
  )
}

/** Splits columns into lines that fit the width, with at least one column each. */
function lines<Column>(
  columns: readonly Column[],
  widthOf: (column: Column) => number,
  available: number,
): (readonly Column[])[] {
  const cut: Column[][] = []
  let usedWidth = Number.POSITIVE_INFINITY
  for (const column of columns) {
    const width = widthOf(column)
    if (usedWidth + width > available) {
      cut.push([])
      usedWidth = 0
    }
    cut.at(-1)?.push(column)
    usedWidth += width
  }
  return cut
}

/** Whether a text is read from right to left, judged by its first letter with a direction. */
function isRightToLeft(text: string): boolean {
  const letter = /\p{L}/u.exec(text)?.[0] ?? ''
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(letter)
}
