import { failed, type Outcome, type Problem, succeeded } from '#prelude'
import { capacityErrors } from './errors.ts'

/**
 * A service-level objective: the share of the requests that may miss it. A latency objective is a line over the
 * length of the audio, T(d) = t0 + r·d, because users expect a second of speech sooner than a minute. At least the
 * share `percentile` of the requests must be answered within T(d) after they were due. A failed request counts as
 * late.
 */
export type Objective =
  | {
      readonly kind: 'latency'
      /** The objective as written, with single blanks. */
      readonly text: string
      /** Share of requests in time: 0.95 for p95. */
      readonly percentile: number
      /** t0, in milliseconds. */
      readonly fixedMs: number
      /** r, in milliseconds per second of audio. */
      readonly perAudioSecondMs: number
    }
  | { readonly kind: 'failures'; readonly text: string; readonly atMost: number }

/** The facts about one request that objectives depend on. */
export interface RequestOutcome {
  /** Milliseconds from the due time to the last byte of the answer. */
  readonly responseMs: number
  readonly audioSeconds: number
  /** Whether the answer had a text. */
  readonly isAnswered: boolean
}

/** The maximum share of requests, 0..1, that may miss an objective. */
export function allowance(objective: Objective): number {
  // Rounding removes floating-point errors: 1 - 0.95 is 0.050000000000000044.
  return objective.kind === 'latency' ? Number((1 - objective.percentile).toPrecision(12)) : objective.atMost
}

/** Whether one request misses an objective. */
export function isMiss(objective: Objective, request: RequestOutcome): boolean {
  if (!request.isAnswered) return true
  return objective.kind === 'latency' && request.responseMs > limitMs(objective, request.audioSeconds)
}

/** T(d): the latency limit in milliseconds for audio of length d. */
export function limitMs(
  { fixedMs, perAudioSecondMs }: Extract<Objective, { kind: 'latency' }>,
  audioSeconds: number,
): number {
  return fixedMs + perAudioSecondMs * audioSeconds
}

/**
 * Reads one objective.
 *
 *   objective    := percentile <= time | failures <= number %
 *   percentile := p50 p90 p95 p99 p99.9 …
 *   time       := number unit | number unit + number d      unit: ms, s or min; d is the length of the audio
 *
 *   p95 <= 2s     p95 <= 0.5s + 0.2d     p99 <= 800ms     failures <= 1%
 *
 * @returns the objective, or the problem with what to write instead
 */
export function parseObjective(text: string): Outcome<Objective, Problem> {
  const written = text.trim().replaceAll(/\s+/g, ' ')
  const problem = (what: string, hint: string): Outcome<Objective, Problem> =>
    failed({ where: written, what, hint })
  const parts = /^([^\s<>=≤≥]+) ?(<=|≤|<|>=|>|=) ?(.+)$/.exec(written)
  if (parts === null) return problem('is not an objective', `write it as ${examples}`)
  const [, subject = '', operator = '', limit = ''] = parts
  if (operator !== '<=' && operator !== '≤')
    return problem(`"${operator}" is not an operator here`, `objectives are upper limits: write ${examples}`)
  if (subject === 'failures') return failuresObjective(written, limit)
  const percent = /^p(\d{1,2}(?:\.\d+)?)$/.exec(subject)?.[1]
  if (percent === undefined || Number(percent) === 0)
    return problem(`"${subject}" is neither a percentile nor "failures"`, `write ${examples}`)
  const time = readTime(limit)
  if (!time.ok) return problem(time.failure.what, time.failure.hint)
  return succeeded({
    kind: 'latency',
    text: written,
    percentile: Number((Number(percent) / 100).toPrecision(12)),
    ...time.value,
  })
}

const examples = '"p95 <= 2s", "p95 <= 0.5s + 0.2d" or "failures <= 1%"'

function failuresObjective(text: string, limit: string): Outcome<Objective, Problem> {
  const percent = /^(\d+(?:\.\d+)?) ?%$/.exec(limit)?.[1]
  if (percent === undefined)
    return failed({ where: text, what: `"${limit}" is not a share`, hint: 'write "failures <= 1%"' })
  if (Number(percent) >= 100)
    return failed({ where: text, what: 'everything may fail', hint: 'write a share under 100%' })
  if (Number(percent) === 0) {
    return failed({
      where: text,
      what: 'no number of requests shows that none fails',
      hint: 'write a share above 0%, as in "failures <= 0.1%"',
    })
  }
  return succeeded({ kind: 'failures', text, atMost: Number((Number(percent) / 100).toPrecision(12)) })
}

/** Milliseconds of the units of a time. */
const unitMs: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['min', 60_000],
])

function readTime(
  limit: string,
): Outcome<
  { readonly fixedMs: number; readonly perAudioSecondMs: number },
  { readonly what: string; readonly hint: string }
> {
  const parts = /^(\d+(?:\.\d+)?) ?([a-z]*)(?: ?\+ ?(\d+(?:\.\d+)?) ?\*? ?d)?$/.exec(limit)
  if (parts === null)
    return failed({ what: `"${limit}" is not a time`, hint: 'write "2s", "800ms" or "0.5s + 0.2d"' })
  const [, fixed = '', unit = '', perSecond] = parts
  const factor = unitMs.get(unit)
  if (factor === undefined) {
    return failed(
      unit === ''
        ? { what: `"${fixed}" has no unit`, hint: `write "${fixed}s" or "${fixed}ms"` }
        : { what: `"${unit}" is not a unit here`, hint: 'write the time in ms, s or min' },
    )
  }
  const fixedMs = Number((Number(fixed) * factor).toPrecision(12))
  const perAudioSecondMs = Number((Number(perSecond ?? 0) * 1000).toPrecision(12))
  if (fixedMs + perAudioSecondMs === 0)
    return failed({ what: 'no server answers in no time', hint: 'write a time above 0' })
  return succeeded({ fixedMs, perAudioSecondMs })
}

/**
 * Reads all objectives.
 *
 * @param texts at least one
 * @throws BenchError OBJECTIVE_INVALID with every problem at once
 */
export function parseObjectives(texts: readonly string[]): readonly Objective[] {
  const objectives: Objective[] = []
  const problems: Problem[] = []
  for (const text of texts) {
    const parsed = parseObjective(text)
    if (!parsed.ok) problems.push(parsed.failure)
    else if (objectives.some((other) => other.text === parsed.value.text))
      problems.push({ where: parsed.value.text, what: 'the objective is given twice' })
    else objectives.push(parsed.value)
  }
  if (problems.length === 0) return objectives
  throw capacityErrors.make('OBJECTIVE_INVALID', {
    message:
      problems.length === 1 ? 'an objective cannot be read' : `${problems.length} objectives cannot be read`,
    hint: `write them as in --slo ${examples.replaceAll('"', "'")}`,
    problems,
  })
}
