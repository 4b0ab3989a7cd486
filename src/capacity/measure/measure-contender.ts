import { crossedText } from '#analysis/findings/wording'
import type { ContenderConfig } from '#config/bench-config'
import type { RunEvent } from '#run/execute/lane'
import { openSender } from '#run/open-sender'
import { firstSegment } from '#run/segment'
import type { CapacityRemark, ContenderCapacity } from '../finding.ts'
import { foundBounds, foundCapacity, foundLevel, foundSweep, loadFigure } from '../found.ts'
import type { FoundSimulation } from '../found-loads.ts'
import type { ServerLimits } from '../loaded-server.ts'
import { type SearchResult, startSearch } from '../search.ts'
import { evaluateWhatIf, makeSimulation, simulateServer, standardQuestions } from '../simulation.ts'
import { compareTexts, type Sweep } from '../sweep.ts'
import type { CapacityStage, ContenderInput } from './contender-input.ts'
import { contenderCosts, contenderFleet } from './costs.ts'
import { type LoadedTarget, loadedTarget } from './loaded-target.ts'
import { crossedAnswers, errorCounter, runSweep, type SweptServer } from './run-sweep.ts'
import { coldPath, type FreshServers, type Strains, strain, strainSeconds } from './strains.ts'

export type MeasuredContender = ReturnType<typeof describeMeasured>

/** Measures one contender: cold start, sweep, search, overload, and interference of long recordings. */
export async function measureContender(
  input: ContenderInput,
  contender: ContenderConfig,
): Promise<MeasuredContender> {
  const onEvent = (event: RunEvent): void => input.onEvent({ kind: 'run', event })
  await using held = new AsyncDisposableStack()
  const sender = await openSender({ ...input, targets: [input.target], segment: firstSegment, onEvent }, held)
  return await runStages(input, contender, loadedTarget(input, contender.id, sender))
}

/** Duration in seconds of the first load, whose first request loads the model. */
export const warmUpSeconds = 1

async function runStages(
  input: ContenderInput,
  contender: ContenderConfig,
  server: LoadedTarget,
): Promise<MeasuredContender> {
  const { config, request, clock, onEvent } = input
  const { seed } = config
  const isStopped = (): boolean => input.stop?.aborted === true
  const secondsLeft = (): number => Math.max(0, (input.untilMs - clock.nowMs()) / 1000)
  const begin = (stage: CapacityStage): void =>
    onEvent({ kind: 'stage', contenderId: contender.id, stage, secondsLeft: secondsLeft() })
  begin('cold')
  // The first request loads the model, so that the sweep begins warm.
  await server.measure({ kind: 'closed', inFlight: 1, forSeconds: warmUpSeconds, seed })
  const cold = await coldPath(
    { clock, stop: input.stop, budgetSeconds: request.budgetSeconds },
    server,
    input.target.kind === 'embedded' ? freshServers(input, server) : null,
    seed + 1,
  )
  begin('sweep')
  const aloneMs = cold.steadyAnswerMs ?? cold.afterIdleMs
  const swept = await runSweep(input, server, aloneMs === null ? null : aloneMs / 1000)
  const lengths = input.corpus.utterances.map(({ durationSeconds }) => durationSeconds)
  const limits = findLimits(swept.sweep, lengths)
  const simulated = simulateServer(swept.closed, readWorkers(input))
  const search =
    limits === null || request.knownCapacity !== null
      ? null
      : startSearch(server, {
          objectives: request.objectives,
          limits,
          model:
            simulated === null
              ? null
              : { server: simulated, lengths, turns: swept.closed.flatMap(({ turns }) => turns) },
          seed: seed + 100,
          precision: request.precision,
          isStopped,
          onLevel: (level, estimate) =>
            onEvent({
              kind: 'level',
              contenderId: contender.id,
              level,
              estimate,
              secondsLeft: secondsLeft(),
            }),
        })
  const untilSeconds = (input.untilMs - input.startedAtMs) / 1000
  if (search !== null && !isStopped()) {
    begin('search')
    await search.explore(untilSeconds - strainSeconds(request))
  }
  const perSecond = request.knownCapacity ?? search?.result().capacity?.estimate.perSecond ?? 0
  const strains =
    perSecond > 0 && !isStopped()
      ? await strain(input, server, { perSecond, alone: swept.alone, onStage: begin })
      : { overloads: [], interference: null }
  if (search !== null && !isStopped()) {
    begin('confirmation')
    // The search uses the time that the strains left.
    await search.explore(untilSeconds)
    await search.confirm(untilSeconds)
  }
  const found = search?.result() ?? nothingFound
  return describeMeasured(input, contender, server, { cold, swept, found, strains })
}

/** Number of workers if it is configured here. */
function readWorkers({ target, request }: ContenderInput): number | null {
  return target.kind === 'embedded' ? request.decodes : null
}

