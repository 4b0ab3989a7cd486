import { type ComponentChildren, createContext, Fragment, type JSX, type RefObject } from 'preact'
import { useContext, useLayoutEffect, useRef } from 'preact/hooks'
import type { Cell, FirstFigure, Table, TitledTable } from '#reports/page'
import { useStages } from './stages.ts'

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
  /** Explanation of the figure in a sentence. */
  readonly note?: ComponentChildren
  readonly children: ComponentChildren
  /** Whether the figure takes the full width of the page instead of half. */
  readonly isWide?: boolean
  /** Fragment of links to the figure. */
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

const colourCount = 12

/** CSS class of a contender's colour, by its index in the config. */
export function pickColour(index: number): string {
  return `c${index % colourCount}`
}

export interface Part {
  readonly id: string
  readonly title: string
  draw(): JSX.Element | null
}

interface PartsProps {
  /** The head of the page; absent if it is among the parts. */
  readonly answer?: JSX.Element
  /** The parts after the answer, in the order of the table of contents. */
  readonly parts: readonly Part[]
  /** Content below the parts that is not in the table of contents. */
  readonly end?: JSX.Element | null
  /** Whether a part that is drawn in steps marks the page as complete, instead of this component; default: false. */
  readonly hasOwnEnd?: boolean
}

