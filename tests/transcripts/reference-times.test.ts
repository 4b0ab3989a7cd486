import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readTimes } from '#transcripts/timed-texts'

/** Files as Praat writes them. */
const textGrid = (name: string): string =>
  readFileSync(new URL(`./fixtures/${name}.TextGrid`, import.meta.url), 'utf8')
const [longTextGrid, shortTextGrid] = [textGrid('long'), textGrid('short')]
const say = { text: 'say', startSeconds: 0.12, endSeconds: 0.5 }

function timesIn(text: string, name: string, recording: string | null = null): unknown {
  const read = readTimes(text, name)
  return read.ok ? read.value.get(recording) : read.failure
}

describe('a TextGrid', () => {
  test('has the words of its tier of words, without pauses, in the long form', () => {
    expect(timesIn(longTextGrid, 'a.TextGrid')).toEqual([
      say,
      { text: '"hi"', startSeconds: 0.5, endSeconds: 0.9 },
    ])
  })

  test('has the words of its only tier of intervals, in the short form', () => {
    expect(timesIn(shortTextGrid, 'a.textgrid')).toEqual([
      say,
      { text: '42 times', startSeconds: 0.5, endSeconds: 0.9 },
    ])
  })

  test('with several tiers and none of words is refused with their names', () => {
    const renamed = longTextGrid.replace('1 - words', '1').replace('1 - phones', '2')
    expect(timesIn(renamed, 'a.TextGrid')).toBe(
      'has the tiers “speaker 1”, “speaker 2”: name the one with the words “words”, and no other',
    )
  })

  test.each([
    ['another file of Praat', longTextGrid.replace('"TextGrid"', '"PitchTier"')],
    ['a file that ends early', longTextGrid.slice(0, 500)],
    ['an interval that ends before it starts', longTextGrid.replace('xmax = 0.5', 'xmax = 0.05')],
    ['an empty file', ''],
  ])('is not read from %s', (_, text) => {
    expect(timesIn(text, 'a.TextGrid')).toBe('is no TextGrid of Praat')
  })
})

describe('a ctm', () => {
  test('has the words of each of its recordings', () => {
    const text = ';; by hand\na A 0.12 0.38 say 0.9\nb A 0.1 0.2 no\na A 0.5 0.4 it\n'
    expect(timesIn(text, 'all.ctm', 'a')).toEqual([say, { text: 'it', startSeconds: 0.5, endSeconds: 0.9 }])
    expect(timesIn(text, 'all.ctm', 'b')).toEqual([{ text: 'no', startSeconds: 0.1, endSeconds: 0.3 }])
  })

  test('with a wrong line or with alternatives is refused with the number of the line', () => {
    expect(timesIn('a A x 0.3 say\n', 'a.ctm')).toBe('line 1: the line is no word')
    const choice = 'a A * * <ALT_BEGIN>\na A 1 1 say\na A * * <ALT>\na A 1 1 see\na A * * <ALT_END>\n'
    expect(timesIn(choice, 'a.ctm')).toContain('line 1: has alternatives')
  })
})

describe('the JSON of Whisper', () => {
  const segment = { id: 0, start: 0.1, end: 0.9, text: ' say it' }
  const words = [
    { word: ' say', start: 0.12, end: 0.5 },
    { word: 'it', start: 0.5, end: 0.9 },
  ]
  const timed = [say, { text: 'it', startSeconds: 0.5, endSeconds: 0.9 }]

  test.each([
    ['the words of a whole answer', { text: 'say it', words, segments: [segment] }],
    ['the words of segments', { text: 'say it', segments: [{ ...segment, words }] }],
  ])('has %s', (_, answer) => {
    expect(timesIn(JSON.stringify(answer), 'a.json')).toEqual(timed)
  })

  test('has the times of its segments where no words are timed', () => {
    const whole = { text: 'say it', startSeconds: 0.1, endSeconds: 0.9 }
    expect(timesIn(JSON.stringify({ text: '', segments: [segment] }), 'a.json')).toEqual([whole])
    const cpp = { transcription: [{ text: ' say it', offsets: { from: 100, to: 900 } }] }
    expect(timesIn(JSON.stringify(cpp), 'a.json')).toEqual([whole])
  })

  test('without times is refused, as is any other file', () => {
    expect(timesIn('{"text":"say it"}', 'a.json')).toBe('is no transcript of Whisper with times')
    expect(timesIn('say it', 'a.json')).toBe('is no transcript of Whisper with times')
    expect(timesIn('say it', 'a.txt')).toBe('has another ending than .TextGrid, .ctm, .json')
  })
})
