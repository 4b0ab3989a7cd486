import type { RunRecord } from '#journal/run-record'
import { detectableDifference } from '#statistics/tests/required-runs'
import { analysisErrors } from '../../errors.ts'
import type { Calibration } from './calibration.ts'

/** Differences inside ± margin count as none: absolute for rates (0.002 is 0.2 points), relative for speeds. */
export interface Margins {
  readonly wer: number
  readonly cer: number
  /** Margin of latencies, of their parts, and of throughput, because one cause changes all of them. */
  readonly speed: number
}

/**
 * Parses margins: `0.2pp` for both error rates, `wer=0.2pp`, `speed=5%`, also as `latency` or `rtfx`; later ones
 * override.
 *
 * @returns null if one of them is invalid
 */
export function parseMargins(texts: readonly string[]): Partial<Margins> | null {
  let margins: Partial<Margins> = {}
  for (const text of texts) {
    const [, name = '', digits = '', unit = ''] =
      /^(?:(wer|cer|speed|latency|rtfx)=)?(\d+(?:\.\d+)?) ?(pp|%)$/.exec(text.trim()) ?? []
    const isRate = name === '' || name === 'wer' || name === 'cer'
    if (digits === '' || isRate !== (unit === 'pp')) return null
    const margin = Number(digits) / 100
    margins = {
      ...margins,
      ...(name === '' ? { wer: margin, cer: margin } : { [isRate ? name : 'speed']: margin }),
    }
  }
  return margins
}

/** Returns the margins of a run's config; empty where it has none that are valid. */
export function recordedMargins({ config }: Pick<RunRecord, 'config'>): Partial<Margins> {
  const texts = typeof config === 'object' && config !== null && 'margins' in config ? config['margins'] : []
  return Array.isArray(texts) ? (parseMargins(texts.map(String)) ?? {}) : {}
}

/** Default margins: 0.2 percentage points, and 5 % of a latency or the throughput. */
export const defaultMargins: Margins = { wer: 0.002, cer: 0.002, speed: 0.05 }

/** Returns the margin of a gate that fails for a certain increase of an error rate; null for other gates. */
export function gateMargin(
  failIfWorse: boolean | undefined,
  margins: Partial<Margins> | undefined,
): number | null {
  return failIfWorse === true ? (margins?.wer ?? defaultMargins.wer) : null
}

/**
 * Refuses a margin that the calibration of this host cannot resolve with this number of runs. The error has the
 * margin that it can.
 *
 * @param margins only those that the user set
 * @param runCount runs per side
 * @throws BenchError MARGIN_TOO_FINE
 */
export function refuseFineMargins(
  calibration: Calibration | null,
  margins: Partial<Margins>,
  runCount: number,
): void {
  if (calibration === null || runCount < 2) return
  const problems = (['latency', 'rtfx'] as const).flatMap((name) => {
    const [margin, spread] = [margins.speed, calibration.spreads[name]]
    if (margin === undefined || spread === undefined) return []
    const detectable = Math.expm1(detectableDifference(spread.standardDeviation, runCount))
    if (margin >= detectable) return []
    const what = `${percent(margin)} cannot be seen with ${runCount} runs a side; ${percent(detectable)} can`
    return [{ where: name, what }]
  })
  const [first] = problems
  if (first === undefined) return
  throw analysisErrors.make('MARGIN_TOO_FINE', {
    message: `the margin of ${first.where} is finer than this host can see: ${first.what}`,
    hint: 'ask for a wider margin or more runs, or calibrate again on a quieter machine: transcribench calibrate',
    problems: problems.slice(1),
  })
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