/** A whole document: its contents, its answer, and its parts, drawn one after the other. */
export function Parts({ answer, parts, end = null, hasOwnEnd = false }: PartsProps): JSX.Element {
  const all = answer === undefined ? parts : [{ id: 'answer', title: 'Answer', draw: () => answer }, ...parts]
  const drawn = useStages(all.length)
  const isReady = drawn === all.length
  return (
    <>
      <nav class="contents" aria-label="Sections" data-ready={hasOwnEnd ? undefined : isReady}>
        <ul>
          {all.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      {all.slice(0, drawn).map(({ id, draw }) => (
        <Fragment key={id}>{draw()}</Fragment>
      ))}
      {isReady ? end : null}
    </>
  )
}

interface ContenderNameProps {
  /** Index of its colour, or the CSS class of another one. */
  readonly index: number | string
  readonly id: string
}

/** A name with a dot of its colour before it. */
export function ContenderName({ index, id }: ContenderNameProps): JSX.Element {
  return (
    <span class="contender" title={id}>
      <span class={`swatch ${typeof index === 'string' ? index : pickColour(index)}`} aria-hidden="true" />
      <Name>{id}</Name>
    </span>
  )
}

interface LegendProps {
  /** Contenders with the index of their colour, or anything else with its CSS class, and text after the name. */
  readonly contenders: readonly {
    readonly index: number | string
    readonly id: string
    readonly text?: string | undefined
  }[]
  readonly label?: string
}

/** The contenders with their colours. */
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

/** A reference or hypothesis word in quotes; `nothing` if null. */
export function Spoken({ word }: { readonly word: string | null }): JSX.Element {
  return word === null ? <span class="quiet">nothing</span> : <q dir="auto">{word}</q>
}

interface NameListProps {
  readonly names: readonly string[]
  /** CSS class of the list; default: `named`. */
  readonly look?: string
}

/** Names or sentences below each other; null without any. */
export function NameList({ names, look = 'named' }: NameListProps): JSX.Element | null {
  if (names.length === 0) return null
  return (
    <ul class={look}>
      {names.map((name) => (
        <li key={name}>
          <Name>{name}</Name>
        </li>
      ))}
    </ul>
  )
}

interface FactsProps {
  readonly facts: readonly {
    readonly name: ComponentChildren
    readonly value: ComponentChildren
    /** Default: the name and the value, which are texts then. */
    readonly key?: string
  }[]
}

/** Values next to their names. */
export function Facts({ facts }: FactsProps): JSX.Element {
  return (
    <dl>
      {facts.map(({ name, value, key = `${name} ${value}` }) => (
        <div key={key}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface FoldProps {
  readonly title: ComponentChildren
  readonly children: ComponentChildren
}

/** Content of minor interest, folded behind its title. */
export function Fold({ title, children }: FoldProps): JSX.Element {
  return (
    <details>
      <summary>{title}</summary>
      {children}
    </details>
  )
}

interface ChoiceProps<Value extends string | number> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly name: string }[]
  onChoose(value: NoInfer<Value>): void
}

/** A choice of one of several values. */
export function Choice<Value extends string | number>(props: ChoiceProps<Value>): JSX.Element {
  const { label, value, options, onChoose } = props
  return (
    <label>
      {label}{' '}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex]
          if (chosen !== undefined) onChoose(chosen.value)
        }}
      >
        {options.map((option) => (
          <option value={option.value} key={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </label>
  )
}

interface SearchProps {
  readonly placeholder: string
  readonly value: string
  readonly field?: RefObject<HTMLInputElement | null>
  onSearch(text: string): void
}

export function Search({ placeholder, value, field, onSearch }: SearchProps): JSX.Element {
  return (
    <label class="search">
      <span class="unseen">Search</span>
      <input
        type="search"
        placeholder={placeholder}
        ref={field ?? null}
        value={value}
        onInput={({ currentTarget }) => onSearch(currentTarget.value)}
      />
    </label>
  )
}

/** A link from one of several pages to the list of them. */
export function WayBack({ address }: { readonly address: string }): JSX.Element {
  return (
    <p class="way-back">
      <a href={address}>← All runs</a>
    </p>
  )
}

/**
 * Reports an element when it is drawn and whenever its size changes.
 *
 * @param key of the element, null while it is not drawn; each change observes the element that is drawn then
 */
export function useResized<Observed extends HTMLElement>(
  onResize: (element: Observed) => void,
  key: string | null = null,
): RefObject<Observed | null> {
  const place = useRef<Observed>(null)
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return
    const observer = new ResizeObserver(() => onResize(element))
    observer.observe(element)
    return () => observer.disconnect()
  }, [key])
  return place
}

interface ScrollRegionProps {
  readonly label: string
  readonly children: ComponentChildren
}

/** Content that scrolls sideways if it is wider than the page; it then takes keyboard focus. */
export function ScrollRegion({ label, children }: ScrollRegionProps): JSX.Element {
  const place = useResized<HTMLElement>((element) => {
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0
    else element.removeAttribute('tabindex')
  })
  return (
    <section class="scroll" aria-label={label} ref={place}>
      {children}
    </section>
  )
}

/**
 * Ids of the contenders in the order of the config, which determines their colours in tables; empty without colours.
 */
export const ColouredContenders = createContext<readonly string[]>([])

interface DataTableProps {
  /** Description of the table for screen readers. */
  readonly label: string
  readonly table: Table
}

type Column = Table['columns'][number]

/** A table that scrolls sideways if it is too wide; null without rows. The first column names the row. */
export function DataTable({ label, table }: DataTableProps): JSX.Element | null {
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
                const words = <CellText cell={cell} column={column} />
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

interface TableFigureProps extends Omit<TitledTable, 'note'>, Partial<Pick<TitledTable, 'note'>> {
  /** Default: the title. */
  readonly label?: string
}

/** A titled table over the whole width. */
export function TableFigure({ title, note, table, label = title }: TableFigureProps): JSX.Element {
  return (
    <Figure title={title} note={note} isWide>
      <DataTable label={label} table={table} />
    </Figure>
  )
}

/** A table of minor interest, folded. */
export function FoldedTable({ title, table }: Omit<TitledTable, 'note'>): JSX.Element {
  return (
    <Fold title={title}>
      <DataTable label={title} table={table} />
    </Fold>
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
}

/** The text of a cell with its note and, on a narrow page, the text below it. */
export function CellText({ cell, column }: CellTextProps): JSX.Element {
  const contenders = useContext(ColouredContenders)
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

/** One large figure at the top of a page. */
export interface BigFigure extends Omit<FirstFigure, 'detail'> {
  readonly detail?: ComponentChildren
}

/** The figures of one contender, or of one pair of them. */
interface BigFigureGroup {
  readonly key: string
  /** Null if there is only one group. */
  readonly name: ComponentChildren | null
  readonly figures: readonly BigFigure[]
}

interface BigFiguresProps {
  readonly label: string
  readonly groups: readonly BigFigureGroup[]
  /** The noun of the groups that are left out beyond the first three; without it, all groups are shown. */
  readonly noun?: string
}

const maxGroups = 3

/** The main figures of each contender, on which the answer above them is based. */
export function BigFigures({ label, groups: all, noun }: BigFiguresProps): JSX.Element | null {
  const groups = noun === undefined ? all : all.slice(0, maxGroups)
  if (groups.every(({ figures }) => figures.length === 0)) return null
  return (
    <ul
      class="big-figures"
      aria-label={groups.length < all.length ? `The first ${maxGroups} ${noun}` : label}
    >
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
