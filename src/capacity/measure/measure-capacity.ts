import { resolve } from 'node:path'
import { correctReferences } from '#analysis/requests/transcript-scorer'
import type { BenchConfig } from '#config/bench-config'
import { programVersion } from '#installation/installation'
import { runId } from '#journal/find-run'
import type { RunEnding, RunRecord } from '#journal/run-record'
import { createRun, writeRunDocument } from '#journal/run-writer'
import { systemClock } from '#load/clock'
import type { LoadShape } from '#load/loads/registry'
import { BenchError, counted, shellWord, sumOf } from '#prelude'
import { capacityCsv, capacityMarkdown } from '#reports/capacity/render-capacity'
import { ownScoring } from '#results/scores'
import { capacityFile, documentHtml } from '#results/stored-document'
import { runErrors } from '#run/execute/errors'
import { openCorpus, plannedUtterances } from '#run/inputs'
import { averageAudioSeconds, makePlan } from '#run/plan/measure-plan'
import { readPriceList } from '#run/plan/provider-terms'
import { withServerProblems } from '#run/prepare-run'
import { describeEnding, readBeginning, startRecord } from '#run/record'
import { firstSegment, throwIfStopped, withSegment } from '#run/segment'
import { type AnyTarget, findBaseUrl, isServer, openAnyTarget, watchedServer } from '#run/target/open-server'
import { listFolders, maxSockets } from '#run/target/open-target'
import { audioReach, nameMachine, withAliases } from '#run/target/run-targets'
import { countProcessors, isQuiet } from '#telemetry/host'
import {
  type CapacityFinding,
  type CapacityRemark,
  type ContenderCapacity,
  capacityFormatVersion,
  isSentLate,
} from '../finding.ts'
import { summariseSendLag } from '../found.ts'
import {
  type CapacityOptions,
  type ContenderInput,
  maxDisturbedShare,
  otherPrograms,
  watchProcessor,
} from './contender-input.ts'
import { sumOfCounts } from './loaded-target.ts'
import { type MeasuredContender, measureContender, warmUpSeconds } from './measure-contender.ts'
import { planSweep } from './run-sweep.ts'

/** Time of the budget for evaluating and writing the results. */
const closingSeconds = 6

/**
 * The budget of a contender in seconds that leaves no time for a search: the first request, the sweep at its shortest,
 * and the time for the results. They are not cut, so a smaller budget is exceeded.
 */
export function unsearchedSeconds({ budgetSeconds, inFlights }: CapacityOptions['request']): number {
  const { levels, rounds } = planSweep(budgetSeconds, inFlights.slice(0, 2), 0)
  return warmUpSeconds + rounds * sumOf(levels, ({ turnSeconds }) => turnSeconds) + closingSeconds
}

/**
 * Measures the load that each contender of a config sustains within its objectives. If the target is lost during a
 * later contender, the results of the earlier ones are kept.
 *
 * @returns also the absolute path of the run folder
 * @throws BenchError for every problem that the user can solve; completed attempts are then in the journal, and the
 * Modes are restored
 */
