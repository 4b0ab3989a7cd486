import { describe, expect, test } from 'vitest'
import { type ServiceEvent, type ServiceOptions, scriptedCatalogue } from '#service'
import { base64, startTestService, tone } from './running-service.ts'

type Heard<Kind extends ServiceEvent['kind']> = Extract<ServiceEvent, { kind: Kind }>

/** What the log of a service says of one transcription of `Call Ada.`, which takes 60 ms. */
async function logOf(options: ServiceOptions, leavesMidway = false): Promise<ServiceEvent[]> {
  const events: ServiceEvent[] = []
  const client = new AbortController()
  await using started = await startTestService({
    ...options,
    catalogue: scriptedCatalogue({ echo: { otherwise: { text: 'Call Ada.', delayMs: 60 } } }, ({ kind }) => {
      if (leavesMidway && kind === 'started') client.abort()
    }),
    log: (event) => events.push(event),
  })
  const body = { engine: 'scripted', model: 'echo', audio_base64: base64(tone(0.5)) }
  await started.transcribe(body, client.signal).catch(() => null)
  return events
}

function only<Kind extends ServiceEvent['kind']>(events: readonly ServiceEvent[], kind: Kind): Heard<Kind> {
  const [first, ...others] = events.filter((event): event is Heard<Kind> => event.kind === kind)
  if (first === undefined || others.length > 0) throw new Error(`${others.length + 1} events of ${kind}`)
  return first
}

describe('the log', () => {
  test('tells how long an answer really took, and how much was heard, without a word of it', async () => {
    const events = await logOf({})
    expect(only(events, 'answered')).toMatchObject({ route: '/transcribe', code: null, isDelivered: true })
    expect(only(events, 'answered').durationMs).toBeGreaterThanOrEqual(60)
    expect(only(events, 'transcribed')).toMatchObject({
      engine: 'scripted',
      model: 'echo',
      audioSeconds: 0.5,
    })
    expect(JSON.stringify(events)).not.toContain('Ada')
  })

  test('has the texts where the operator asks for them', async () => {
    expect(only(await logOf({ logTexts: true }), 'transcribed').text).toBe('Call Ada.')
  })

  test('says of an answer that nobody waited for it', async () => {
    const events = await logOf({}, true)
    expect(only(events, 'answered')).toMatchObject({ code: 'TRANSCRIPTION_FAILED', isDelivered: false })
    expect(events.some(({ kind }) => kind === 'transcribed')).toBe(false)
  })
})
