import { type CapacityFinding, type ContenderCapacity, isSentLate } from '#capacity/finding'
import type { LoadFigure } from '#capacity/found-loads'
import { allowance, limitMs, parseObjectives } from '#capacity/objective'
import { shellWord } from '#prelude'
import { type FirstFigure, pageFormatVersion } from '../layout/page-document.ts'
import { makeTable } from '../layout/table.ts'
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
  remarkSentence,
  scalingSentence,
  sendLagText,
  simulationSentences,
  textsSentence,
  yearlySentence,
} from './capacity-words.ts'

export type CapacityPage = ReturnType<typeof capacityPage>
export type PageCapacity = ReturnType<typeof pageCapacity>

export function capacityPage({ contenders, ...finding }: CapacityFinding) {
  const whole = { ...finding, contenders }
  const offers = offerRows(whole)
  const objectives = parseObjectives(finding.objectives)
  return {
    kind: 'capacity' as const,
    formatVersion: pageFormatVersion,
    title: `Capacity of ${contenders.map(({ id }) => id).join(', ')}`,
    /** The first sentence answers the question, or says that there is no answer; the others state the certainty. */
    answers: [
      ...finding.remarks.filter(({ severity }) => severity === 'invalid').map(remarkSentence),
      ...contenders.flatMap((contender) => answerSentences(contender, finding)),
    ],
    finding,
    /** Share of requests that may miss each objective, keyed by the text of the objective. */
    allowances: Object.fromEntries(objectives.map((objective) => [objective.text, allowance(objective)])),
    /** Latency limits for audio of the mean length, from the objectives that set one. */
    limits: objectives.flatMap((objective) =>
      objective.kind === 'latency'
        ? [
            {
              objective: objective.text,
              limitMs: limitMs(objective, finding.corpus.meanAudioSeconds),
              /** Whether audio of every length has the same limit. */
              isSame: objective.perAudioSecondMs === 0,
            },
          ]
        : [],
    ),
    contenders: contenders.map((contender) => pageCapacity(contender, whole)),
    offers: offers.length === 0 ? null : makeTable(offerColumns(whole), offers),
    conditions: conditionsLine(whole),
    /** The command of the measurement, quoted for a shell. */
    command: finding.command.map(shellWord).join(' '),
    late: sendLagText(whole),
  }
}

function pageCapacity(found: ContenderCapacity, finding: CapacityFinding) {
  const { sweep, simulation, costs, overloads, fleet } = found
  const yearly = yearlyRows(fleet)
  const interference = interferenceSentence(found)
  return {
    found,
    figures: [...(isSentLate(finding.instrument) ? [] : loadFigures(found)), ...aloneFigure(found)],
    levels: makeTable(levelColumns, levelRows(finding, found)),
    texts: textsSentence(found),
    sweep: makeTable(sweepColumns(sweep), sweep.levels),
    scaling: scalingSentence(sweep),
    /** Results of the overloads, and of dictation during long recordings. */
    strains: [
      ...overloads.map((each) => overloadSentence(each, found.ended)),
      ...(interference === null ? [] : [interference]),
    ],
    cold: coldSentence(found),
    reproductions: simulation === null ? null : makeTable(reproductionColumns, simulation.reproductions),
    whatIfs:
      simulation === null || simulation.whatIfs.length === 0
        ? null
        : makeTable(whatIfColumns, simulation.whatIfs),
    simulated: simulation === null ? [] : simulationSentences(simulation),
    /** Commands that measure what was only simulated. */
    checks: (simulation?.whatIfs ?? []).flatMap(({ question, check }) =>
      check === null ? [] : [{ question, command: check }],
    ),
    yearly: yearly.length === 0 ? null : makeTable(yearlyColumns, yearly),
    yearlyNote: yearlySentence(fleet),
    costs: costs === null ? null : makeTable(costColumns, costRows(found, costs)),
  }
}

function loadFigures({ capacity, bounds }: ContenderCapacity): readonly FirstFigure[] {
  const load = capacity?.estimate ?? bounds.met
  if (load === null) return []
  const figure = (label: string, unit: keyof LoadFigure, format: (value: number) => string): FirstFigure => ({
    label,
    value: format(load[unit]),
    detail:
      capacity === null
        ? 'at least'
        : `${format(capacity.low[unit])} to ${format(capacity.high[unit])}, ${capacity.basis}`,
  })
  return [
    figure('requests per second', 'requestsPerSecond', formatRate),
    figure('concurrent users', 'concurrentUsers', (users) => formatCount(Math.floor(users + 1e-9))),
    figure('hours of speech per hour', 'audioSecondsPerSecond', formatRate),
  ]
}

function aloneFigure({ sweep }: ContenderCapacity): readonly FirstFigure[] {
  const p95Ms = sweep.levels.find(({ inFlight }) => inFlight === 1)?.p95Ms ?? null
  if (p95Ms === null) return []
  const detail = 'latency, one request at a time'
  return [{ label: 'p95 without load', value: formatMilliseconds(p95Ms), detail }]
}
