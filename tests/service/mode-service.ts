import { afterAll, afterEach, expect } from 'vitest'
import type { Platform } from '#contract/enums'
import type { Mode } from '#contract/modes'
import { type Answer, startTestService, type TestService } from './running-service.ts'

/** A Mode with the fields that every build takes. */
export const complete = {
  name: 'Letters',
  preset: 'mail',
  language: 'de',
  model: 'echo',
  punctuation: true,
  capitalization: false,
  profanityFilter: true,
} as const

export const unknownId = '11111111-1111-1111-1111-111111111111'

let running: TestService | undefined

/** One service for all tests of a profile in a row. */
export async function startAs(profile: Platform): Promise<void> {
  if (running?.service.profile === profile) return
  await running?.[Symbol.asyncDispose]()
  running = await startTestService({ profile })
}
export const send: TestService['send'] = (method, path, sending) => {
  if (running === undefined) throw new Error('no service was started')
  return running.send(method, path, sending)
}
export const create: (body: unknown) => Promise<Answer> = (body) => send('POST', '/modes', { body })
export const patch: (id: string, body: unknown) => Promise<Answer> = (id, body) =>
  send('PATCH', `/modes/${id}`, { body })
export const list: () => Promise<readonly Mode[]> = async () => (await send('GET', '/modes')).json.modes ?? []

export async function created(body: unknown): Promise<Mode> {
  const answer = await create(body)
  if (answer.json.mode === undefined) throw new Error(answer.text)
  return answer.json.mode
}

export function expectRefused(answer: Answer, code = 'INVALID_REQUEST', status = 200): void {
  expect(answer).toMatchObject({ status, json: { ok: false, error: { code } } })
}

/** Leaves the Mode that was there from the first start, as the default one. */
async function removeCreated(): Promise<void> {
  if (running === undefined) return
  const modes = await list()
  await patch(modes.find((m) => m.isSystemProvided)?.id ?? '', { isDefault: true })
  for (const { id } of modes.filter((m) => !m.isSystemProvided)) await send('DELETE', `/modes/${id}`)
}

/** The tests of a file share a service, and each finds it as it was at its first start. */
export function shareService(): void {
  afterEach(removeCreated)
  afterAll(() => running?.[Symbol.asyncDispose]())
}
