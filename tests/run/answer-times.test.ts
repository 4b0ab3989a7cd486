import { describe, expect, test } from 'vitest'
import { optionsFor, readTimes } from '../../src/run/execute/senders.ts'

describe('times', () => {
  test('are requested of the API for an utterance whose reference has them, and for no other', () => {
    const times = [{ text: 'hello', startSeconds: 0.1, endSeconds: 0.4 }]
    expect(optionsFor('mode', { times })).toEqual({
      mode_id: 'mode',
      timestamp_granularities: ['segment', 'word'],
    })
    for (const untimed of [{}, { times: [] }])
      expect(optionsFor('mode', untimed)).toEqual({ mode_id: 'mode' })
  })

  test('of an answer are those of its words, else of its segments, else none', () => {
    const words = [{ word: 'hello', start: 0.1, end: 0.4 }]
    const segments = [{ id: 0, text: 'hello', start: 0, end: 0.5 }]
    expect(readTimes({ words, segments })).toEqual({
      times: { unit: 'word', parts: [{ text: 'hello', startSeconds: 0.1, endSeconds: 0.4 }] },
    })
    expect(readTimes({ words: [], segments })).toEqual({
      times: { unit: 'segment', parts: [{ text: 'hello', startSeconds: 0, endSeconds: 0.5 }] },
    })
    expect(readTimes({})).toEqual({})
  })

  test('of an answer count as missing where they end more than a minute behind the recording', () => {
    const endingAt = (end: number) => ({ segments: [{ id: 0, text: 'hello', start: 0, end }] })
    expect(readTimes(endingAt(3e9), 3)).toEqual({})
    expect(readTimes({ ...endingAt(30), words: [{ word: 'hello', start: 100, end: 3_000 }] }, 3)).toEqual({})
    expect(readTimes(endingAt(30), 3).times?.parts).toHaveLength(1)
    expect(readTimes(endingAt(63), 3).times?.parts).toHaveLength(1)
  })
})