export async function measureCapacity(options: CapacityOptions) {
  const { config, request, onEvent = () => undefined, clock = systemClock, env = process.env } = options
  const calledAtMs = clock.nowMs()
  refuseSeveralTargets(config)
  const opening = openCorpus(config, { env, onEvent, signal: options.stop })
  const corpus = await withServerProblems(opening, config, { env, clock, connections: maxSockets })
  const beginning = await readBeginning(clock, env)
  const quietness = await isQuiet()
  const open = (): Promise<AnyTarget> =>
    openAnyTarget({
      target: config.target,
      keyFrom: config.keyFrom,
      enginesFile: config.engines,
      env,
      clock,
      connections: maxSockets,
      ...(request.decodes === null ? {} : { embeddedConcurrency: request.decodes }),
      readableFolders: listFolders(corpus.utterances),
    })
  await using target = await open()
  const reach = isServer(target) ? null : await audioReach(config, corpus.utterances, target)
  const machine = nameMachine(findBaseUrl(target))
  const [runTarget] = await withAliases(
    [{ id: null, target, config, reach, machine, roundTrip: null }],
    corpus,
  )
  const plan = makePlan(config, {
    corpus,
    load: { kind: 'closed', concurrency: 1 },
    targets: [runTarget],
    prices: request.prices ?? (await readPriceList(null)),
  })
  throwIfStopped(options.stop)
  await using writer = await createRun(resolve(config.results), runId(clock.today(), config.name))
  const record = startRecord({
    folder: writer.folder,
    env,
    config,
    command: options.command ?? [],
    plan: { ...plan, requests: [] },
    targets: [runTarget],
    clock,
    ...beginning,
  })
  await writer.writeRecord(record)
  const { corrections = null } = await ownScoring({ folder: writer.folder, record }, { env })
  const { material, applied } = correctReferences({ utterances: [...plannedUtterances(corpus)] }, corrections)
  const correctedCount = applied?.correctedIds.length ?? 0
  const habit = { meanAudioSeconds: averageAudioSeconds(corpus), meanPauseSeconds: request.meanPauseSeconds }
  onEvent({
    kind: 'planned',
    folder: writer.folder,
    target: target.description,
    contenderIds: plan.contenders.map(({ id }) => id),
    corpus: {
      name: corpus.name,
      utteranceCount: corpus.utterances.length,
      meanAudioSeconds: habit.meanAudioSeconds,
      correctedCount,
    },
  })
  const input = {
    ...options,
    onEvent,
    clock,
    env,
    plan,
    target,
    writer,
    corpus,
    habit,
    open,
    spoken: material.utterances,
  }
  const measured = await execute(input, record, calledAtMs)
  const remarks = [...measured.remarks, ...hostRemarks(quietness)]
  const finding = makeFinding(input, record, { ...measured, remarks }, correctedCount)
  await writeRunDocument(writer.folder, capacityFile, `${JSON.stringify(finding, null, 1)}\n`)
  await writeRunDocument(writer.folder, 'capacity.csv', capacityCsv(finding))
  await writeRunDocument(writer.folder, 'capacity.md', `${capacityMarkdown(finding)}\n`)
  const page = await documentHtml({ kind: 'capacity', finding })
  await writeRunDocument(writer.folder, 'capacity.html', page)
  return { folder: writer.folder, finding }
}

/** Refuses several targets, because the capacity of one does not apply to another. */
function refuseSeveralTargets({ contenders }: BenchConfig): void {
  const targets = new Set(contenders.flatMap(({ target }) => target ?? []))
  if (targets.size < 2) return
  throw runErrors.make('WORKLOAD_UNFIT', {
    message: `the capacity of one target is measured at a time, and the contenders have ${targets.size}`,
    hint: `measure one after the other: ${[...targets].map((target) => `--target ${shellWord(target)}`).join(', ')}`,
  })
}

type Prepared = Omit<ContenderInput, 'startedAtMs' | 'untilMs' | 'spent' | 'next'>

/** Measures one contender after the other, and records how that ended. */
async function execute(input: Prepared, record: RunRecord, calledAtMs: number) {
  const { plan, target, writer, corpus, request, clock, env, stop } = input
  const spent = watchProcessor()
  const servers = [await watchedServer(null, target, env)]
  const live = { record, writer, segment: firstSegment, servers, clock, env, onSample: spent.note }
  const { end, unwritten } = await withSegment(live, async (startedAtMs) => {
    const measured: MeasuredContender[] = []
    let cutShort: BenchError | null = null
    for (const contender of plan.contenders) {
      if (stop?.aborted === true) break
      const budgetMs = 1000 * ((measured.length + 1) * request.budgetSeconds - closingSeconds)
      const targets = plan.targets.map((planned) => ({ ...planned, contenders: [contender] }))
      const outcome = await measureContender(
        {
          ...input,
          plan: { ...plan, targets, contenders: [contender] },
          startedAtMs,
          untilMs: calledAtMs + budgetMs,
          spent,
          next: measured.at(-1)?.next ?? { index: 0, block: 0 },
        },
        contender,
      ).catch((error: unknown) => {
        if (measured.length > 0 && error instanceof BenchError && lossCodes.has(error.code)) return error
        throw error
      })
      if (outcome instanceof BenchError) {
        cutShort = outcome
        break
      }
      measured.push(outcome)
      await writer.writePlan([...plannedUtterances(corpus), ...measured.flatMap(({ planned }) => planned)])
    }
    const contenders = measured.map(({ capacity }) => capacity)
    const ending = stop?.aborted === true ? interrupted : cutShort === null ? null : describeEnding(cutShort)
    const notMeasured = plan.contenders.slice(measured.length).map(({ id }) => id)
    return {
      contenders: contenders as readonly ContenderCapacity[],
      sendLagMs: measured.flatMap(({ sendLagMs }) => sendLagMs),
      remarks: [
        ...lossRemarks(ending, notMeasured),
        ...measured.flatMap(({ remarks }) => remarks),
        ...busyRemarks(otherPrograms(spent.lines, countProcessors().usable)),
      ],
      spentSeconds: (clock.nowMs() - calledAtMs) / 1000,
      load: describeLoad(contenders),
      counts: sumOfCounts(measured.map(({ counts }) => counts)),
      ending,
      givenUp: [],
    }
  })
  if (unwritten !== null) throw unwritten
  return end
}

