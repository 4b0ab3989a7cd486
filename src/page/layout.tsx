import type { ComponentChildren, JSX } from 'preact'

export interface NavEntry {
  readonly id: string
  readonly title: string
}

export interface NavProps {
  readonly entries: readonly NavEntry[]
  /** Whether the page is complete, where no other part of the page shows it. */
  readonly isReady?: boolean
}

export function Nav({ entries, isReady }: NavProps): JSX.Element {
  return (
    <nav class="contents" aria-label="Sections" data-ready={isReady}>
      <ul>
        {entries.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export interface SectionProps {
  readonly id: string
  readonly title: string
  readonly lead?: string | undefined
  readonly children: ComponentChildren
}

export function Section({ id, title, lead, children }: SectionProps): JSX.Element {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
      {children}
    </section>
  )
}

export interface FigureProps {
  readonly title: string
  /** How to read it, in a sentence. */
  readonly note?: ComponentChildren
  readonly children: ComponentChildren
  /** As wide as the page, not half of it. */
  readonly isWide?: boolean
  /** What a link to it ends with. */
  readonly id?: string
}

export function Figure({ title, note, children, isWide = false, id }: FigureProps): JSX.Element {
  return (
    <figure class={isWide ? 'wide' : ''} id={id}>
      <figcaption>
        <h3>{title}</h3>
        {note === undefined ? null : <p class="note">{note}</p>}
      </figcaption>
      {children}
    </figure>
  )
}

/** A name from a config or a server: isolated from the text direction around it. */
export function Name({ children }: { readonly children: string }): JSX.Element {
  return <bdi>{children}</bdi>
}

/** The colour of a contender, always next to its name. */
function Swatch({ index }: { readonly index: number }): JSX.Element {
  return <span class={`swatch ${colourOf(index)}`} aria-hidden="true" />
}

const colourCount = 12

/** The class that carries the colour of a contender, by its place in the config. */
export function colourOf(index: number): string {
  return `c${index % colourCount}`
}

export function ContenderName({ index, id }: { readonly index: number; readonly id: string }): JSX.Element {
  return (
    <span class="contender">
      <Swatch index={index} />
      <Name>{id}</Name>
    </span>
  )
}

/** A word as it was said or heard; null where there was none. */
export function Spoken({ word }: { readonly word: string | null }): JSX.Element {
  return word === null ? <span class="quiet">nothing</span> : <q dir="auto">{word}</q>
}

/** From one of several pages to the list of them. */
export function WayBack({ address }: { readonly address: string }): JSX.Element {
  return (
    <p class="way-back">
      <a href={address}>← All runs</a>
    </p>
  )
}
