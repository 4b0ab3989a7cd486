import type { ErrorLevel } from '#scoring'
import { foreign, inSigns, labelled, pad, paragraph, type Terminal, widthOf } from '../layout/terminal.ts'
import { formatPercent, formatSeconds, formatTimes, rateWords } from '../layout/units.ts'

/** What a person wants to know while a run goes on. */
export interface ProgressText {
  readonly contenderId: string
  readonly doneCount: number
  readonly plannedCount: number
  readonly failedCount: number
  /** Requests that wait for the end of a rate limit. */
  readonly pausedCount: number
  readonly inFlight: number
  /** Requests that left noticeably after they were due. */
  readonly lateCount: number
  /** By contender, in the order of the config. A function, because scoring takes a moment: asked only to be shown. */
  readonly soFar: () => readonly SoFarText[]
  /** Of measuring: from the first moment that a request was due to the last answer. */
  readonly elapsedSeconds: number
  /** Null until there is something to go by. */
  readonly remainingSeconds: number | null
}

/** What is known of a contender while it is measured. */
export interface SoFarText {
  readonly contenderId: string
  /** Audio seconds a second; null before the first answer. */
  readonly speed: number | null
  /** Null before the first answer, and where scoring might disturb the timing. */
  readonly errorRate: number | null
  /** What the rate counts. */
  readonly level: ErrorLevel
}

const barWidth = 40
/** Below this a bar shows nothing that the counts do not. */
const leastBarWidth = 8

/** What happened while a run goes on, in one paragraph behind a sign: `✗ whisper-1 is given up in its warm-up: …` */
export function renderNotice(sign: '✓' | '✗' | '~', text: string, terminal: Terminal): string {
  const indent = '    '
  return `  ${inSigns(sign, terminal)} ${paragraph(foreign(text), indent, terminal).slice(indent.length)}`
}

/** Three lines for a terminal, to be rewritten in place; none is wider than it, but for names that are. */
export function renderProgress(progress: ProgressText, terminal: Terminal): string {
  const { doneCount, plannedCount, failedCount, inFlight, remainingSeconds } = progress
  const left = remainingSeconds === null ? '' : `about ${formatSeconds(Math.ceil(remainingSeconds))} left`
  const counts = `${doneCount} of ${plannedCount}   in flight ${inFlight}   failed ${failedCount}${pausedWords(progress)}${lateWords(progress)}`
  const room = Math.min(barWidth, terminal.width - 6 - widthOf(counts))
  const width = room < leastBarWidth ? 0 : room
  const filled = plannedCount === 0 ? 0 : Math.round((doneCount / plannedCount) * width)
  const [full, empty] = terminal.unicode ? ['█', '░'] : ['#', '.']
  const bar = full.repeat(filled) + empty.repeat(width - filled)
  // The time that is left ends where the line of the bar ends.
  const name = pad(
    foreign(progress.contenderId),
    width + widthOf(counts) - 12 + (width === 0 ? 0 : 2) - widthOf(left),
  )
  return [
    `  measuring   ${name}${name.endsWith(' ') ? '' : '  '}${left}`,
    `  ${bar}${width === 0 ? '' : '  '}${counts}`,
    labelled('so far', factsSoFar(progress, terminal).join('   '), 10, terminal),
  ].join('\n')
}

/**
 * One line for a pipe or a log, without anything that only a terminal understands.
 *
 * @param time `07:31:11`
 */
export function renderProgressLine(
  stage: 'measuring' | 'done',
  time: string,
  progress: ProgressText,
  terminal: Terminal,
): string {
  const { doneCount, plannedCount, failedCount, remainingSeconds, elapsedSeconds } = progress
  const share = `${Math.floor((100 * doneCount) / Math.max(1, plannedCount))}%`
  const length =
    stage === 'done'
      ? [formatSeconds(elapsedSeconds)]
      : remainingSeconds === null
        ? []
        : [`${formatSeconds(Math.ceil(remainingSeconds))} left`]
  return [
    `${time} ${stage.padEnd(10)} ${`${doneCount}/${plannedCount}`.padStart(9)} ${share.padStart(4)}`,
    `failed ${failedCount}${pausedWords(progress)}${lateWords(progress)}`,
    ...length,
    ...factsSoFar(progress, terminal),
  ].join('  ')
}

function pausedWords({ pausedCount }: ProgressText): string {
  return pausedCount === 0 ? '' : `   rate-limited ${pausedCount}`
}

function lateWords({ lateCount }: ProgressText): string {
  return lateCount === 0 ? '' : `   sent late ${lateCount}`
}

/** `moonshine-tiny 31.2×, WER 7.6%`, for each contender that has answered. */
function factsSoFar({ soFar }: ProgressText, terminal: Terminal): readonly string[] {
  return soFar().flatMap(({ contenderId, speed, errorRate, level }) => {
    const facts = [
      ...(speed === null ? [] : [formatTimes(speed)]),
      ...(errorRate === null ? [] : [`${rateWords[level].short} ${formatPercent(errorRate)}`]),
    ]
    return facts.length === 0 ? [] : [inSigns(`${foreign(contenderId)} ${facts.join(', ')}`, terminal)]
  })
}
