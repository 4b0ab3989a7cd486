import { allowance, type CapacityFinding, type ContenderCapacity, parsePromises } from '#capacity'
import {
  costColumns,
  costRows,
  levelColumns,
  offerColumns,
  offerRows,
  reproductionColumns,
  sweepColumns,
  whatIfColumns,
} from '../capacity/capacity-columns.ts'
import {
  answerSentences,
  coldSentence,
  conditionsLine,
  fleetSentence,
  interferenceSentence,
  lateSentence,
  overloadSentence,
  scalingSentence,
  textsSentence,
} from '../capacity/capacity-words.ts'
import type { TableColumn } from '../table.ts'
import type { Tone } from '../terminal.ts'
import { pageFormatVersion } from './page-version.ts'

/** A table as it is shown, every cell in words. */
export interface PageTable {
  readonly columns: readonly { readonly header: string; readonly isText: boolean }[]
  readonly rows: readonly (readonly { readonly text: string; readonly tone: Tone | null }[])[]
}

/** What is said of one contender; the drawings are made of its figures. */
export interface PageCapacity {
  readonly found: ContenderCapacity
  readonly levels: PageTable
  readonly texts: string
  readonly sweep: PageTable
  readonly scaling: string
  /** Overload, dictation beside long recordings. */
  readonly strains: readonly string[]
  readonly cold: string | null
  readonly reproductions: PageTable | null
  readonly whatIfs: PageTable | null
  /** Why nothing is imagined. */
  readonly silentBecause: string | null
  readonly costs: PageTable | null
}

/** The page of a capacity: the answer, what it rests on, and what it is worth. */
export interface CapacityPage {
  readonly kind: 'capacity'
  readonly formatVersion: number
  readonly title: string
  /** The first sentence answers the question; the others say how sure that is. */
  readonly answers: readonly string[]
  readonly finding: Omit<CapacityFinding, 'contenders'>
  /** Share of the requests that each promise lets miss, by the promise as it is written. */
  readonly allowances: Readonly<Record<string, number>>
  readonly contenders: readonly PageCapacity[]
  /** Accuracy, latency and cost of everything that can be had. */
  readonly offers: PageTable | null
  readonly conditions: string
  readonly late: string | null
}

/** Everything that the page of a capacity shows. */
export function capacityPage({ contenders, ...finding }: CapacityFinding): CapacityPage {
  const whole = { ...finding, contenders }
  const fleet = fleetSentence(whole)
  const offers = offerRows(whole)
  return {
    kind: 'capacity',
    formatVersion: pageFormatVersion,
    title: `Capacity of ${contenders.map(({ id }) => id).join(', ')}`,
    answers: [...contenders.flatMap(answerSentences), ...(fleet === null ? [] : [fleet])],
    finding,
    allowances: Object.fromEntries(
      parsePromises(finding.promises).map((promise) => [promise.text, allowance(promise)]),
    ),
    contenders: contenders.map(pageCapacity),
    offers: offers.length === 0 ? null : pageTable(offerColumns, offers),
    conditions: conditionsLine(whole),
    late: lateSentence(whole),
  }
}

function pageCapacity(found: ContenderCapacity): PageCapacity {
  const { levels, sweep, simulation, costs, overloads } = found
  const interference = interferenceSentence(found)
  return {
    found,
    levels: pageTable(levelColumns, levels),
    texts: textsSentence(found),
    sweep: pageTable(sweepColumns, sweep.levels),
    scaling: scalingSentence(sweep),
    strains: [...overloads.map(overloadSentence), ...(interference === null ? [] : [interference])],
    cold: coldSentence(found),
    reproductions: simulation === null ? null : pageTable(reproductionColumns, simulation.reproductions),
    whatIfs:
      simulation === null || simulation.silentBecause !== null
        ? null
        : pageTable(whatIfColumns, simulation.whatIfs),
    silentBecause: simulation?.silentBecause ?? null,
    costs: costs === null ? null : pageTable(costColumns, costRows(found, costs)),
  }
}

function pageTable<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[]): PageTable {
  return {
    columns: columns.map(({ header, align }) => ({ header, isText: align === 'left' })),
    rows: rows.map((row) =>
      columns.map(({ cell, tone }) => ({ text: cell(row), tone: tone?.(row) ?? null })),
    ),
  }
}