/** Error codes with which a lost target ends a contender. */
const lossCodes: ReadonlySet<string> = new Set(['CAPACITY_CUT_SHORT', 'MODE_UNAVAILABLE'])

/** Names the contenders that are absent from the finding, which would otherwise look complete. */
function lossRemarks(ending: RunEnding | null, contenderIds: readonly string[]): CapacityRemark[] {
  if (ending === null || contenderIds.length === 0) return []
  const severity = ending === interrupted ? 'warning' : 'invalid'
  return [{ severity, message: `not measured: ${contenderIds.join(', ')}; ${ending.message}` }]
}

const interrupted: RunEnding = {
  code: 'INTERRUPTED',
  message: 'interrupted before the search was through',
  hint: 'what was measured is kept',
}

/** The open loads of a capacity measurement as a load with steps. */
function describeLoad(contenders: readonly ContenderCapacity[]): LoadShape {
  const steps = contenders.flatMap(({ levels }) =>
    levels.map(({ requestsPerSecond, measuredSeconds }) => ({
      rate: { requestsPerSecond },
      forSeconds: measuredSeconds,
    })),
  )
  if (steps.length === 0) return { kind: 'closed', concurrency: 1 }
  return { kind: 'steps', steps, intervals: { kind: 'exponential' } }
}

function makeFinding(
  { config, request, command = [], clock, target, corpus, habit }: Prepared,
  { id, startedAt, host, target: { baseUrl } }: RunRecord,
  { contenders, sendLagMs, spentSeconds, remarks }: Awaited<ReturnType<typeof execute>>,
  correctedCount: number,
): CapacityFinding {
  const { platform, cpuModel, cpuCount, memoryBytes, speed: speedIndex } = host
  const instrument = summariseSendLag(sendLagMs)
  return {
    formatVersion: capacityFormatVersion,
    id,
    startedAt,
    endedAt: clock.today().toISOString(),
    command,
    programVersion: programVersion(),
    seed: config.seed,
    budgetSeconds: request.budgetSeconds,
    spentSeconds,
    host: { platform, cpuModel, cpuCount, memoryBytes, speedIndex },
    target: { kind: target.kind, baseUrl, version: target.health?.app_version ?? null },
    corpus: {
      name: corpus.name,
      fingerprint: corpus.fingerprint,
      utteranceCount: corpus.utterances.length,
      meanAudioSeconds: habit.meanAudioSeconds,
      ...(correctedCount === 0 ? {} : { correctedCount }),
    },
    habit,
    objectives: request.objectives.map(({ text }) => text),
    contenders,
    instrument,
    remarks: [...lateRemarks(instrument), ...remarks],
  }
}

function lateRemarks(instrument: CapacityFinding['instrument']): CapacityRemark[] {
  const { lateP99Ms } = instrument
  if (lateP99Ms === null || !isSentLate(instrument)) return []
  return [
    {
      severity: 'invalid',
      message:
        `one request in a hundred left more than ${Math.round(lateP99Ms)} ms late, because this machine was busy: the ` +
        'waiting is not all the server’s. Close other work, or measure from another machine',
    },
  ]
}

function busyRemarks(others: ReturnType<typeof otherPrograms>): CapacityRemark[] {
  if (others === null || others.disturbedShare <= maxDisturbedShare) return []
  const { disturbedShare, processors } = others
  return [
    {
      severity: 'warning',
      message:
        `other programs were busy for ${Math.round(100 * disturbedShare)}% of the time, on ${processors.toFixed(1)} ` +
        `of ${counted(countProcessors().all, 'processor')} on average: on a quiet machine its capacity may be larger. Close other work and measure again`,
    },
  ]
}

function hostRemarks({ quiet, message }: Awaited<ReturnType<typeof isQuiet>>): CapacityRemark[] {
  return quiet ? [] : [{ severity: 'warning', message: `check before the start: ${message}` }]
}
