import type { CapacityFinding, ContenderCapacity } from '#capacity/finding'
import type { LoadFigure } from '#capacity/found-loads'
import { allowance, limitMs, parseObjectives } from '#capacity/objective'
import { shellWord } from '#prelude'
import { type FirstFigure, pageFormatVersion } from '../layout/page-document.ts'
import { makeTable, type Table } from '../layout/table.ts'
import { formatCount, formatMilliseconds } from '../layout/units.ts'
import {
  costColumns,
  costRows,
  levelColumns,
  levelRows,
  offerColumns,
  offerRows,
  reproductionColumns,
  sweepColumns,
  whatIfColumns,
  yearlyColumns,
  yearlyRows,
} from './capacity-columns.ts'
import {
  answerSentences,
  coldSentence,
  conditionsLine,
  formatRate,
  interferenceSentence,
  overloadSentence,
  scalingSentence,
  sendLagText,
  simulationSentences,
  textsSentence,
  yearlySentence,
} from './capacity-words.ts'

/** What is said of one contender; the drawings are made of its figures. */
export interface PageCapacity {
  readonly found: ContenderCapacity
  readonly figures: readonly FirstFigure[]
  readonly levels: Table
  readonly texts: string
  readonly sweep: Table
  readonly scaling: string
  /** Overload, dictation together with long recordings. */
  readonly strains: readonly string[]
  readonly cold: string | null
  readonly reproductions: Table | null
  readonly whatIfs: Table | null
  /** What the simulation is made of and its answers rest on. */
  readonly simulated: readonly string[]
  /** What is typed to measure what was imagined. */
  readonly checks: readonly { readonly question: string; readonly command: string }[]
  readonly yearly: Table | null
  /** What the yearly sums are made of. */
  readonly yearlyNote: string | null
  readonly costs: Table | null
}

/** An objective of time, as a line in a chart of times. */
interface PageLimit {
  readonly objective: string
  readonly limitMs: number
  /** Whether audio of every length has that time. */
  readonly isSame: boolean
}

/** The page of a capacity: the answer, what it rests on, and what it is worth. */
export interface CapacityPage {
  readonly kind: 'capacity'
  readonly formatVersion: number
  readonly title: string
  /** The first sentence answers the question, or says that nothing does; the others say how sure that is. */
  readonly answers: readonly string[]
  readonly finding: Omit<CapacityFinding, 'contenders'>
  /** Share of the requests that each objective lets miss, by the objective as it is written. */
  readonly allowances: Readonly<Record<string, number>>
  /** How long audio of the mean length may take, by the objectives that say so. */
  readonly limits: readonly PageLimit[]
  readonly contenders: readonly PageCapacity[]
  /** Accuracy, latency and cost of everything that can be had. */
  readonly offers: Table | null
  readonly conditions: string
  /** What was typed, as a shell takes it. */
  readonly command: string
  readonly late: string | null
}

export function capacityPage({ contenders, ...finding }: CapacityFinding): CapacityPage {
  const whole = { ...finding, contenders }
  const offers = offerRows(whole)
  const objectives = parseObjectives(finding.objectives)
  return {
    kind: 'capacity',
    formatVersion: pageFormatVersion,
    title: `Capacity of ${contenders.map(({ id }) => id).join(', ')}`,
    answers: [
      ...finding.remarks.flatMap(({ severity, message }) =>
        severity === 'invalid' ? [`This measurement is not valid: ${message.replace(/\.$/, '')}.`] : [],
      ),
      ...contenders.flatMap(answerSentences),
    ],
    finding,
    allowances: Object.fromEntries(objectives.map((objective) => [objective.text, allowance(objective)])),
    limits: objectives.flatMap((objective) =>
      objective.kind === 'latency'
        ? [
            {
              objective: objective.text,
              limitMs: limitMs(objective, finding.corpus.meanAudioSeconds),
              isSame: objective.perAudioSecondMs === 0,
            },
          ]
        : [],
    ),
    contenders: contenders.map((contender) => pageCapacity(contender, whole)),
    offers: offers.length === 0 ? null : makeTable(offerColumns(whole), offers),
    conditions: conditionsLine(whole),
    command: finding.command.map(shellWord).join(' '),
    late: sendLagText(whole),
  }
}

function pageCapacity(found: ContenderCapacity, finding: CapacityFinding): PageCapacity {
  const { sweep, simulation, costs, overloads, fleet } = found
  const yearly = yearlyRows(fleet)
  const interference = interferenceSentence(found)
  return {
    found,
    figures: capacityFigures(found),
    levels: makeTable(levelColumns, levelRows(finding, found)),
    texts: textsSentence(found),
    sweep: makeTable(sweepColumns(sweep), sweep.levels),
    scaling: scalingSentence(sweep),
    strains: [...overloads.map(overloadSentence), ...(interference === null ? [] : [interference])],
    cold: coldSentence(found),
    reproductions: simulation === null ? null : makeTable(reproductionColumns, simulation.reproductions),
    whatIfs:
      simulation === null || simulation.whatIfs.length === 0
        ? null
        : makeTable(whatIfColumns, simulation.whatIfs),
    simulated: simulation === null ? [] : simulationSentences(simulation),
    checks: (simulation?.whatIfs ?? []).flatMap(({ question, check }) =>
      check === null ? [] : [{ question, command: check }],
    ),
    yearly: yearly.length === 0 ? null : makeTable(yearlyColumns, yearly),
    yearlyNote: yearlySentence(fleet),
    costs: costs === null ? null : makeTable(costColumns, costRows(found, costs)),
  }
}

/** What a page shows large of a contender: the capacity in three units, and the latency without other requests. */
function capacityFigures(contender: ContenderCapacity): readonly FirstFigure[] {
  return [...loadFigures(contender), ...aloneFigure(contender)]
}

interface Known {
  readonly load: LoadFigure
  readonly low: LoadFigure | null
  readonly high: LoadFigure | null
  /** What the figures are, where they have no interval. */
  readonly meaning: string
}

function knownLoad({ capacity, bounds }: ContenderCapacity): Known | null {
  if (capacity !== null) {
    const { estimate, low, high, basis } = capacity
    return { load: estimate, low, high, meaning: basis }
  }
  if (bounds.met === null) return null
  return { load: bounds.met, low: null, high: null, meaning: 'at least' }
}

function loadFigures(contender: ContenderCapacity): readonly FirstFigure[] {
  const known = knownLoad(contender)
  if (known === null) return []
  const { load, low, high, meaning } = known
  const figure = (label: string, unit: keyof LoadFigure, format: (value: number) => string): FirstFigure => ({
    label,
    value: format(load[unit]),
    detail:
      low === null || high === null ? meaning : `${format(low[unit])} to ${format(high[unit])}, ${meaning}`,
  })
  return [
    figure('requests per second', 'requestsPerSecond', formatRate),
    figure('concurrent users', 'concurrentUsers', (users) => formatCount(Math.floor(users + 1e-9))),
    figure('hours of speech per hour', 'audioSecondsPerSecond', formatRate),
  ]
}

function aloneFigure({ sweep }: ContenderCapacity): readonly FirstFigure[] {
  const p95Ms = sweep.levels.find(({ inFlight }) => inFlight === 1)?.p95Ms ?? null
  return p95Ms === null
    ? []
    : [
        {
          label: 'p95 without load',
          value: formatMilliseconds(p95Ms),
          detail: 'latency, one request at a time',
        },
      ]
}
