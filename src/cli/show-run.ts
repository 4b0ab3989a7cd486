import { describeFailure, meansNoSpeech, meansRateLimited } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import { foreign, inSigns, paragraph, type Terminal } from '#reports/layout/terminal'
import { counted, formatSeconds } from '#reports/layout/units'
import { errorsSoFar } from '#run/errors-so-far'
import {
  audioSecondsById,
  averageAudioSeconds,
  type MeasurePlan,
  unansweredRequests,
} from '#run/plan/measure-plan'
import { expectLoad, type TimeBefore } from '#run/plan/preview-run'
import type { MeasureEvent } from '#run/prepare-run'
import type { CommandContext } from './command-context.ts'
import { plannedText, renderPlan, reusedText } from './plan-text.ts'
import {
  expectedTime,
  liveLines,
  meterProgress,
  type ProgressDisplay,
  type ProgressMeter,
  type ProgressText,
  plainLines,
  type TimeSpan,
  type WarmUp,
} from './run-progress.ts'

/** Listens to a run and shows it on stderr: the plan first, then its progress. */
export interface RunWatcher extends Disposable {
  onEvent(event: MeasureEvent): void
  /** Prints a message without breaking the moving lines. */
  say(text: string): void
  /** Announces that requests in flight are awaited, except in a warm-up, whose requests are dropped. */
  stopping(): void
}

export function showRun(context: CommandContext): RunWatcher {
  const nothing = (): void => undefined
  const silent: ProgressDisplay = { show: nothing, wait: nothing, clear: nothing, done: nothing }
  const display = context.isQuiet
    ? silent
    : context.isWatched
      ? liveLines(context.stderr, context.conversation)
      : plainLines(context.say, context.conversation)
  let meter: ProgressMeter | null = null
  let plan: MeasurePlan | null = null
  let before: TimeBefore | null = null
  let latest: ProgressText | null = null
  const warmedBy = new Map<string, WarmUp>()
  /** Failures in the warm-up of contenders that continued. */
  const failedWarmUps = new Map<string, readonly string[]>()
  const say = (text: string): void => {
    display.clear()
    context.say(text)
  }
  const heartbeat = startHeartbeat((text, silentSeconds) => display.wait(text, silentSeconds))
  const firstFailure = firstFailures(context.conversation)
  const expectedOnceWarm = (): void => {
    if (plan === null) return
    const expected = expectedTime(plan, audioSecondsById(plan.corpus), warmedBy)
    if (expected !== null && !holds(expected, before)) say(`\n  expect    ${spanWords(expected)}`)
  }
  let isMarkMissed = false
  let isWarmUp = true
  return {
    say,
    stopping() {
      if (!isWarmUp) say('  stopping: waiting for what is in flight; Ctrl-C again drops it')
    },
    [Symbol.dispose]: () => heartbeat[Symbol.dispose](),
    onEvent(event) {
      heartbeat.beat()
      switch (event.kind) {
        case 'planned':
          plan = event.plan
          meter = meterProgress(
            unansweredRequests(plan),
            errorsSoFar(plan.load, plan.corpus.utterances, event.corrected, plan.profile),
          )
          before = event.before
          say(`\n${planText(plan, before, context)}\n`)
          break
        case 'warmingUp':
          isWarmUp = true
          heartbeat.beat(noAnswer(event.contenderId))
          break
        case 'attempted': {
          heartbeat.beat(noAnswer(event.line.contenderId))
          isWarmUp = event.line.phase === 'warmup'
          const failure = firstFailure(event.line, event.isPaused)
          if (failure !== null) say(failure)
          latest = meter?.add(event.line, event) ?? null
          const { contenderId, phase, outcome } = event.line
          if (phase === 'warmup' && !outcome.ok && !meansNoSpeech(outcome.failure)) {
            const before = failedWarmUps.get(contenderId) ?? []
            failedWarmUps.set(contenderId, [...before, describeFailure(outcome.failure)])
          }
          if (phase === 'warmup') {
            const lines = [...(warmedBy.get(contenderId)?.lines ?? []), event.line]
            warmedBy.set(contenderId, { lines, counts: event.counts })
          } else if (latest !== null) display.show(latest)
          break
        }
        case 'paused': {
          const { line, forSeconds } = event
          heartbeat.beat(
            (silentSeconds) =>
              `${line.contenderId}: rate limit, ${formatSeconds(Math.max(0, Math.ceil(forSeconds - silentSeconds)))} left of the pause`,
          )
          break
        }
        case 'gaveUp': {
          const { id, phase, reason, hint } = event.contender
          meter?.giveUp(id)
          warmedBy.delete(id)
          say(
            renderNotice(
              '✗',
              `${id} is given up ${reason}${hint === null ? '' : `. ${hint}`}`,
              context.conversation,
            ),
          )
          if (phase === 'warmup' && plan?.contenders.at(-1)?.id === id) expectedOnceWarm()
          break
        }
        case 'warmedUp':
          isWarmUp = false
          say(warmUpText(event, context))
          for (const words of new Set(failedWarmUps.get(event.contenderId))) {
            say(renderNotice('~', `in the warm-up of ${event.contenderId}: ${words}`, context.conversation))
          }
          if (plan?.contenders.at(-1)?.id === event.contenderId) expectedOnceWarm()
          break
        case 'ended':
          heartbeat.beat(null)
          display.done(latest)
          break
        case 'markUnwritten': {
          if (isMarkMissed) break
          isMarkMissed = true
          const why = `${event.folder} cannot be written (${event.reason}), so other runs do not see the Modes of this one`
          const how =
            'Start no other run on the same Modes, or make it writable, or name another place in XDG_STATE_HOME'
          say(renderNotice('~', `${why}. ${how}`, context.conversation))
          break
        }
        case 'copiesKept':
          say(renderNotice('~', event.what, context.conversation))
          break
        case 'modeLeft':
          say(`  the Mode of ${event.contenderId} was left on the server: ${event.reason}`)
          if (event.clean !== null) say(`  try again with: ${event.clean}`)
          break
        case 'verified':
        case 'sampled':
          break
      }
    },
  }
}

