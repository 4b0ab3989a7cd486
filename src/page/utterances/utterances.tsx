import type { JSX, RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { counted, formatCount, type PageUtterance } from '#reports/page'
import { Choice, pickColour, Search, Section } from '../layout.tsx'
import { Detail } from './detail.tsx'
import { addressedUtterance, type Item, listed, type Subject, utteranceAddress } from './library.ts'
import type { Review } from './review.ts'
import { firstSelection, type Selection, type Show, type SortKey, select, useKeys } from './selection.ts'
import { Row, VirtualList } from './virtual-list.tsx'

export interface UtterancesProps {
  readonly subject: Subject
  /** Reads the utterances, part by part. */
  read(onPart: (rows: readonly PageUtterance[]) => void): Promise<void>
  /** Null if nothing can be corrected. */
  readonly review: Review | null
}

/** The list of all utterances, with search, playback and word-by-word alignment. */
export function Utterances({ subject, read, review }: UtterancesProps): JSX.Element {
  const { contenders, utteranceCount } = subject
  const { items, isComplete } = useItems(contenders.length, read, review)
  const [selection, setSelection] = useState<Selection>(
    contenders.length === 0
      ? { ...firstSelection, sort: 'plan', isDescending: false }
      : review === null
        ? firstSelection
        : { ...firstSelection, sort: 'decision' },
  )
  const { shown, isListed } = useSelected(items, isComplete, selection)
  const [openId, setOpenId] = useState<string | null>(() => addressedUtterance(location.hash))
  const [revealed, setRevealed] = useState(0)
  const player = useRef<HTMLAudioElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const openIndex = useMemo(() => shown.findIndex(({ row }) => row.id === openId), [shown, openId])
  const rowHeight = useRowHeight()

  const show = (id: string | null): void => {
    setOpenId(id)
    setRevealed((count) => count + 1)
    history.replaceState(null, '', id === null ? location.pathname + location.search : utteranceAddress(id))
  }
  useEffect(() => {
    const follow = (): void => {
      const id = addressedUtterance(location.hash)
      if (id === null) return
      setSelection((now) => ({ ...now, text: '', show: 'all', tag: null }))
      setOpenId(id)
      setRevealed((count) => count + 1)
      document.getElementById('utterances')?.scrollIntoView()
    }
    addEventListener('hashchange', follow)
    if (addressedUtterance(location.hash) !== null) follow()
    return () => removeEventListener('hashchange', follow)
  }, [])
  useEffect(() => {
    if (isComplete) setRevealed((count) => count + 1)
  }, [isComplete])
  const wasOpened = useRef(openId !== null)
  useEffect(() => {
    const [first] = shown
    if (wasOpened.current || first === undefined) return
    wasOpened.current = true
    if (first.isUndecided) setOpenId(first.row.id)
  }, [shown])
  const next = (): void => show(shown[Math.min(shown.length - 1, openIndex + 1)]?.row.id ?? null)
  const previous = (): void => show(shown[Math.max(0, openIndex - 1)]?.row.id ?? null)
  const play = (): void => toggle(player.current)
  useKeys({
    j: next,
    k: previous,
    ' ': play,
    // In the text box, letters are typed text, so the shortcuts there need Ctrl.
    ...(review === null ? {} : { 'Ctrl+ArrowDown': next, 'Ctrl+ArrowUp': previous, 'Ctrl+ ': play }),
    '/': () => search.current?.focus(),
    e: () => document.querySelector<HTMLTextAreaElement>('.correcting textarea')?.focus(),
    Escape: () => show(null),
  })

  const tags = useMemo(() => listTags(items), [items])

  if (utteranceCount === 0) {
    return (
      <Section id="utterances" title="Utterances">
        <p class="quiet" data-ready="true">
          The plan of this run holds no measured request.
        </p>
      </Section>
    )
  }
  return (
    <Section
      id="utterances"
      title="Utterances"
      lead={`${
        contenders.length === 0
          ? 'Open one to hear it and to correct its reference.'
          : `Errors of each contender in each utterance, in ${subject.profile.leads}. Open one to hear it and to read it word by word.`
      } Keys: ${
        review === null
          ? ''
          : 'in the text, Ctrl+Enter confirms, Ctrl+Space plays, Ctrl+↓ and Ctrl+↑ open the next and the previous one; outside of it, e edits, '
      }j and k move, space plays, / searches, Escape closes.`}
    >
      <Controls
        selection={selection}
        tags={tags}
        search={search}
        onChange={setSelection}
        canReview={review !== null}
        hasContenders={contenders.length > 0}
      />
      <p class="quiet count" role="status" data-ready={isListed}>
        {isComplete
          ? `${formatCount(shown.length)} of ${counted(items.length, 'utterance')}`
          : `reading ${formatCount(items.length)} of ${counted(utteranceCount, 'utterance')}`}
      </p>
      <div class={`utterances ${contenders.length > 6 ? 'many' : contenders.length < 4 ? 'few' : ''}`}>
        <SortHeader
          contenders={review?.isBlind === true ? [] : contenders}
          selection={selection}
          onChange={setSelection}
        />
        <VirtualList
          entries={shown}
          rowHeight={rowHeight}
          openIndex={openIndex}
          revealed={revealed}
          row={(item) => (
            <Row
              item={item}
              contenders={contenders}
              isOpen={item.row.id === openId}
              isBlind={review?.isBlind ?? false}
              onToggle={() => show(item.row.id === openId ? null : item.row.id)}
            />
          )}
          open={({ row }) => (
            <Detail subject={subject} row={row} player={player} review={review} key={row.id} />
          )}
        />
      </div>
    </Section>
  )
}

function toggle(player: HTMLAudioElement | null): void {
  if (player === null) return
  if (player.paused) void player.play()
  else player.pause()
}

interface Items {
  readonly items: readonly Item[]
  readonly isComplete: boolean
}

/** The utterances read so far, with their current references. */
function useItems(
  contenderCount: number,
  read: UtterancesProps['read'],
  review: UtterancesProps['review'],
): Items {
  const [state, setState] = useState<Items>({ items: [], isComplete: false })
  useEffect(() => {
    const items: Item[] = []
    void read((rows) => {
      for (const row of rows) items.push(listed(row, items.length, contenderCount))
      setState((now) =>
        items.length - now.items.length < 4000 ? now : { items: [...items], isComplete: false },
      )
    }).then(() => setState({ items, isComplete: true }))
  }, [contenderCount, read])
  return useMemo(
    () => (review === null ? state : { ...state, items: review.revise(state.items) }),
    [state, review],
  )
}

/** The selected items; the previous result stays until the next one is complete. */
function useSelected(
  items: readonly Item[],
  isComplete: boolean,
  selection: Selection,
): { readonly shown: readonly Item[]; readonly isListed: boolean } {
  const [listing, setListing] = useState<{ readonly of: Selection | null; readonly shown: readonly Item[] }>({
    of: null,
    shown: [],
  })
  useEffect(() => {
    if (!isComplete) return
    let isStale = false
    void select(items, selection, () => isStale).then((shown) => {
      if (shown !== null) setListing({ of: selection, shown })
    })
    return () => {
      isStale = true
    }
  }, [items, isComplete, selection])
  return { shown: listing.shown, isListed: listing.of === selection }
}

/** Height of a row in pixels, as in the style sheet: two lines on a narrow page. */
function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(false)
  useEffect(() => {
    const query = matchMedia('(max-width: 640px)')
    const follow = (): void => setNarrow(query.matches)
    follow()
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [])
  return isNarrow ? 64 : 38
}

function listTags(items: readonly Item[]): string[] {
  return [...new Set(items.flatMap(({ row }) => row.tags))].sort()
}

const shows: readonly { readonly value: Show; readonly name: string }[] = [
  { value: 'all', name: 'all' },
  { value: 'undecided', name: 'to decide' },
  { value: 'wrong', name: 'with errors' },
  { value: 'differ', name: 'contenders differ' },
  { value: 'over100', name: 'over 100%' },
  { value: 'failed', name: 'failed' },
]

interface Sort {
  readonly value: Exclude<SortKey, number>
  readonly name: string
  /** What the sort order requires: contenders for errors, a review for decisions. */
  readonly needs?: 'contenders' | 'review'
}

const sorts: readonly Sort[] = [
  { value: 'decision', name: 'needs a decision', needs: 'review' },
  { value: 'influence', name: 'weight in the ranking', needs: 'review' },
  { value: 'errors', name: 'most errors', needs: 'contenders' },
  { value: 'spread', name: 'largest difference', needs: 'contenders' },
  { value: 'seconds', name: 'longest' },
  { value: 'id', name: 'name' },
  { value: 'plan', name: 'order of the plan' },
]

interface ControlsProps {
  readonly selection: Selection
  readonly tags: readonly string[]
  readonly search: RefObject<HTMLInputElement | null>
  readonly canReview: boolean
  /** Without contenders, filters by errors are hidden. */
  readonly hasContenders: boolean
  onChange(change: (now: Selection) => Selection): void
}

function Controls(props: ControlsProps): JSX.Element {
  const { selection, tags, search, canReview, hasContenders, onChange } = props
  const { text, show, sort, tag } = selection
  const set = (change: Partial<Selection>): void => onChange((now) => ({ ...now, ...change }))
  const available = sorts.filter(
    ({ needs }) => needs === undefined || (hasContenders && (canReview || needs === 'contenders')),
  )
  return (
    <div class="controls">
      <Search
        placeholder="Search texts and names"
        value={text}
        field={search}
        onSearch={(sought) => set({ text: sought })}
      />
      {hasContenders ? (
        <Choice
          label="show"
          value={show}
          options={shows.filter(({ value }) => canReview || value !== 'undecided')}
          onChoose={(chosen) => set({ show: chosen })}
        />
      ) : null}
      <Choice<Sort['value'] | ''>
        label="sort by"
        value={typeof sort === 'number' ? '' : sort}
        options={typeof sort === 'number' ? [{ value: '', name: 'one contender' }, ...available] : available}
        onChoose={(by) => by !== '' && set({ sort: by, isDescending: by !== 'id' && by !== 'plan' })}
      />
      {tags.length === 0 ? null : (
        <Choice
          label="tag"
          value={tag ?? ''}
          options={[{ value: '', name: 'any' }, ...tags.map((each) => ({ value: each, name: each }))]}
          onChoose={(chosen) => set({ tag: chosen === '' ? null : chosen })}
        />
      )}
    </div>
  )
}

interface SortHeaderProps {
  readonly contenders: readonly string[]
  readonly selection: Selection
  onChange(change: (now: Selection) => Selection): void
}

/** The column headings; a click on one sorts by it. */
function SortHeader({ contenders, selection, onChange }: SortHeaderProps): JSX.Element {
  const sortBy = (sort: SortKey, isDescending: boolean): void =>
    onChange((now) => ({ ...now, sort, isDescending: now.sort === sort ? !now.isDescending : isDescending }))
  const arrow = (sort: SortKey): string =>
    selection.sort === sort ? (selection.isDescending ? ' ↓' : ' ↑') : ''
  return (
    <div class="sort-header">
      <button type="button" onClick={() => sortBy('id', false)}>
        utterance{arrow('id')}
      </button>
      <button type="button" class="seconds" onClick={() => sortBy('seconds', true)}>
        audio{arrow('seconds')}
      </button>
      <span class="cells">
        {contenders.map((id, index) => (
          <button
            type="button"
            class={`cell ${pickColour(index)}`}
            title={`${id}: sort by its errors`}
            onClick={() => sortBy(index, true)}
            key={id}
          >
            <span class="swatch" aria-hidden="true" />
            <bdi class="cell-name">{id}</bdi>
            {arrow(index)}
          </button>
        ))}
      </span>
    </div>
  )
}
