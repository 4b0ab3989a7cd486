import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { profiles } from '#scoring/profiles/index'
import { normalise, type Profile, traceNormalisation } from '#scoring/profiles/profile'
import { readLanguagePairs } from '../../scripts/language-pairs.ts'
import type { SpokenLanguage } from '../../src/scoring/profiles/language-rules/spoken-language.ts'
import { languages } from '../../src/scoring/profiles/languages/all.ts'

/** Published rules that are kept as they are: their last step can leave a mark or a number that their first would change. */
const asPublished: readonly string[] = [
  'whisper-english',
  'leaderboard-english@1',
  'leaderboard-english@2026-06',
]

const general =
  "twenty one hundred and five thousand $5 £3.50 10:30 ten half a million oh two nineteen eighty don't it's Mr. St. 1st 2nd 3.5% " +
  'per cent 20 7 42 1000 1,000 minus -5 +5 colour re-sign [noise] (laughs) é ß İ ſ ½ ² double o 5kg km p.m. U.S.A. & @ # % ° ' +
  '– … . , ! ? \u200b 中文 ｱｲｳ 三 十 ๑๒ مرحبا'

/** Words of the pairs of a language, and all words of its rules: what a text in it may hold in any order. */
function wordsOf({ id }: Profile): readonly string[] {
  const pairs = readLanguagePairs().find(({ name }) => id.startsWith(`${name}@`))
  const rules = languages.find((each) => each.id === id)?.rules()
  const texts = (pairs?.equal ?? []).flatMap(({ one, other }) => [one, other])
  return [...general.split(' '), ...texts.flatMap((text) => text.split(' ')), ...ruleWords(rules)]
}

function ruleWords(rules: SpokenLanguage | undefined): readonly string[] {
  const text = JSON.stringify(rules ?? '', (_, value) => (value instanceof RegExp ? value.source : value))
  return [...new Set(text.replaceAll('\\n', ' ').match(/[\p{L}\p{M}'./]+/gu))]
}

const stable = profiles.filter(({ id, ofLanguage }) => ofLanguage === undefined && !asPublished.includes(id))

const hasBorder = ({ text }: { readonly text: string }): boolean => text.includes('ꞏ')

describe('a text that was normalised stays as it is when it is normalised again, but for one in 100', () => {
  test.each(stable.map((profile) => [profile.id, profile] as const))('by %s', (_, profile) => {
    const word = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...wordsOf(profile)) },
      { weight: 1, arbitrary: fc.nat(99_999).map(String) },
    )
    const text = fc
      .array(fc.tuple(word, fc.constantFrom(' ', ' ', '', '-', '.')), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.map((part) => part.join('')).join(''))
    const changed = fc.sample(text, 200).filter((written) => {
      const once = normalise(written, profile)
      // Where a mark ended a number, nothing says so in what was made.
      return normalise(once, profile) !== once && !traceNormalisation(written, profile).some(hasBorder)
    })
    // Of one in 100, chance makes six of 200 in one sample of sixty.
    expect(changed.length).toBeLessThan(6)
  })
})

test.each([
  ['persian@1', '0.13.ریال '],
  ['bengali@1', 'এক ডিগ্রী '],
  ['portuguese@1', 'um quilómetro'],
  ['italian@1', "0 km all'ora"],
  ['italian@1', 'cento h un 0'],
  ['polish@1', 'godz. jedna 0'],
  ['turkish@1', 'beş ncu 0'],
  ['tamil@1', 'ஆகஸ்ட்0-rs'],
  ['vietnamese@1', '+5 km giờ'],
  ['burmese@1', 'နှစ်ဆယ့် စက် €'],
])('%s normalises %s at once', (id, written) => {
  const profile = profiles.find((each) => each.id === id) as Profile
  const once = normalise(written, profile)
  expect(normalise(once, profile)).toBe(once)
})

test('published rules that change their own result are the listed ones', () => {
  for (const id of asPublished) {
    const profile = profiles.find((each) => each.id === id) as Profile
    const once = normalise('plus ๑๒ …', profile)
    expect(normalise(once, profile), id).not.toBe(once)
  }
})