function noAnswer(contenderId: string): (silentSeconds: number) => string {
  return (silentSeconds) => `${contenderId}: no answer for ${formatSeconds(silentSeconds)}`
}

/** Whether the estimate from the warm-up agrees with the estimate shown before. */
function holds({ low, high }: TimeSpan, before: TimeBefore | null): boolean {
  return before !== null && before.seconds >= low && before.seconds <= high
}

/** A range in words, as one figure if its ends are close. */
function spanWords({ low, high }: TimeSpan): string {
  return high < low * 1.25
    ? `about ${formatSeconds(high)}`
    : `about ${formatSeconds(low)} to ${formatSeconds(high)}`
}

function warmUpText(
  { contenderId, firstRequestMs, requestCount, hasSettled }: Extract<MeasureEvent, { kind: 'warmedUp' }>,
  { conversation }: CommandContext,
): string {
  if (firstRequestMs === null)
    return `  ${conversation.unicode ? '✗' : 'x'} ${contenderId}  no answer in the warm-up`
  const settled = hasSettled === null ? '' : hasSettled ? '; latencies settled' : '; latencies still fell'
  const mark = conversation.unicode ? '✓' : '+'
  return `  ${mark} ${contenderId}  warmed up by ${counted(requestCount, 'request')}; first request ${(firstRequestMs / 1000).toFixed(2)} s${settled}`
}

