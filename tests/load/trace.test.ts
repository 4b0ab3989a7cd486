import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { parseTrace, type TraceEntry, traceSchedule } from '#load/loads/trace'
import { matchDurations } from '#load/what-is-sent'
import { BenchError } from '#prelude'

const entries: readonly TraceEntry[] = [100, 101.5, 101.5, 108].map((endedAtSeconds) => ({
  endedAtSeconds,
  audioSeconds: 2,
}))
const dueAtMs = (speed: number): unknown[] =>
  traceSchedule({ entries, speed })
    .plan({ count: 4 })
    .map((send) => (send.kind === 'due' ? send.dueAtMs : null))

describe('a trace', () => {
  test('is replayed at its own speed, slower or faster, from its first entry on', () => {
    expect(dueAtMs(1)).toEqual([0, 1_500, 1_500, 8_000])
    expect(dueAtMs(0.5)).toEqual([0, 3_000, 3_000, 16_000])
    expect(dueAtMs(20)).toEqual([0, 75, 75, 400])
    expect(traceSchedule({ entries, speed: 1 }).requestCount()).toBe(4)
    expect(traceSchedule({ entries, speed: 1 }).describe()).toBe(
      'trace of 4 requests over 8 s, at its own speed',
    )
  })

  test('of one moment has no rate', () => {
    const [only] = entries
    if (only === undefined) throw new TypeError('there is a first entry')
    expect(traceSchedule({ entries: [only], speed: 1 }).describe(4)).toBe(
      'trace of 1 requests over 0 s, at its own speed',
    )
  })

  test.each([0.49, 20.01, 0, Number.NaN])('is not replayed at %s times its speed', (speed) => {
    expect(() => traceSchedule({ entries, speed })).toThrow(RangeError)
  })

  test('without entries, or out of order, is refused', () => {
    const [first, , , last] = entries
    const shuffled = [first, last, ...entries.slice(1, 3)].flatMap((entry) => entry ?? [])
    expect(() => traceSchedule({ entries: shuffled, speed: 1 })).toThrow('in order of time')
    expect(() => traceSchedule({ entries: [], speed: 1 })).toThrow(RangeError)
    expect(() => traceSchedule({ entries: entries.toReversed(), speed: 1 })).toThrow('in order of time')
  })
})

describe('a trace file', () => {
  test('holds times with their zone, or seconds, in any order, with unknown columns', () => {
    const text =
      '\uFEFFended_at,session,audio_seconds\n2026-11-21T08:00:09.5Z,7,2.8\n2026-11-21T09:00:04+01:00,8,4.2\n\n'
    expect(parseTrace(text, 'day.csv')).toEqual([
      { endedAtSeconds: Date.UTC(2026, 10, 21, 8, 0, 4) / 1_000, audioSeconds: 4.2 },
      { endedAtSeconds: Date.UTC(2026, 10, 21, 8, 0, 9.5) / 1_000 + 0.5, audioSeconds: 2.8 },
    ])
    expect(parseTrace('ended_at,audio_seconds\n12.5,3\n0,1', 'day.csv')).toEqual([
      { endedAtSeconds: 0, audioSeconds: 1 },
      { endedAtSeconds: 12.5, audioSeconds: 3 },
    ])
  })

  test('that cannot be replayed is refused with every problem at its line', () => {
    const text = 'ended_at,audio_seconds\n2026-11-21T08:00:09,2\n5,0\n6,1\nyesterday,\n'
    expect(problemsOf(text)).toEqual([
      'day.csv:2 ended_at is "2026-11-21T08:00:09", not an ISO 8601 time or a number of seconds',
      'day.csv:3 audio_seconds is "0", not a number above 0',
      'day.csv:5 ended_at is "yesterday", not an ISO 8601 time or a number of seconds',
      'day.csv:5 audio_seconds is "", not a number above 0',
    ])
    expect(problemsOf('ended_at,length\n1,2\n')).toEqual([
      'day.csv:2 audio_seconds is missing, not a number above 0',
    ])
    expect(problemsOf('ended_at,audio_seconds\n2026-13-45T08:00:09Z,1')).toHaveLength(1)
  })

  test('without entries, or that is no CSV, is refused', () => {
    expect(problemsOf('ended_at,audio_seconds\n')).toEqual(['day.csv there are no entries'])
    expect(problemsOf('')).toEqual(['day.csv there are no entries'])
    expect(problemsOf('ended_at,audio_seconds\n1,2,3\n')[0]).toContain('Invalid Record Length')
  })
})

