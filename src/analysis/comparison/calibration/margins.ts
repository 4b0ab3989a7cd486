import type { RunRecord } from '#journal'

/** Differences inside ± margin count as none. Rates in rate (0.002 is 0.2 percentage points), speeds as a share. */
export interface Margins {
  readonly wer: number
  readonly cer: number
  /** Of latencies with their fixed and per-second parts, and of the throughput: one cause changes all of them. */
  readonly speed: number
}

/**
 * Reads margins as people write them: `0.2pp` of both error rates, `wer=0.2pp`, `speed=5%`, also as `latency` or `rtfx`; the later ones override.
 *
 * @returns null as soon as one cannot be read
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

/** Margins that a run's config asks for; none where it asks for nothing that can be read. */
export function recordedMargins({ config }: Pick<RunRecord, 'config'>): Partial<Margins> {
  const texts = typeof config === 'object' && config !== null && 'margins' in config ? config['margins'] : []
  return Array.isArray(texts) ? (parseMargins(texts.map(String)) ?? {}) : {}
}

/** Default margins: 0.2 points, and 5 % of a latency or the throughput. */
export const defaultMargins: Margins = { wer: 0.002, cer: 0.002, speed: 0.05 }
