import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { counted, formatCount, formatPercent, type PageCorrection, type PageUtterance } from '#reports/page'
import { errorCount, errorRate, noErrors, sumCounts, timesCounts } from '#scoring/counts'
import type { Profile } from '#scoring/profiles/profile'
import type { ErrorCounts } from '#scoring/shapes'
import { ContenderName } from '../layout.tsx'
import { type Subject, utteranceAddress } from './library.ts'
import {
  type Board,
  changedWords,
  countBoard,
  currentText,
  findOrigin,
  heads,
  type Origin,
  rankRates,
  withReference,
} from './review.ts'

export interface BoardPanelProps {
  readonly subject: Subject
  /** References that were suspect when the review began. */
  readonly doubtIds: readonly string[]
  readonly undecidedIds: ReadonlySet<string>
  /** Indexes of contenders whose own text the references are. */
  readonly selfReferences: readonly number[]
  /** Command that counts the corrections; null if nothing was measured. */
  readonly scoreCommand: string | null
  /** Utterances with the references of the run. */
  readonly rows: readonly PageUtterance[]
  readonly lines: readonly PageCorrection[]
  readonly draft: { readonly utteranceId: string; readonly text: string } | null
  /** The board as the server scored it with all confirmed corrections; null before that. */
  readonly exact: Board | null
  readonly problem: string | null
  readonly isBlind: boolean
  readonly file: string
  onBlind(isBlind: boolean): void
  readonly onUndo: (() => void) | null
}

