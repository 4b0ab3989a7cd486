import { type ComponentChildren, Fragment, type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import {
  type Cell,
  type FirstFigure,
  inRankOrder,
  type RunPage,
  type Table,
  type TitledTable,
} from '#reports/page'
import { useStages } from './stages.ts'

export interface NavEntry {
  readonly id: string
  readonly title: string
}

interface NavProps {
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

interface SectionProps {
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

interface FigureProps {
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
  return <span class={`swatch ${pickColour(index)}`} aria-hidden="true" />
}

const colourCount = 12

/** The class that carries the colour of a contender, by its place in the config. */
export function pickColour(index: number): string {
  return `c${index % colourCount}`
}

export interface Part extends NavEntry {
  draw(): JSX.Element | null
}

interface PartsProps {
  /** The head of the page. */
  readonly answer: JSX.Element
  /** What follows it, in the order of the table of contents. */
  readonly parts: readonly Part[]
  /** What stands below them in no table of contents. */
  readonly end?: JSX.Element | null
}

/** A whole document: its contents, its answer, and its parts, drawn one after the other. */
export function Parts({ answer, parts, end = null }: PartsProps): JSX.Element {
  const drawn = useStages(parts.length + 1)
  const isReady = drawn === parts.length + 1
  return (
    <>
      <Nav entries={[{ id: 'answer', title: 'Answer' }, ...parts]} isReady={isReady} />
      {answer}
      {parts.slice(0, drawn - 1).map(({ id, draw }) => (
        <Fragment key={id}>{draw()}</Fragment>
      ))}
      {isReady ? end : null}
    </>
  )
}

export function ContenderName({ index, id }: { readonly index: number; readonly id: string }): JSX.Element {
  return (
    <span class="contender">
      <Swatch index={index} />
      <Name>{id}</Name>
    </span>
  )
}

interface LegendProps {
  /** With its place, which gives it its colour, and what stands behind its name. */
  readonly contenders: readonly {
    readonly index: number
    readonly id: string
    readonly text?: string | undefined
  }[]
  readonly label?: string
}

/** Which colour is whose. */
export function Legend({ contenders, label = 'Colours' }: LegendProps): JSX.Element {
  return (
    <ul class="legend" aria-label={label}>
      {contenders.map(({ index, id, text }) => (
        <li key={id}>
          <ContenderName index={index} id={id} /> {text}
        </li>
      ))}
    </ul>
  )
}

/** The same of colours that are not of contenders, by their classes. */
export function ColourLegend(props: {
  readonly colours: readonly { readonly name: string; readonly tone: string }[]
}): JSX.Element {
  return (
    <ul class="legend" aria-label="Colours">
      {props.colours.map(({ name, tone }) => (
        <li key={name}>
          <span class="contender">
            <span class={`swatch ${tone}`} aria-hidden="true" />
            {name}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The keys of the parts of a bar, in a line. */
export function Keys(props: {
  readonly keys: readonly { readonly className: string; readonly text: string }[]
}): JSX.Element {
  return (
    <>
      {props.keys.map(({ className, text }) => (
        <span key={className}>
          <i class={`key ${className}`} aria-hidden="true" /> {text}
        </span>
      ))}
    </>
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

interface ScrollRegionProps {
  readonly label: string
  readonly children: ComponentChildren
}

/** Scrolls sideways where its content is wider than the page, and can then be reached with the keyboard. */
export function ScrollRegion({ label, children }: ScrollRegionProps): JSX.Element {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0
      else element.removeAttribute('tabindex')
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <section class="scroll" aria-label={label} ref={place}>
      {children}
    </section>
  )
}

interface DataTableProps {
  /** What the table holds, for those who do not see it. */
  readonly label: string
  readonly table: Table
  /** Ids of the contenders in the order of the config, which gives them their colours. */
  readonly contenders?: readonly string[] | undefined
}

type Column = Table['columns'][number]

/** A table that scrolls sideways where it is wider than the page; nothing without rows. The first column names the row. */
export function DataTable({ label, table, contenders = [] }: DataTableProps): JSX.Element | null {
  const { columns, rows } = table
  if (rows.length === 0) return null
  return (
    <ScrollRegion label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <Heading column={place === 0 ? { ...column, align: 'left' } : column} key={place} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => {
                const column = columns[place]
                const words = <CellText cell={cell} column={column} contenders={contenders} />
                return place === 0 ? (
                  <th scope="row" key={place}>
                    {words}
                  </th>
                ) : (
                  <td class={nameClasses(column)} key={place}>
                    {words}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

interface TableFigureProps {
  /** Nothing is shown without one. */
  readonly of: (Pick<TitledTable, 'title' | 'table'> & Partial<TitledTable>) | null | undefined
  readonly contenders?: readonly string[]
}

/** A table with its title over the whole width. */
export function TableFigure({ of, contenders }: TableFigureProps): JSX.Element | null {
  if (of === null || of === undefined) return null
  const { title, note, table } = of
  return (
    <Figure title={title} note={note} isWide>
      <DataTable label={title} table={table} contenders={contenders} />
    </Figure>
  )
}

interface FoldedTableProps {
  readonly title: string
  readonly table: Table | null | undefined
  readonly contenders: readonly string[]
}

/** A table that few need. */
export function FoldedTable({ title, table, contenders }: FoldedTableProps): JSX.Element | null {
  if (table === null || table === undefined) return null
  return (
    <details>
      <summary>{title}</summary>
      <DataTable label={title} table={table} contenders={contenders} />
    </details>
  )
}

export function Heading({ column }: { readonly column: Column }): JSX.Element {
  const { header, meaning } = column
  return (
    <th scope="col" class={nameClasses(column)} title={meaning}>
      {header === '' ? <span class="unseen">figure</span> : header}
    </th>
  )
}

interface CellTextProps {
  readonly cell: Cell
  readonly column: Column | undefined
  readonly contenders: readonly string[]
}

/** The text of a cell, with what follows it and, on a phone, what is below it. */
export function CellText({ cell, column, contenders }: CellTextProps): JSX.Element {
  const { text, tone, note, narrow } = cell
  const index = column?.kind === 'contender' ? contenders.indexOf(text) : -1
  return (
    <>
      {index >= 0 ? (
        <ContenderName index={index} id={text} />
      ) : column?.kind === 'code' ? (
        <code>{text}</code>
      ) : (
        <bdi class={tone}>{text}</bdi>
      )}
      {note === undefined ? null : <small class="quiet"> {note}</small>}
      {narrow === undefined ? null : <small class="quiet only-narrow">{narrow}</small>}
    </>
  )
}

export function nameClasses(column: Column | undefined): string {
  return [
    column?.align === 'right' ? 'number' : '',
    column?.isLong === true ? 'long' : '',
    column?.isOnlyWide === true ? 'only-wide' : '',
  ]
    .join(' ')
    .trim()
}

/** One figure that is read first. */
export interface BigFigure extends Omit<FirstFigure, 'detail'> {
  readonly detail?: ComponentChildren
}

/** The figures of one contender, or of one pair of them. */
interface BigFigureGroup {
  readonly key: string
  /** Null where there is only one. */
  readonly name: ComponentChildren | null
  readonly figures: readonly BigFigure[]
}

interface BigFiguresProps {
  readonly label: string
  readonly groups: readonly BigFigureGroup[]
}

/** Three or four figures of each contender, large: what the sentence above them rests on. */
export function BigFigures({ label, groups }: BigFiguresProps): JSX.Element | null {
  if (groups.every(({ figures }) => figures.length === 0)) return null
  return (
    <ul class="big-figures" aria-label={label}>
      {groups.map(({ key, name, figures }) => (
        <li key={key}>
          {name === null ? null : <p class="big-name">{name}</p>}
          <dl>
            {figures.map(({ label: ofFigure, value, detail }) => (
              <div key={ofFigure}>
                <dt>{ofFigure}</dt>
                <dd>
                  <strong>{value}</strong>
                  {detail === undefined ? null : <small class="big-detail">{detail}</small>}
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}

/** A contender with its place in the config, which gives it its colour. */
export interface PlacedContender {
  readonly index: number
  readonly id: string
  readonly figures: ContenderEvaluation
}

/** The contenders in the order of the ranking, the best first. */
export function rankedContenders({ evaluation }: RunPage): PlacedContender[] {
  const places = new Map(evaluation.contenders.map(({ contender }, index) => [contender.id, index]))
  return inRankOrder(evaluation).map((figures) => {
    const { id } = figures.contender
    return { index: places.get(id) ?? 0, id, figures }
  })
}

/** The ids of the contenders in the order of the config. */
export function contenderIds({ evaluation }: RunPage): readonly string[] {
  return evaluation.contenders.map(({ contender }) => contender.id)
}