function describeMeasured(
  input: ContenderInput,
  contender: ContenderConfig,
  server: LoadedTarget,
  stages: {
    readonly cold: ContenderCapacity['cold']
    readonly swept: SweptServer
    readonly found: SearchResult
    readonly strains: Strains
  },
) {
  const { config, request, habit, stop } = input
  const { found, swept, cold, strains } = stages
  const count = errorCounter(input)
  const levels = found.levels.map((level) => {
    const samples = level.stretches.flatMap((stretch) => stretch.samples)
    const { differing, compared } = compareTexts(samples, swept.alone, count, config.seed)
    return foundLevel(level, habit, { differing, compared })
  })
  const simulation = makeSimulation({
    levels: found.levels,
    sweep: swept.closed,
    workers: readWorkers(input),
    seed: config.seed,
  })
  const sweep = foundSweep(swept.sweep)
  const estimated = foundCapacity(found, habit)
  // A simulation that may not be used gives neither a capacity nor a number of machines.
  const isSilent =
    estimated?.basis === 'simulated' && simulation !== null && simulation.silentBecause !== null
  // If the server's speed changed, there is no single capacity, and loads of different times give no bounds.
  const capacity = isSilent || found.change !== null ? null : estimated
  const confirmation =
    found.confirmation === null || found.change !== null
      ? null
      : { load: loadFigure(found.confirmation.perSecond, habit), verdict: found.confirmation.verdict }
  const bounds = found.change === null ? foundBounds(levels, confirmation) : { met: null, violated: null }
  const costs = contenderCosts(input, contender, { capacity, sweep, alone: swept.alone, count })
  const ended =
    stop?.aborted === true ? 'interrupted' : request.knownCapacity === null ? found.ended : 'given'
  const described: ContenderCapacity = {
    id: contender.id,
    engine: contender.engine,
    model: contender.model,
    capacity,
    change: found.change && {
      times: found.change.times,
      firstEstimate: found.change.estimates?.first ?? null,
      lastEstimate: found.change.estimates?.last ?? null,
    },
    bounds,
    ended,
    levels,
    confirmation,
    sweep,
    simulation: simulation === null ? null : { ...simulation, whatIfs: answerWhatIfs(input, simulation) },
    ...strains,
    cold,
    fleet: contenderFleet(input, { capacity, bounds, confirmation }, costs),
    costs,
  }
  return {
    capacity: described,
    sendLagMs: server.sendLagMs,
    remarks: [...crossedRemarks(input, server), ...makeRemarks(contender.id, levels)],
    planned: server.planned.toSorted((a, b) => a.index - b.index),
    counts: server.counts(),
    next: server.next(),
  }
}

const nothingFound: SearchResult = {
  levels: [],
  capacity: null,
  confirmation: null,
  ended: 'budget',
  change: null,
}

/** Answers of the simulation, only if it reproduces the measured loads. */
function answerWhatIfs(
  { request, corpus, config, habit, command = [] }: ContenderInput,
  simulation: FoundSimulation,
): FoundSimulation['whatIfs'] {
  if (simulation.silentBecause !== null) return []
  const { objectives } = request
  const { sampledFrom } = corpus
  const measurement = { objectives, habit, seed: config.seed, command, excluded: config.exclude, sampledFrom }
  return standardQuestions([...corpus.utterances]).map((question) =>
    evaluateWhatIf(simulation, measurement, question),
  )
}

/** The limits that a search needs; null if the sweep had too few requests. */
function findLimits({ levels }: Sweep, lengths: readonly number[]): ServerLimits | null {
  const alone = levels.find(({ inFlight }) => inFlight === 1)?.steady ?? null
  // A server that refuses at once may have too few answers with the most in flight.
  const last = levels.findLast(({ steady }) => steady !== null)?.steady ?? null
  if (alone === null || last === null) return null
  return {
    aloneSeconds: alone.meanServiceMs / 1000,
    longestAudioSeconds: lengths.reduce((longest, seconds) => Math.max(longest, seconds), 0),
    serviceVariation: alone.serviceVariation,
    // Throughput with most in flight, as with a long queue. On a thrashing server it is not the maximum.
    maxPerSecond: last.perSecond,
  }
}

/** Remarks on swapped answers: a server that confuses its requests sustains no load at any speed. */
function crossedRemarks(input: ContenderInput, { attempts }: LoadedTarget): CapacityRemark[] {
  const [first] = attempts
  const sendings = attempts.map(({ outcome, ...sending }) => ({
    ...sending,
    text: outcome.ok ? outcome.answer.text : null,
  }))
  const crossed = crossedAnswers(input, sendings)
  if (first === undefined || crossed === null) return []
  const answeredCount = sendings.filter(({ text }) => text !== null).length
  return [{ severity: 'decisive', message: `${first.contenderId}: ${crossedText(crossed, answeredCount)}` }]
}

function makeRemarks(id: string, levels: ContenderCapacity['levels']): CapacityRemark[] {
  const differing = levels.reduce((sum, level) => sum + level.differingTexts, 0)
  const compared = levels.reduce((sum, level) => sum + level.comparedTexts, 0)
  if (differing === 0) return []
  return [
    {
      severity: 'warning',
      message: `${id}: ${differing} of ${compared} texts under load differ from those without load`,
    },
  ]
}

/**
 * Starts further services like the measured one, without a loaded model, one for each cold measurement. Each is
 * passed on with its start time, and stopped afterwards. The target must be startable from here.
 */
function freshServers(input: ContenderInput, server: LoadedTarget): FreshServers {
  const { open, clock, spent } = input
  return (work) =>
    spent.aside(async () => {
      const openedAtMs = clock.nowMs()
      await using fresh = await open()
      const startMs = clock.nowMs() - openedAtMs
      await using held = new AsyncDisposableStack()
      const onEvent = (): void => undefined
      const sender = await openSender({ ...input, targets: [fresh], segment: firstSegment, onEvent }, held)
      return await work(server.through(sender), startMs)
    })
}
