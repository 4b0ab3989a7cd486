import { describe, expect, test } from 'vitest'
import { extendProfile, findProfile, normalise, parseGlm } from '#scoring'

const english = findProfile('english')
const basic = findProfile('basic')

describe('an extended profile', () => {
  const shop = extendProfile(english, {
    name: 'shop',
    fillers: ['You know', 'Er'],
    equivalences: [
      ['okay', 'OK', 'O.K.'],
      ['Anne', 'Ann'],
    ],
    vocabulary: ['Wi-Fi', 'Handy Express', 'ChatGPT'],
  })

  test.each([
    ['Er, you know, ok!', 'okay'],
    ['You knowingly erred', 'you knowingly erred'],
    ['Ann and Anne', 'anne and anne'],
    ['the wifi, the wi fi, the Wi-Fi', 'the wi fi the wi fi the wi fi'],
    ['Handyexpress and chat GPT', 'handy express and chatgpt'],
  ])('makes “%s” to “%s”', (text, expected) => {
    expect(normalise(text, shop)).toBe(expected)
  })

  test('has a name and a fingerprint of its own, which change with the list', () => {
    expect(shop.id).toBe('english+shop')
    expect(shop.fingerprint).not.toBe(english.fingerprint)
    const other = extendProfile(english, { name: 'shop', fillers: ['you know'] })
    expect(other.fingerprint).not.toBe(shop.fingerprint)
    expect(extendProfile(english, { name: 'shop' }).stages).toHaveLength(english.stages.length)
  })

  test('applies the first rule that fits, from the left, once', () => {
    const replaced = extendProfile(basic, {
      name: 'rules',
      replacements: [
        { from: 'a b', to: 'x', before: ' ', after: ' ' },
        { from: 'a', to: 'b', before: '', after: '' },
        { from: 'b', to: 'a', before: 'z', after: '' },
      ],
    })
    expect(normalise('a b a zb c b', replaced)).toBe('x b za c b')
  })
})

describe('a GLM file', () => {
  const { replacements, problems } = parseGlm(
    [
      ';; comment',
      '* name "test"',
      '[BACKUP] => [BACK UP] / [ ] __ [ ]',
      'GONNA => GOING TO / [ ] __ [ ] ;; spoken',
      '[-TH] => [TH]',
      "HE'S => {HE IS / HE HAS} / [ ] __ [ ]",
      'UH => %HESITATION / [ ] __ [ ] ;; INPUT_DEPENDENT_APPLICATION = "hyp"',
      'nonsense',
    ].join('\n'),
  )

  test('becomes replacements that know their context', () => {
    expect(replacements).toEqual([
      { from: 'backup', to: 'back up', before: ' ', after: ' ' },
      { from: 'gonna', to: 'going to', before: ' ', after: ' ' },
      { from: '-th', to: 'th', before: '', after: '' },
    ])
    const profile = extendProfile(basic, { name: 'glm', replacements })
    expect(normalise("I'm gonna backup the backups", profile)).toBe("i'm going to back up the backups")
  })

  test('has what it cannot be used for reported with its line', () => {
    expect(problems.map(({ where, what }) => `${where}: ${what}`)).toEqual([
      '6: the rule writes alternatives',
      '7: the rule is for one side only',
      '8: the line is no rule',
    ])
  })
})
