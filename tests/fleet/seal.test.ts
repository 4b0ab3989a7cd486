import { describe, expect, test } from 'vitest'
import { DistrustError, fleetKey, seal, unseal } from '../../src/fleet/queue/seal.ts'

const identity = { fleet: 'f', key: 'k'.repeat(32) }
const sealed = seal({ part: 3 }, identity, { place: 'blocks/1', expiresAtMs: 1000 })
const here = { place: 'blocks/1', nowMs: 999 }

describe('a sealed message', () => {
  test('gives its body where and while it is valid', () => {
    expect(unseal(sealed, identity, here)).toEqual({ part: 3 })
  })

  test.each([
    ['another key', sealed, { ...identity, key: 'x'.repeat(32) }, here],
    ['another fleet', sealed, { ...identity, fleet: 'g' }, here],
    ['another place', sealed, identity, { ...here, place: 'blocks/2' }],
    ['a later time', sealed, identity, { ...here, nowMs: 1001 }],
    ['a changed text', { ...sealed, text: sealed.text.replace('3', '4') }, identity, here],
    ['a signature that is cut', { ...sealed, signature: sealed.signature.slice(1) }, identity, here],
    ['no signature', { text: sealed.text }, identity, here],
    ['nothing', undefined, identity, here],
  ])('is refused with %s', (_what, message, own, place) => {
    expect(() => unseal(message, own, place)).toThrow(DistrustError)
  })
})

test('a key that is short is refused without being shown', () => {
  expect(() => fleetKey({ TRANSCRIBENCH_FLEET_KEY: 'secret' })).toThrow(/^(?!.*secret).*fewer than 32/)
  expect(() => fleetKey({})).toThrow(/is not set/)
})
