import { describe, expect, test } from 'vitest'
import { logLine } from '../../src/cli/commands/serve-options.ts'

const at = new Date('2026-06-02T13:57:46Z')
const transcribed = {
  kind: 'transcribed',
  engine: 'moonshine',
  model: 'moonshine-tiny',
  audioSeconds: 2.5,
  loadMs: 0,
  decodeMs: 120.4,
  text: 'One\nfault.',
  requestId: 'k3Jd-0_x',
} as const

describe('a line of the log', () => {
  test('describes an event in words', () => {
    const answered = {
      kind: 'answered',
      method: 'GET',
      route: null,
      httpStatus: 404,
      code: 'INVALID_REQUEST',
      durationMs: 1.26,
      requestId: null,
    } as const
    expect(logLine({ ...answered, isDelivered: true }, 'text', at)).toBe(
      '2026-06-02T13:57:46.000Z GET (unknown route) 404 INVALID_REQUEST 1.3 ms',
    )
    expect(logLine({ ...answered, isDelivered: false }, 'text', at)).toContain('not delivered')
  })

  test('is one line, also for a text with line breaks', () => {
    expect(logLine(transcribed, 'text', at)).toBe(
      '2026-06-02T13:57:46.000Z k3Jd-0_x moonshine:moonshine-tiny transcribed 2.5 s in 120 ms: "One\\nfault."',
    )
    expect(logLine({ ...transcribed, text: null }, 'text', at)).toMatch(/120 ms$/)
  })

  test('is an object for a program, with the stack of a fault', () => {
    const line = JSON.parse(logLine(transcribed, 'json', at) ?? '')
    expect(line).toEqual({ time: at.toISOString(), ...transcribed })
    const fault = JSON.parse(
      logLine({ kind: 'fault', requestId: null, error: new Error('oh') }, 'json', at) ?? '',
    )
    expect(fault.error).toMatch(/^Error: oh\n/)
  })

  test('is short, also for a long error', () => {
    const error = new Error('x'.repeat(1_000_000))
    for (const format of ['text', 'json'] as const) {
      expect(logLine({ kind: 'fault', requestId: null, error }, format, at)?.length).toBeLessThan(5_000)
    }
  })

  test('shows what the service was started with', () => {
    const settings = { profile: 'linux', threads: 1, models: ['a:b', 'c:d'] }
    expect(logLine({ kind: 'starting', version: '1.2.3', settings, requestId: null }, 'text', at)).toBe(
      '2026-06-02T13:57:46.000Z starting transcribench 1.2.3 profile=linux threads=1 models=a:b,c:d',
    )
  })
})
