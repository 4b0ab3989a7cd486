import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PageUtterance } from '#reports/page'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import { Diff, type DiffSide } from './diff.tsx'
import { type Subject, utteranceAddress } from './library.ts'
import { heads, type Review } from './review.ts'

export interface CorrectingProps {
  readonly row: PageUtterance
  readonly subject: Subject
  readonly sides: readonly DiffSide[]
  readonly review: Review
  readonly onWord: ((share: number) => void) | null
}

/** The editor of a reference, which is corrected while listening, or typed blind before any text is shown. */
export function Correcting({ row, subject, sides, review, onWord }: CorrectingProps): JSX.Element {
  const reference = row.reference ?? ''
  const { isBlind, seenIds, onDraft, onSeen } = review
  const isHidden = isBlind && !seenIds.has(row.id)
  const [text, setText] = useState(isHidden ? '' : reference)
  const [isAsking, setAsking] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const corrections = review.corrections.get(row.id) ?? []
  const original = corrections[0]?.before ?? reference
  const open = heads(original, corrections)
  const shownSides = useMemo(() => (isBlind ? nameless(sides, row.id) : sides), [isBlind, sides, row.id])

  useEffect(() => {
    setText(isHidden ? '' : reference)
    if (!isHidden) onSeen(row.id)
  }, [reference, isHidden, row.id, onSeen])
  useEffect(() => () => onDraft(null), [onDraft])
  useEffect(() => {
    // The focus stays in a search field. On touch screens a keyboard would cover half of the page.
    const isTyping = document.activeElement?.closest('input, select, textarea') != null
    if (!isTyping && !matchMedia('(pointer: coarse)').matches) field.current?.focus({ preventScroll: true })
  }, [])

  const type = (value: string): void => {
    setText(value)
    setAsking(false)
    if (!isHidden) onDraft(value === reference ? null : { utteranceId: row.id, text: value })
  }
  const confirm = (): void => {
    if (text.trim() === '' && reference !== '') setAsking(true)
    else save()
  }
  const save = (): void => {
    const after = text.trim()
    setAsking(false)
    const seen = isHidden ? 'blind' : 'seen'
    onSeen(row.id)
    if (after !== reference) void review.correct({ utteranceId: row.id, before: reference, after, seen })
  }
  const keep = (): void => {
    const next = [...review.undecidedIds].find((id) => id !== row.id)
    void review
      .correct({ utteranceId: row.id, before: reference, after: reference, seen: 'seen' })
      .then(() => {
        if (next !== undefined) location.hash = utteranceAddress(next)
      })
  }
  return (
    <div class="correcting">
      <label>
        {isHidden ? 'What do you hear? Nothing is shown until you confirm.' : 'The reference: what was said'}
        <textarea
          ref={field}
          rows={Math.min(6, 1 + Math.ceil(Math.max(text.length, 60) / 90))}
          dir="auto"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => type(value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) confirm()
          }}
        />
      </label>
      {isAsking ? (
        <div class="conflict" role="alert">
          <p>
            Is nothing said in this recording? Then every word that a contender writes counts as inserted.
          </p>
          <p class="actions">
            <button type="button" onClick={save}>
              Save an empty reference
            </button>
            <button
              type="button"
              onClick={() => {
                setAsking(false)
                field.current?.focus()
              }}
            >
              Do not save
            </button>
          </p>
        </div>
      ) : null}
      <p class="actions">
        <button type="button" onClick={confirm} disabled={text.trim() === reference && !isHidden}>
          Confirm (Ctrl+Enter)
        </button>
        {isHidden || text !== reference || !review.undecidedIds.has(row.id) ? null : (
          <button type="button" class="keep" onClick={keep}>
            The reference is right
          </button>
        )}
        {isHidden ? (
          <button type="button" onClick={() => onSeen(row.id)}>
            Show the texts without typing
          </button>
        ) : (
          <button type="button" onClick={() => type(reference)} disabled={text === reference}>
            As it was
          </button>
        )}
        {corrections.length === 0 ? null : (
          <span class="quiet">
            corrected by{' '}
            {[...new Set(corrections.map(({ by, seen }) => `${by} (${seen})`))].map((who) => (
              <bdi key={who}>{who} </bdi>
            ))}
          </span>
        )}
      </p>
      {open.length < 2 || isHidden ? null : (
        <div class="conflict" role="alert">
          <p>Two corrections of the same text disagree. The last one counts until you take one:</p>
          <ul>
            {open.map((candidate) => (
              <li key={candidate}>
                <button type="button" onClick={() => void takeText(review, row.id, open, candidate)}>
                  Take
                </button>{' '}
                <bdi>{candidate}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      {isHidden ? null : (
        <Diff
          reference={text}
          sides={shownSides}
          profile={profileOfUtterance(subject.profile, row.language)}
          onWord={onWord}
        />
      )}
    </div>
  )
}

/** Replaces every open text with the chosen one. */
async function takeText(
  review: Review,
  utteranceId: string,
  open: readonly string[],
  chosen: string,
): Promise<void> {
  for (const before of open.filter((text) => text !== chosen)) {
    await review.correct({ utteranceId, before, after: chosen, seen: 'seen' })
  }
}

/** Anonymous sides in an order that does not identify them: by a hash of their texts and the utterance. */
function nameless(sides: readonly DiffSide[], utteranceId: string): DiffSide[] {
  const keyed = sides.map((side) => ({ side, key: mixed(`${utteranceId} ${side.text} ${side.key}`) }))
  return keyed
    .toSorted((a, b) => a.key - b.key)
    .map(({ side }, at) => ({ ...side, contender: 11, contenderId: `text ${at + 1}`, remark: '' }))
}

/** FNV-1a, 32 bits: gives the same order at every drawing, independent of anything visible. */
function mixed(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}