/** The plan as text, shown before the run. */
function planText(plan: MeasurePlan, before: TimeBefore | null, context: CommandContext): string {
  const { corpus, targets } = plan
  return renderPlan(
    {
      ...plannedText({ ...plan, asksServers: targets.some(({ kind }) => kind === 'openai') }),
      skipped: plan.skipped,
      load: {
        schedule: plan.schedule.describe(averageAudioSeconds(corpus) || undefined),
        endsByItself: plan.schedule.requestCount() !== null,
        ...expectLoad(unansweredRequests(plan), audioSecondsById(corpus)),
        before,
      },
      targets: targets.map(({ routes, contenders: targetContenders, ...target }) => ({
        description: target.description,
        transport:
          corpus.texts === null
            ? transportWords([...new Set(routes.values())].flatMap(({ counts }) => [...counts]))
            : null,
        serviceVersion: target.health?.app_version ?? null,
        contenderIds: targetContenders.map(({ id }) => id),
        machine: target.machine,
        roundTripMs: target.roundTrip?.medianMs ?? null,
      })),
      reused: reusedText(plan),
      paces: plan.paces,
      costs: plan.costs,
      warnings: [
        ...targets.flatMap(({ warnings }) => warnings).map(({ message, hint }) => `${message}; ${hint}`),
        ...corpus.warnings.map(({ where, what }) => `${where ?? corpus.name}: ${what}`),
      ],
    },
    context.conversation,
  )
}

/** "base64", or "path 7, base64 3" if utterances use different transports. */
function transportWords(transports: readonly (readonly [transport: string, count: number])[]): string {
  const counts = new Map<string, number>()
  for (const [transport, count] of transports) counts.set(transport, (counts.get(transport) ?? 0) + count)
  if (counts.size <= 1) return transports[0]?.[0] ?? 'multipart'
  return [...counts].map(([transport, count]) => `${transport} ${count}`).join(', ')
}

/** An event during a run, as one paragraph after a sign: `✗ whisper-1 is given up in its warm-up: …` */
function renderNotice(sign: '✓' | '✗' | '~', text: string, terminal: Terminal): string {
  const indent = '    '
  return `  ${inSigns(sign, terminal)} ${paragraph(foreign(text), indent, terminal).slice(indent.length)}`
}

/** Maximum number of reasons shown per contender, because reasons with request numbers or times all differ. */
const maxReasons = 3

/**
 * Shows why requests fail: each reason once per contender, however often it occurs.
 *
 * @returns the line to show; null for an answer, for a reason that was shown, and in the warm-up
 */
function firstFailures(terminal: Terminal) {
  const shown = new Map<string, Set<string>>()
  /** @param isPaused whether the request is sent again after its rate limit */
  return ({ contenderId, phase, outcome }: AttemptLine, isPaused: boolean): string | null => {
    if (phase === 'warmup' || outcome.ok) return null
    if (outcome.failure.kind === 'dropped' || meansNoSpeech(outcome.failure)) return null
    const reasons = shown.get(contenderId) ?? new Set()
    shown.set(contenderId, reasons)
    const words = describeFailure(outcome.failure)
    const reason = meansRateLimited(outcome.failure) ? 'rate limit' : words
    if (reasons.has(reason) || reasons.size >= maxReasons) return null
    reasons.add(reason)
    return isPaused
      ? renderNotice('~', `${contenderId}: rate limit, which is waited out: ${words}`, terminal)
      : renderNotice('✗', `${contenderId}: ${words}`, terminal)
  }
}

const everyMs = 1000

/**
 * Shows what a run waits for while nothing happens.
 *
 * @param show is called once a second while nothing happens and something is waited for
 */
function startHeartbeat(show: (text: string, silentSeconds: number) => void) {
  let heardAtMs = performance.now()
  let waiting: ((silentSeconds: number) => string) | null = null
  const timer = setInterval(() => {
    const silentSeconds = Math.round((performance.now() - heardAtMs) / 1000)
    if (waiting !== null) show(waiting(silentSeconds), silentSeconds)
  }, everyMs)
  timer.unref()
  return {
    /** Records an event. `waitsFor` describes what is awaited, given the seconds since; null for nothing. */
    beat(waitsFor?: ((silentSeconds: number) => string) | null) {
      heardAtMs = performance.now()
      if (waitsFor !== undefined) waiting = waitsFor
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
