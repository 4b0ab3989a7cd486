import type { JSX, RefObject } from 'preact'
import { useMemo } from 'preact/hooks'
import type { PageAttempt, PageUtterance, RunPage } from '../../html/page-document.ts'
import { counted, fixed, formatMilliseconds, formatPercent } from '../../units.ts'
import { ContenderName, Name } from '../layout.tsx'
import { utteranceAddress } from '../location.ts'
import { Diff, type DiffSide } from './diff.tsx'
import { Player } from './player.tsx'

export interface DetailProps {
  readonly page: RunPage
  readonly row: PageUtterance
  readonly player: RefObject<HTMLAudioElement | null>
}

/** One utterance: its recording, its reference, and what every contender made of it. */
export function Detail({ page, row, player }: DetailProps): JSX.Element {
  const { id, seconds, speaker, language, tags, audio, reference } = row
  const sides = useMemo(() => sidesOf(page, row), [page, row])
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
      {reference === null ? (
        <Remarks sides={sides} />
      ) : (
        <>
          <Diff
            reference={reference}
            sides={sides}
            profileId={page.evaluation.profile.id}
            onWord={audio === null ? null : hear}
          />
          <details>
            <summary>Texts as they were written</summary>
            <dl class="written">
              <div>
                <dt>reference</dt>
                <dd>
                  <bdi>{reference}</bdi>
                </dd>
              </div>
              {sides.map(({ key, contender, contenderId, remark, text }) => (
                <div key={key}>
                  <dt>
                    <ContenderName index={contender} id={contenderId} />
                  </dt>
                  <dd>{text === null ? <span class="quiet">{remark}</span> : <bdi>{text}</bdi>}</dd>
                </div>
              ))}
            </dl>
          </details>
        </>
      )}
    </div>
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
function sidesOf(page: RunPage, row: PageUtterance): DiffSide[] {
  return page.evaluation.contenders.flatMap(({ contender }, index): DiffSide[] => {
    const attempts = row.attempts.filter(([of]) => of === index)
    const alike = Map.groupBy(attempts, ([, , text, failure]) => `${text} ${failure}`)
    return [...alike].map(([key, those]) => ({
      key: `${index} ${key}`,
      contender: index,
      contenderId: contender.id,
      remark: remarkOn(those, attempts.length, page.failures),
      text: textOf(row, those[0]),
    }))
  })
}

function textOf({ texts }: PageUtterance, attempt: PageAttempt | undefined): string | null {
  const text = attempt?.[2] ?? null
  return text === null ? null : (texts[text] ?? null)
}

function remarkOn(alike: readonly PageAttempt[], all: number, failures: readonly string[]): string {
  const [first] = alike
  const rounds = all === alike.length ? '' : ` · ${counted(alike.length, 'round')} of ${all}`
  const [, , , failure, , hits, substitutions = 0, deletions = 0, insertions = 0] = first ?? []
  if (failure !== null && failure !== undefined) return `${failures[failure] ?? 'failed'}${rounds}`
  if (hits === undefined) return `not sent${rounds}`
  const errors = substitutions + deletions + insertions
  const words = hits + substitutions + deletions
  const rate = words === 0 ? '' : `, ${formatPercent(errors / words, 0)}`
  const times = alike.flatMap(([, , , , latencyMs]) => latencyMs ?? [])
  const mean = times.reduce((sum, each) => sum + each, 0) / Math.max(1, times.length)
  const time = times.length === 0 ? '' : ` · ${formatMilliseconds(mean)}`
  return `${errors === 0 ? 'no error' : `${counted(errors, 'error')}${rate}`}${time}${rounds}`
}