/** The effect of the corrections on the leaderboard, and of a text that is being typed. */
export function BoardPanel(props: BoardPanelProps): JSX.Element {
  const { subject, selfReferences, rows, lines, draft, exact, problem, isBlind, file } = props
  const { scoreCommand, onBlind, onUndo } = props
  const { contenders, profile } = subject
  const byId = useMemo(() => new Map(rows.map((row) => [row.id, row])), [rows])
  const before = useMemo(() => countBoard(rows, contenders.length), [rows, contenders])
  const state = useMemo(
    () => countState(byId, lines, profile, selfReferences),
    [byId, lines, profile, selfReferences],
  )
  const { origins } = state
  const now = useMemo(
    () => boardWith(before, byId, lines, draft, profile, contenders.length),
    [before, byId, lines, draft, profile, contenders],
  )
  const [orderBefore, orderNow] = [rankRates(before.map(errorRate)), rankRates(now.map(errorRate))]
  const hasMoved = orderBefore.join() !== orderNow.join()
  return (
    <section class="board" aria-labelledby="board-title">
      <div class="board-head">
        <h2 id="board-title">
          {counted(state.changedWordCount, 'word')} changed in {counted(state.changedCount, 'reference')}
          {isBlind || contenders.length < 2 || (lines.length === 0 && draft === null)
            ? ''
            : hasMoved
              ? ': the leaderboard moved'
              : ': the order is as it was'}
        </h2>
        <label>
          <input
            type="checkbox"
            checked={isBlind}
            onChange={({ currentTarget: { checked } }) => onBlind(checked)}
          />{' '}
          blind: type from the recording before any text is shown
        </label>
        <button type="button" disabled={onUndo === null} onClick={() => onUndo?.()}>
          Undo the last correction
        </button>
      </div>
      <Decisions {...props} />
      {problem === null ? null : (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      {isBlind ? (
        <p class="quiet">Names and figures are hidden while you listen blind.</p>
      ) : (
        <ol class="standing">
          {orderNow.map((index) => {
            const counts = now[index]
            const was = before[index]
            if (counts === undefined || was === undefined) return null
            return (
              <li key={contenders[index]}>
                <ContenderName index={index} id={contenders[index] ?? ''} />{' '}
                <strong data-rate>{rate(counts)}</strong>{' '}
                <span class="quiet">
                  {errorCount(counts) === errorCount(was) ? '' : `before ${rate(was)} `}
                  {draft === null ? interval(exact, contenders[index] ?? '') : 'while typing'}
                </span>
              </li>
            )
          })}
        </ol>
      )}
      <p class="quiet provenance">
        References: {formatCount(origins.given)} as the corpus gives them, {formatCount(origins.engine)} a
        contender’s own, {formatCount(origins.correctedFrom)} corrected from a contender’s,{' '}
        {formatCount(origins.corrected)} corrected by people who saw texts, {formatCount(origins.blind)} typed
        blind. Written to <code>{file}</code>
        {scoreCommand === null ? (
          '.'
        ) : (
          <>
            ; <code>{scoreCommand}</code> applies them.
          </>
        )}
      </p>
      {state.conflicts.length === 0 ? null : (
        <p class="caution" role="status">
          Two people disagree about{' '}
          {state.conflicts.map((id) => (
            <a href={utteranceAddress(id)} key={id}>
              <bdi>{id}</bdi>{' '}
            </a>
          ))}
        </p>
      )}
    </section>
  )
}

const listedUndecided = 8

/** The number of decided references among the suspects or drafts, and links to the next undecided ones. */
function Decisions(
  props: Pick<BoardPanelProps, 'subject' | 'doubtIds' | 'undecidedIds'>,
): JSX.Element | null {
  const { subject, doubtIds, undecidedIds } = props
  const open = [...undecidedIds]
  if (open.length === 0 && doubtIds.length === 0) return null
  const isCorpus = subject.contenders.length === 0
  const inDoubt = isCorpus
    ? counted(doubtIds.length, 'draft')
    : `${counted(doubtIds.length, 'reference')} in doubt`
  if (open.length === 0) return <p class="decisions good">{inDoubt}, all decided.</p>
  return (
    <p class="decisions">
      <strong>
        {inDoubt}, {formatCount(open.length)} to decide:
      </strong>{' '}
      {open.slice(0, listedUndecided).map((id) => (
        <a href={utteranceAddress(id)} key={id}>
          <bdi>{id}</bdi>
        </a>
      ))}
      {open.length > listedUndecided ? (
        <span class="quiet">and {formatCount(open.length - listedUndecided)} more, listed first below</span>
      ) : null}
    </p>
  )
}

function rate(counts: ErrorCounts): string {
  const value = errorRate(counts)
  return value === null ? '–' : formatPercent(value, 2)
}

function interval(board: Board | null, contenderId: string): string {
  const row = board?.find((each) => each.contenderId === contenderId)
  if (row === undefined || row.low === null || row.high === null) return ''
  return `95% interval ${formatPercent(row.low)} – ${formatPercent(row.high)}`
}

/** The board with confirmed corrections and the draft; only utterances that differ are counted again. */
function boardWith(
  before: readonly ErrorCounts[],
  byId: ReadonlyMap<string, PageUtterance>,
  lines: readonly PageCorrection[],
  draft: BoardPanelProps['draft'],
  profile: Profile,
  contenderCount: number,
): readonly ErrorCounts[] {
  const texts = new Map<string, string>()
  for (const [id, corrections] of Map.groupBy(lines, ({ utteranceId }) => utteranceId)) {
    texts.set(id, currentText(byId.get(id)?.reference ?? '', corrections))
  }
  if (draft !== null) texts.set(draft.utteranceId, draft.text)
  const touched = [...texts].flatMap(([id, text]) => {
    const row = byId.get(id)
    return row === undefined ? [] : [{ row, revised: withReference(row, text, profile) }]
  })
  const old = countBoard(
    touched.map(({ row }) => row),
    contenderCount,
  )
  const revised = countBoard(
    touched.map(({ revised: revisedRow }) => revisedRow),
    contenderCount,
  )
  return before.map((counts, index) =>
    sumCounts([counts, timesCounts(old[index] ?? noErrors, -1), revised[index] ?? noErrors]),
  )
}

/** Totals of the corrections: changed words and references, conflicts, and references by origin. */
function countState(
  byId: ReadonlyMap<string, PageUtterance>,
  lines: readonly PageCorrection[],
  profile: Profile,
  selfReferences: readonly number[],
) {
  const byUtterance = Map.groupBy(lines, ({ utteranceId }) => utteranceId)
  const origins: Record<Origin, number> = { given: 0, engine: 0, correctedFrom: 0, corrected: 0, blind: 0 }
  const conflicts: string[] = []
  let [changedWordCount, changedCount] = [0, 0]
  for (const [id, row] of byId) {
    const corrections = byUtterance.get(id) ?? []
    const original = row.reference ?? ''
    const text = currentText(original, corrections)
    if (text !== original) {
      changedCount += 1
      changedWordCount += changedWords(original, text, profile)
    }
    if (heads(original, corrections).length > 1) conflicts.push(id)
    origins[findOrigin(row, original, corrections, selfReferences)] += 1
  }
  return { changedWordCount, changedCount, conflicts, origins }
}
