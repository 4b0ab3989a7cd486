import { describe, expect, test } from 'vitest'
import { profileOfUtterance } from '#scoring/profiles/by-language'
import { extendProfile } from '#scoring/profiles/extension'
import { defaultCorpusProfile, findProfile } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'
import { rememberTexts } from '#scoring/profiles/remembered-profile'
import { score } from '#scoring/score-corpus'

const byLanguage = findProfile('by-language')
const basic = findProfile('basic')

const spoken = [
  { id: 'de', language: 'de', reference: 'um 10:30 Uhr', hypothesis: 'um zehn Uhr dreißig' },
  { id: 'fr', language: 'fr-CA', reference: '25 %', hypothesis: 'vingt-cinq pour cent' },
  { id: 'zh', language: 'zh', reference: '二〇二四年', hypothesis: '2024 年' },
  { id: 'en', language: 'en', reference: "it's 10:30", hypothesis: 'it is ten thirty' },
  { id: '?', language: null, reference: 'Ja, klar', hypothesis: 'ja klar' },
]

describe('a corpus of several languages', () => {
  test('is scored utterance by utterance, each with the profile of its language', () => {
    const { corpus, utterances } = score(spoken, { profile: byLanguage })
    expect(corpus.words).toMatchObject({ substitutions: 0, deletions: 0, insertions: 0 })
    expect(utterances.map(({ characters }) => characters?.insertions)).toEqual([0, 0, 0, 0, 0])
    expect(score(spoken, { profile: basic }).corpus.words.substitutions).toBeGreaterThan(0)
  })

  test('is scored the same with texts that are remembered', () => {
    const { profile, withoutSpellings } = rememberTexts(byLanguage)
    expect(score(spoken, { profile }).corpus.words).toEqual(
      score(spoken, { profile: byLanguage }).corpus.words,
    )
    expect(profileOfUtterance(withoutSpellings, 'de').id).toBe('german@1')
  })

  test('takes own rules in every language', () => {
    const own = extendProfile(byLanguage, { fillers: ['klar'] }, 'shop')
    expect(own.id).toBe('by-language@1+shop')
    expect(normalise('Ja, klar: 25 %', profileOfUtterance(own, 'de'))).toBe('ja 25 prozent')
    expect(normalise('Ja, klar', profileOfUtterance(own, null))).toBe('ja')
  })

  test('has one profile only where its languages share it', () => {
    expect(defaultCorpusProfile(['de', 'de-AT'], basic).id).toBe('german@1')
    expect(defaultCorpusProfile([null], basic).id).toBe('basic')
    expect(defaultCorpusProfile(['de', 'fr'], basic).id).toBe('by-language@1')
    expect(defaultCorpusProfile(['de', null], basic).id).toBe('by-language@1')
    expect(defaultCorpusProfile([], basic).id).toBe('basic')
  })
})
