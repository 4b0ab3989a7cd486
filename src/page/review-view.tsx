import type { JSX } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import type { CorrectionRequest, PageCorrection, ReviewedPage, ServedPage } from '#reports/page'
import { findSubject, RunView } from './run/run-view.tsx'
import { askBoard, reader, sendCorrection } from './server-session.ts'
import { BoardPanel } from './utterances/board.tsx'
import { listed } from './utterances/library.ts'
import {
  type Board,
  countBoard,
  currentText,
  lastInForce,
  measureInfluence,
  type Review,
  undecided,
  withReference,
} from './utterances/review.ts'
import { Utterances } from './utterances/utterances.tsx'

interface ReviewViewProps {
  readonly served: ServedPage
  readonly page: ReviewedPage
}

export function ReviewView({ served, page }: ReviewViewProps): JSX.Element {
  const subject = useMemo(() => findSubject(page), [page])
  const selfReferences = useMemo(
    () =>
      page.kind === 'corpus'
        ? []
        : page.evaluation.audit.selfReferences.map(({ contenderId }) =>
            subject.contenders.indexOf(contenderId),
          ),
    [page, subject],
  )
  const { profile } = subject
  const [lines, setLines] = useState<readonly PageCorrection[]>(served.corrections)
  const [isBlind, setBlind] = useState(false)
  const [seenIds, setSeenIds] = useState<ReadonlySet<string>>(new Set())
  const [draft, setDraft] = useState<{ readonly utteranceId: string; readonly text: string } | null>(null)
  const [board, setBoard] = useState<Board | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [sendingCount, setSendingCount] = useState(0)
  const corrections = useMemo(() => Map.groupBy(lines, ({ utteranceId }) => utteranceId), [lines])
  const doubtIds = useMemo(() => listDoubts(page), [page])
  const undecidedIds = useMemo(() => undecided(doubtIds, corrections), [doubtIds, corrections])

  useEffect(() => {
    let isStale = false
    askBoard().then(
      (rows) => isStale || setBoard(rows),
      (error: Error) => setProblem(error.message),
    )
    return () => {
      isStale = true
    }
  }, [lines])

  // The function stays the same, because a new one would make the editor begin again, without what was typed.
  const onSeen = useCallback(
    (id: string) => setSeenIds((now) => (now.has(id) ? now : new Set([...now, id]))),
    [],
  )
  const correct = async (request: CorrectionRequest): Promise<void> => {
    setSendingCount((now) => now + 1)
    try {
      const line = await sendCorrection(request)
      setLines((now) => [...now, line])
      setDraft((now) => (now?.utteranceId === request.utteranceId ? null : now))
      setProblem(null)
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setSendingCount((now) => now - 1)
    }
  }
  const review = useMemo((): Review => {
    const contenderCount = subject.contenders.length
    return {
      isBlind,
      corrections,
      undecidedIds,
      seenIds,
      revise: (items) => {
        const current = items.map((item) => {
          const itemCorrections = corrections.get(item.row.id)
          if (itemCorrections === undefined) return item
          const text = currentText(item.row.reference ?? '', itemCorrections)
          return listed(withReference(item.row, text, profile), item.order, contenderCount)
        })
        const board = countBoard(
          current.map(({ row }) => row),
          contenderCount,
        )
        return current.map((item) => ({
          ...item,
          influence: measureInfluence(item.cells, board),
          isUndecided: undecidedIds.has(item.row.id),
          isDraft: page.kind === 'corpus' && doubtIds.includes(item.row.id),
        }))
      },
      onDraft: setDraft,
      onSeen,
      correct,
    }
  }, [isBlind, corrections, page, doubtIds, undecidedIds, seenIds, onSeen, subject, profile])
  const read = useMemo(() => reader(served), [served])
  const undone = lastInForce(lines)

  return (
    <>
      <BoardPanel
        subject={subject}
        doubtIds={doubtIds}
        undecidedIds={undecidedIds}
        selfReferences={selfReferences}
        scoreCommand={served.correcting?.scoreCommand ?? null}
        rows={served.rows}
        lines={lines}
        draft={draft}
        exact={board}
        problem={problem}
        isBlind={isBlind}
        file={served.correcting?.file ?? ''}
        onBlind={setBlind}
        onUndo={
          // While the last correction is being sent, undo would revert the one before it.
          undone === undefined || sendingCount > 0
            ? null
            : () =>
                void correct({
                  utteranceId: undone.utteranceId,
                  before: undone.after,
                  after: undone.before,
                  seen: undone.seen,
                })
        }
      />
      {page.kind === 'corpus' ? (
        <Utterances subject={subject} read={read} review={review} />
      ) : (
        <RunView page={page} read={read} review={review} />
      )}
    </>
  )
}

/** References that all contenders of a run contradict with the same words, or that an engine wrote. */
function listDoubts(page: ReviewedPage): readonly string[] {
  return page.kind === 'corpus' ? page.draftIds : page.evaluation.audit.suspects.map(({ id }) => id)
}
