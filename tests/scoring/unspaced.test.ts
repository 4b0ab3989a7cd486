import { expect, test } from 'vitest'
import { defaultProfile, findProfile, findRecordedProfile } from '#scoring/profiles/index'
import { score } from '#scoring/score-corpus'

const characterRate = (reference: string, hypothesis: string, language: string): number | null => {
  const { corpus } = score([{ id: 'a', reference, hypothesis }], { profile: defaultProfile(language) })
  return corpus.characterRates?.errorRate ?? null
}

test.each([
  ['zh', '而 对 楼市', '而对楼市'],
  ['yue', '我哋 今日 去 街市', '我哋今日去街市'],
  ['ja', '今日 は いい 天気 です ね', '今日はいい天気ですね'],
  ['th', 'วันนี้ อากาศ ดี มาก', 'วันนี้อากาศดีมาก'],
  ['lo', 'ສະບາຍດີ ທຸກ ຄົນ', 'ສະບາຍດີທຸກຄົນ'],
  ['km', 'ថ្ងៃនេះ អាកាស ល្អ', 'ថ្ងៃនេះអាកាសល្អ'],
  ['my', 'မင်္ဂလာ ပါ', 'မင်္ဂလာပါ'],
  ['zh', '2 0 1 1 年 用 GPT 4', '2011年用GPT4'],
])('spacing does not change the character rate of %s: %s', (language, spaced, joined) => {
  expect(characterRate(spaced, joined, language)).toBe(0)
  expect(characterRate(joined, spaced, language)).toBe(0)
})

test('words are found by dictionary, whether or not spaces are written between them', () => {
  const pair = [{ id: 'a', reference: '我们 一起 去 用 gpt 4', hypothesis: '我们一起去用 gpt 4' }]
  const { corpus } = score(pair, { profile: defaultProfile('zh') })
  expect(corpus.wordRates.errorRate).toBe(0)
  expect(score(pair, { profile: findProfile('basic') }).corpus.wordRates.errorRate).toBeGreaterThan(0)
})

test('a wrong character is one error of the characters without spaces', () => {
  expect(characterRate('今天 天气', '今天天汽', 'zh')).toBe(1 / 4)
})

test('spaces are counted where the caller asks for them, and in languages that write them', () => {
  const profile = findProfile('unspaced')
  const pair = [{ id: 'a', reference: '而 对 楼市', hypothesis: '而对楼市' }]
  const { corpus } = score(pair, { profile, characters: 'graphemes' })
  expect(corpus.characterRates?.errorRate).toBe(2 / 6)
  expect(characterRate('guten tag', 'gutentag', 'de')).toBe(1 / 9)
  expect(characterRate('오늘 날씨', '오늘날씨', 'ko')).toBe(0)
})

test('the default profile follows the script of the language', () => {
  const ids = [
    'zh',
    'zh-Hant-TW',
    'ja-JP',
    'th',
    'lo',
    'km',
    'my',
    'yue',
    'zh-Latn',
    'ko',
    'vi',
    'de',
    'de-AT',
    'pt-BR',
    'no',
    'en',
  ]
  expect(ids.map((id) => [id, defaultProfile(id).id])).toEqual([
    ['zh', 'chinese@1'],
    ['zh-Hant-TW', 'chinese@1'],
    ['ja-JP', 'japanese@1'],
    ['th', 'thai@1'],
    ['lo', 'lao@1'],
    ['km', 'khmer@1'],
    ['my', 'burmese@1'],
    ['yue', 'unspaced'],
    ['zh-Latn', 'basic'],
    ['ko', 'korean@1'],
    ['vi', 'vietnamese@1'],
    ['de', 'german@1'],
    ['de-AT', 'german@1'],
    ['pt-BR', 'portuguese@1'],
    ['no', 'norwegian@1'],
    ['en', 'english@3'],
  ])
})

test('without a language the script of most letters decides', () => {
  const byTexts = (...texts: string[]): string => defaultProfile(null, 'canonical', texts).id
  expect(byTexts('而对楼市', 'OK')).toBe('unspaced')
  expect(byTexts('he met 习近平 in Beijing')).toBe('basic')
  expect(byTexts('12 34', '')).toBe('basic')
})

test('the rate that leads belongs to the profile, and a run that was scored with basic stays so', () => {
  expect([findProfile('unspaced').leads, findProfile('basic').leads]).toEqual(['characters', 'words'])
  expect(findRecordedProfile('basic')).toMatchObject({ id: 'basic', characters: 'graphemes', leads: 'words' })
  // As published before there was the profile unspaced.
  expect(findProfile('basic').fingerprint.slice(0, 12)).toBe('6bf84c52760d')
})
