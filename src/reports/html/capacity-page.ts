import {
  allowance,
  type CapacityFinding,
  type ContenderCapacity,
  type LevelVerdict,
  limitMs,
  parsePromises,
} from '#capacity'
import { shellWord } from '#prelude'
import { wilsonInterval } from '#statistics'
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
  fleetBasis,
  fleetSentence,
  interferenceSentence,
  lateSentence,
  overloadSentence,
  scalingSentence,
  simulationSentences,
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

/** How many miss a promise at one load. Shares 0..1. */
export interface PageMiss {
  readonly requestsPerSecond: number
  readonly people: number
  readonly misses: number
  readonly requests: number
  readonly share: number
  /** 95 %, of as many requests as are independent: those that wait together miss together. */
  readonly low: number
  readonly high: number
  readonly verdict: LevelVerdict
}

/** What is said of one contender; the drawings are made of its figures. */
export interface PageCapacity {
  readonly found: ContenderCapacity
  readonly levels: PageTable
  /** By promise as it is written, what share misses it at each load. */
  readonly misses: Readonly<Record<string, readonly PageMiss[]>>
  readonly texts: string
  readonly sweep: PageTable
  readonly scaling: string
  /** Overload, dictation beside long recordings. */
  readonly strains: readonly string[]
  readonly cold: string | null
  readonly reproductions: PageTable | null
  readonly whatIfs: PageTable | null
  /** What the simulation is made of and its answers rest on. */
  readonly simulated: readonly string[]
  /** What is typed to measure what was imagined. */
  readonly checks: readonly { readonly question: string; readonly command: string }[]
  readonly costs: PageTable | null
}

/** A promise of time, as it stands in a drawing of times. */
interface PageLimit {
  readonly promise: string
  readonly limitMs: number
  /** Whether audio of every length has that time. */
  readonly isSame: boolean
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
  /** How long audio of the mean length may take, by the promises that say so. */
  readonly limits: readonly PageLimit[]
  readonly contenders: readonly PageCapacity[]
  /** Accuracy, latency and cost of everything that can be had. */
  readonly offers: PageTable | null
  readonly conditions: string
  /** What was typed, as a shell takes it. */
  readonly command: string
  readonly late: string | null
}

/** Everything that the page of a capacity shows. */
export function capacityPage({ contenders, ...finding }: CapacityFinding): CapacityPage {
  const whole = { ...finding, contenders }
  const fleet = fleetSentence(whole, fleetBasis(whole))
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
    limits: parsePromises(finding.promises).flatMap((promise) =>
      promise.kind === 'latency'
        ? [
            {
              promise: promise.text,
              limitMs: limitMs(promise, finding.corpus.meanAudioSeconds),
              isSame: promise.perAudioSecondMs === 0,
            },
          ]
        : [],
    ),
    contenders: contenders.map((contender) => pageCapacity(contender, finding.promises)),
    offers: offers.length === 0 ? null : pageTable(offerColumns, offers),
    conditions: conditionsLine(whole),
    command: finding.command.map(shellWord).join(' '),
    late: lateSentence(whole),
  }
}

function pageCapacity(found: ContenderCapacity, promises: readonly string[]): PageCapacity {
  const { levels, sweep, simulation, costs, overloads } = found
  const interference = interferenceSentence(found)
  return {
    found,
    levels: pageTable(levelColumns, levels),
    misses: Object.fromEntries(promises.map((promise) => [promise, missesOf(levels, promise)])),
    texts: textsSentence(found),
    sweep: pageTable(sweepColumns, sweep.levels),
    scaling: scalingSentence(sweep),
    strains: [...overloads.map(overloadSentence), ...(interference === null ? [] : [interference])],
    cold: coldSentence(found),
    reproductions: simulation === null ? null : pageTable(reproductionColumns, simulation.reproductions),
    whatIfs:
      simulation === null || simulation.whatIfs.length === 0
        ? null
        : pageTable(whatIfColumns, simulation.whatIfs),
    simulated: simulation === null ? [] : simulationSentences(simulation),
    checks: (simulation?.whatIfs ?? []).flatMap(({ question, check }) =>
      check === null ? [] : [{ question, command: check }],
    ),
    costs: costs === null ? null : pageTable(costColumns, costRows(found, costs)),
  }
}

function missesOf(levels: ContenderCapacity['levels'], promise: string): readonly PageMiss[] {
  return levels.flatMap(({ requestsPerSecond, people, promises }) =>
    promises
      .filter((each) => each.promise === promise && each.requests > 0)
      .map(({ misses, requests, designEffect, verdict }) => {
        const share = misses / requests
        const independent = Math.max(1, Math.round(requests / designEffect))
        const interval = wilsonInterval(Math.round(share * independent), independent)
        const [low, high] = [Math.min(share, interval?.low ?? 0), Math.max(share, interval?.high ?? 1)]
        return { requestsPerSecond, people, misses, requests, share, low, high, verdict }
      }),
  )
}

function pageTable<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[]): PageTable {
  return {
    columns: columns.map(({ header, align }) => ({ header, isText: align === 'left' })),
    rows: rows.map((row) =>
      columns.map(({ cell, tone }) => ({ text: cell(row), tone: tone?.(row) ?? null })),
    ),
  }
}
