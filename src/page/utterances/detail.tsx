import type { JSX, RefObject } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { sumOf } from '#prelude'
import {
  counted,
  fixed,
  formatMilliseconds,
  formatPercent,
  type PageAttempt,
  type PageUtterance,
} from '#reports/page'
import { errorCount, referenceLength } from '#scoring/counts'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import { Choice, ContenderName, Facts, Fold, Name } from '../layout.tsx'
import { Correcting } from './correcting.tsx'
import { Diff, type DiffSide } from './diff.tsx'
import { attemptCounts, type Subject, utteranceAddress } from './library.ts'
import type { Review } from './review.ts'

export interface DetailProps {
  readonly subject: Subject
  readonly row: PageUtterance
  readonly player: RefObject<HTMLAudioElement | null>
  readonly review: Review | null
}

/** One utterance: its recording, its reference, and the answers of all contenders. */
export function Detail({ subject, row, player, review }: DetailProps): JSX.Element {
  const { id, seconds, speaker, language, tags, audio, reference } = row
  const sides = useMemo(() => listSides(subject, row), [subject, row])
  const hear = (share: number): void => {
    const element = player.current
    if (element === null) return
    element.currentTime = share * seconds
    void element.play()
  }
  const facts = [
    `${fixed(seconds, 1)} s`,
    ...(speaker === null ? [] : [`speaker ${speaker}`]),
    ...(language === null ? [] : [language]),
    ...tags,
  ]
  return (
    <div class="detail">
      <p class="detail-facts">
        <a href={utteranceAddress(id)} title="A link to this utterance">
          <Name>{id}</Name>
        </a>
        {facts.map((fact) => (
          <span key={fact}>
            <bdi>{fact}</bdi>
          </span>
        ))}
      </p>
      {audio === null ? (
        <p class="quiet">This page comes without the recording.</p>
      ) : (
        <Player source={audio} label={`Recording of ${id}`} player={player} />
      )}
      {review === null || reference === null ? (
        <Reading subject={subject} row={row} sides={sides} onWord={audio === null ? null : hear} />
      ) : (
        <Correcting
          row={row}
          subject={subject}
          sides={sides}
          review={review}
          onWord={audio === null ? null : hear}
        />
      )}
    </div>
  )
}

interface ReadingProps {
  readonly subject: Subject
  readonly row: PageUtterance
  readonly sides: readonly DiffSide[]
  readonly onWord: ((share: number) => void) | null
}

/** The texts, both aligned word by word and as written. */
function Reading({ subject, row: { reference, language }, sides, onWord }: ReadingProps): JSX.Element {
  if (reference === null) return <Remarks sides={sides} />
  return (
    <>
      {subject.isProfileComplete ? null : (
        <p class="quiet">
          Aligned by {subject.profile.id}: the figures were made with further rules, which this page does not
          have.
        </p>
      )}
      <Diff
        reference={reference}
        sides={sides}
        profile={profileOfUtterance(subject.profile, language)}
        onWord={onWord}
      />
      <Fold title="Texts as they were written">
        <Facts
          facts={[
            { name: 'reference', value: reference },
            ...sides.map(({ key, contender, contenderId, remark, text }) => ({
              key,
              name: <ContenderName index={contender} id={contenderId} />,
              value: text ?? <span class="quiet">{remark}</span>,
            })),
          ]}
        />
      </Fold>
    </>
  )
}

function Remarks({ sides }: { readonly sides: readonly DiffSide[] }): JSX.Element {
  return (
    <ul class="named">
      {sides.map(({ key, contender, contenderId, remark }) => (
        <li key={key}>
          <ContenderName index={contender} id={contenderId} /> {remark}
        </li>
      ))}
    </ul>
  )
}

/** The different texts of every contender, each once, with the rounds that gave it. */
function listSides({ contenders, failures }: Subject, row: PageUtterance): DiffSide[] {
  return contenders.flatMap((contenderId, index): DiffSide[] => {
    const attempts = row.attempts.filter(([of]) => of === index)
    const alike = Map.groupBy(attempts, ([, , text, failure]) => `${text} ${failure}`)
    return [...alike].map(([key, group]) => ({
      key: `${index} ${key}`,
      contender: index,
      contenderId,
      remark: remarkOn(group, attempts.length, failures),
      text: findText(row, group[0]),
    }))
  })
}

function findText({ texts }: PageUtterance, attempt: PageAttempt | undefined): string | null {
  const text = attempt?.[2] ?? null
  return text === null ? null : (texts[text] ?? null)
}

function remarkOn(alike: readonly PageAttempt[], attemptCount: number, failures: readonly string[]): string {
  const [first] = alike
  const rounds =
    attemptCount === alike.length ? '' : ` · ${counted(alike.length, 'round')} of ${attemptCount}`
  const [, , , failure] = first ?? []
  if (failure !== null && failure !== undefined) return `${failures[failure] ?? 'failed'}${rounds}`
  const counts = first === undefined ? null : attemptCounts(first)
  if (counts === null) return `not sent${rounds}`
  const errors = errorCount(counts)
  const length = referenceLength(counts)
  const rate = length === 0 ? '' : `, ${formatPercent(errors / length, 0)}`
  const times = alike.flatMap(([, , , , latencyMs]) => latencyMs ?? [])
  const mean = sumOf(times, (each) => each) / Math.max(1, times.length)
  const time = times.length === 0 ? '' : ` · ${formatMilliseconds(mean)}`
  return `${errors === 0 ? 'no error' : `${counted(errors, 'error')}${rate}`}${time}${rounds}`
}

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 2].map((value) => ({ value, name: `${value}×` }))

interface PlayerProps {
  readonly source: string
  readonly label: string
  readonly player: RefObject<HTMLAudioElement | null>
}

/** Plays a recording at a chosen speed, optionally in a loop. */
function Player({ source, label, player }: PlayerProps): JSX.Element {
  const [speed, setSpeed] = useState(1)
  const [isLooping, setLooping] = useState(false)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    if (player.current !== null) player.current.playbackRate = speed
  }, [player, speed])
  if (isMissing) return <p class="quiet">The recording is not where this page looks for it.</p>
  return (
    <div class="player">
      {/* Captions are not needed, because the aligned transcript is below the player. */}
      <audio
        ref={player}
        controls
        preload="none"
        src={source}
        loop={isLooping}
        aria-label={label}
        onError={() => setMissing(true)}
      >
        <track kind="captions" />
      </audio>
      <Choice label="speed" value={speed} options={speeds} onChoose={setSpeed} />
      <label>
        <input
          type="checkbox"
          checked={isLooping}
          onChange={(event) => setLooping(event.currentTarget.checked)}
        />{' '}
        loop
      </label>
    </div>
  )
}