function problemsOf(text: string): string[] {
  try {
    parseTrace(text, 'day.csv')
  } catch (error) {
    if (!(error instanceof BenchError)) throw error
    expect(error.code).toBe('TRACE_UNUSABLE')
    return error.problems.map(({ where, what }) => `${where} ${what}`)
  }
  return []
}

describe('utterances for a trace', () => {
  const speakables = [
    { id: 'short', audioSeconds: 2 },
    { id: 'short too', audioSeconds: 2.1 },
    { id: 'long', audioSeconds: 30 },
  ]

  test('are as long as what was spoken, and take turns where several are', () => {
    expect(matchDurations([2.05, 2.05, 2.05, 2.05, 31, 31], speakables)).toEqual([
      'short too',
      'short',
      'short too',
      'short',
      'long',
      'long',
    ])
  })

  test('are the closest there are where none is close, in proportion', () => {
    expect(matchDurations([0.5, 7, 9, 600], speakables)).toEqual(['short', 'short too', 'long', 'long'])
  })

  test('are found in a corpus of any size', () => {
    const many = Array.from({ length: 200_000 }, (_, k) => ({
      id: `u${k}`,
      audioSeconds: k < 199_999 ? 1 : 9,
    }))
    expect(matchDurations([9], many)).toEqual(['u199999'])
  })

  test('are the least used of those that are near, then the nearest, then the first', () => {
    const lengths = fc.array(fc.integer({ min: 5, max: 40 }), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(lengths, lengths, (wanted, available) => {
        const known = available.map((tenths, k) => ({ id: `u${k}`, audioSeconds: tenths / 10 }))
        const wantedSeconds = wanted.map((tenths) => tenths / 10)
        const useCounts = new Map<string, number>()
        const expected = wantedSeconds.map((seconds) => {
          const offers = known.map(({ id, audioSeconds }) => ({
            id,
            distance: Math.abs(Math.log(audioSeconds / seconds)),
          }))
          const reach = Math.max(Math.log(1.1), Math.min(...offers.map(({ distance }) => distance)))
          const count = ({ id }: { readonly id: string }): number => useCounts.get(id) ?? 0
          const [chosen] = offers
            .filter(({ distance }) => distance <= reach)
            .sort((a, b) => count(a) - count(b) || a.distance - b.distance)
          const id = chosen?.id ?? ''
          useCounts.set(id, (useCounts.get(id) ?? 0) + 1)
          return id
        })
        expect(matchDurations(wantedSeconds, known)).toEqual(expected)
      }),
    )
  })

  test('are found without a look at every utterance for every request', () => {
    let readCount = 0
    const counted = Array.from({ length: 500 }, (_, k) => ({
      id: `u${k}`,
      get audioSeconds() {
        readCount += 1
        return k + 1
      },
    }))
    matchDurations(Array(500).fill(3), counted)
    expect(readCount).toBe(500)
  })

  test('are found next to their length, however many utterances are as near', () => {
    const lengths = Array.from({ length: 500 }, (_, k) => 3 + k / 10_000)
    const compared = vi.spyOn(Math, 'log')
    matchDurations(
      lengths,
      lengths.map((audioSeconds, k) => ({ id: `u${k}`, audioSeconds })),
    )
    expect(compared.mock.calls.length).toBeLessThan(20 * lengths.length)
    compared.mockRestore()
  })

  test('exist, or nothing can be replayed', () => {
    expect(() => matchDurations([1], [])).toThrow(RangeError)
    expect(matchDurations([], [])).toEqual([])
  })

  test('differ by a tenth at most wherever there is one that close, and identical ones are used alike', () => {
    const lengths = fc.array(fc.double({ min: 0.5, max: 60, noNaN: true }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(lengths, lengths, (wanted, available) => {
        const known = new Map(available.map((audioSeconds, k) => [`u${k}`, audioSeconds]))
        const ids = matchDurations(
          wanted,
          [...known].map(([id, audioSeconds]) => ({ id, audioSeconds })),
        )
        for (const [k, id] of ids.entries()) {
          const off = (seconds: number): number => Math.abs(Math.log(seconds / (wanted[k] ?? Number.NaN)))
          const closest = Math.min(...available.map(off))
          expect(off(known.get(id) ?? Number.NaN)).toBeLessThanOrEqual(Math.max(closest, Math.log(1.1)))
        }
      }),
    )
    const twins = Array.from({ length: 4 }, (_, k) => ({ id: `${k}`, audioSeconds: 5 }))
    const ids = matchDurations(Array(12).fill(5), twins)
    expect([...'0123'].map((id) => ids.filter((other) => other === id).length)).toEqual([3, 3, 3, 3])
  })
})
