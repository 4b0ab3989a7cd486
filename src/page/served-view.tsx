import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type {
  BoardRow,
  CorpusPage,
  CorrectionRequest,
  PageCorrection,
  PageDocument,
  ReviewedPage,
  ServedPage,
} from '#reports/page'
import { CapacityView } from './capacity-view.tsx'
import { ComparisonView, ExperimentView } from './comparison-view.tsx'
import { HistoryView } from './history-view.tsx'
import { NameList, WayBack } from './layout.tsx'
import { LibraryView } from './library-view.tsx'
import { findSubject, RunView } from './run/run-view.tsx'
import { untilNextTurn } from './stages.ts'
import { BoardPanel } from './utterances/board.tsx'
import { listed } from './utterances/library.ts'
import {
  type Board,
  countBoard,
  currentText,
  measureInfluence,
  type Review,
  undecided,
  withReference,
} from './utterances/review.ts'
import { Utterances, type UtterancesProps } from './utterances/utterances.tsx'

/** A page that requests its data from a local server, which serves only the tab that its link was opened in. */
export function ServedView(): JSX.Element {
  const [served, setServed] = useState<ServedPage | null>(null)
  const [refusal, setRefusal] = useState<Error | null>(null)
  useEffect(() => {
    openSession().then(setServed, setRefusal)
  }, [])
  if (refusal !== null) return <Refused refusal={refusal} />
  if (served === null) return <p class="waiting quiet">Reading …</p>
  return (
    <>
      <WayBackToList />
      <ServedDocument served={served} />
    </>
  )
}

/** A link to the list if the address has a query: only the pages of single runs have one. */
function WayBackToList(): JSX.Element | null {
  return location.search === '' ? null : <WayBack address="/" />
}

function Refused({ refusal }: { readonly refusal: Error }): JSX.Element {
  const { problems, hint } = refusal instanceof ServerRefusal ? refusal : { problems: [], hint: '' }
  return (
    <div class="refusal" role="alert" data-ready="true">
      <WayBackToList />
      <p>
        <bdi>{refusal.message}</bdi>
      </p>
      {problems.length === 0 ? null : <NameList names={problems} />}
      {hint === '' ? null : <p class="quiet">{hint}</p>}
    </div>
  )
}

function ServedDocument({ served }: { readonly served: ServedPage }): JSX.Element {
  const { document, correcting } = served
  const read = useMemo(() => reader(served), [served])
  return document.kind === 'corpus' || (document.kind === 'run' && correcting !== null) ? (
    <ReviewView served={served} page={document} />
  ) : (
    <DocumentView page={document} read={read} />
  )
}

interface DocumentViewProps {
  readonly page: Exclude<PageDocument, CorpusPage>
  /** Reads the utterances of a run. */
  readonly read: UtterancesProps['read']
}

/** A document without corrections. */
export function DocumentView({ page, read }: DocumentViewProps): JSX.Element {
  switch (page.kind) {
    case 'run':
      return <RunView page={page} read={read} />
    case 'library':
      return <LibraryView page={page} />
    case 'comparison':
      return <ComparisonView page={page} />
    case 'experiment':
      return <ExperimentView page={page} />
    case 'history':
      return <HistoryView page={page} />
    case 'capacity':
      return <CapacityView page={page} />
  }
}

const readSize = 250

interface ReviewViewProps {
  readonly served: ServedPage
  readonly page: ReviewedPage
}

function ReviewView({ served, page }: ReviewViewProps): JSX.Element {
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

  const correct = async (request: CorrectionRequest): Promise<void> => {
    setSendingCount((now) => now + 1)
    try {
      const line = await sendCorrection(request)
      setLines((now) => [...now, line])
      setDraft(null)
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
          const own = corrections.get(item.row.id)
          if (own === undefined) return item
          const text = currentText(item.row.reference ?? '', own)
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
      onSeen: (id) => setSeenIds((now) => (now.has(id) ? now : new Set([...now, id]))),
      correct,
    }
  }, [isBlind, corrections, page, doubtIds, undecidedIds, seenIds, subject, profile])
  const read = useMemo(() => reader(served), [served])
  // A confirmation leaves the reference unchanged, so there is nothing to undo.
  const undone = lines.findLast(({ before, after }) => before !== after)

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

/** Reads the rows like an embedded page does, with addresses of recordings that this tab is authorised to load. */
function reader({ rows }: ServedPage): UtterancesProps['read'] {
  const key = encodeURIComponent(tabKey())
  return async (onPart) => {
    const turn = untilNextTurn()
    for (let start = 0; start < rows.length; start += readSize) {
      onPart(
        rows
          .slice(start, start + readSize)
          .map((row) => (row.audio === null ? row : { ...row, audio: `${row.audio}?key=${key}` })),
      )
      await turn()
    }
  }
}

const keyName = 'transcribench-tab'

/** An error of the server, with messages for the user. */
class ServerRefusal extends Error {
  readonly problems: readonly string[]
  readonly hint: string

  constructor({ message = '', problems = [], hint = '' }: Refusal) {
    super(message)
    this.problems = problems
    this.hint = hint
  }
}

interface Refusal {
  readonly message?: string
  readonly problems?: readonly string[]
  readonly hint?: string
}

/**
 * Requests the data of this tab. The link contains a token that works once. It is exchanged for a key that stays in
 * this tab, so that other tabs and pages have no access.
 */
async function openSession(): Promise<ServedPage> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) {
    history.replaceState(null, '', location.pathname + location.search)
    const { key } = await asked<{ readonly key: string }>('/session', { token })
    sessionStorage.setItem(keyName, key)
  }
  return await asked<ServedPage>(`/document${location.search}`)
}

function sendCorrection(request: CorrectionRequest): Promise<PageCorrection> {
  return asked<PageCorrection>('/corrections', request)
}

/** The board with all corrections and with intervals: the figures of `transcribench score`. */
function askBoard(): Promise<readonly BoardRow[]> {
  return asked<readonly BoardRow[]>('/board')
}

/** The key of this tab for requests of recordings, because an audio element cannot send headers. */
function tabKey(): string {
  return sessionStorage.getItem(keyName) ?? ''
}

async function asked<Answer>(path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'x-transcribench-tab': tabKey(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    credentials: 'same-origin',
  }).catch(() => {
    throw new ServerRefusal({
      message: 'The server does not answer: was transcribench stopped? Nothing that was confirmed is lost.',
    })
  })
  if (response.ok) return (await response.json()) as Answer
  const refusal = (await response.json().catch(() => ({}))) as Refusal
  throw new ServerRefusal({ message: `The server refuses (${response.status}).`, ...refusal })
}
