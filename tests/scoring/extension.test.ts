import { describe, expect, test } from 'vitest'
import { parseGlm } from '#scoring/formats/plain-text'
import { extendProfile } from '#scoring/profiles/extension'
import { findProfile } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'

const english = findProfile('english')
const basic = findProfile('basic')

describe('an extended profile', () => {
  const shop = extendProfile(
    english,
    {
      fillers: ['You know', 'Er'],
      replacements: [
        { from: 'E-Mail', to: 'mail' },
        { from: 'St', to: 'street', before: 'main ' },
      ],
      equivalences: [
        ['okay', 'OK', 'O.K.'],
        ['Anne', 'Ann'],
      ],
      vocabulary: ['Wi-Fi', 'Handy Express', 'ChatGPT'],
    },
    'shop',
  )

  test.each([
    ['Er, you know, ok!', 'ok'],
    ['You knowingly erred', 'you knowingly erred'],
    ['Ann and Anne', 'anne and anne'],
    ['the wifi, the wi fi, the Wi-Fi', 'the wifi the wifi the wifi'],
    ['Handyexpress and chat GPT', 'handy express and chatgpt'],
    ['e-mails, an e-mail', 'emails an mail'],
    ['Main St. and St. James', 'main street and saint james'],
  ])('makes “%s” to “%s”', (text, expected) => {
    expect(normalise(text, shop)).toBe(expected)
  })

  test('has a separate name and fingerprint, which change with the list', () => {
    expect(shop.id).toBe('english@3+shop')
    expect(shop.fingerprint).not.toBe(english.fingerprint)
    const other = extendProfile(english, { fillers: ['you know'] }, 'shop')
    expect(other.fingerprint).not.toBe(shop.fingerprint)
    // Stored scores are named by it, so it does not change with the program.
    expect(other.fingerprint.slice(0, 12)).toBe('ea315ceb45f6')
    const turned = extendProfile(english, { fillers: ['Er', 'You know'] })
    expect(turned.fingerprint).toBe(extendProfile(english, { fillers: ['you know', 'er'] }).fingerprint)
  })

  test('is the profile itself where the rules do nothing', () => {
    expect(extendProfile(english, {})).toBe(english)
    expect(extendProfile(english, { fillers: ['…'], equivalences: [['colour', 'color']] })).toBe(english)
  })

  test('applies the first rule that fits, from the left, once', () => {
    const replaced = extendProfile(basic, {
      replacements: [
        { from: 'a b', to: 'x', before: ' ', after: ' ' },
        { from: 'a', to: 'b', before: '', after: '' },
        { from: 'b', to: 'a', before: 'z', after: '' },
      ],
    })
    expect(normalise('a b a zb c b', replaced)).toBe('x b za c b')
  })

  test('never takes a rule inside of words for more than was written', () => {
    const replaced = extendProfile(basic, {
      replacements: [{ from: "'cause", to: 'because', before: '', after: '' }],
    })
    expect(normalise("'cause of the causes", replaced)).toBe('cause of the causes')
  })
})

describe('a GLM file', () => {
  test('is read in time that grows with its lines, whatever spaces they have', () => {
    const spaces = ' '.repeat(20_000)
    const { replacements } = parseGlm(`A${spaces}=>${spaces}B${spaces}/${spaces}C${spaces}__`)
    expect(replacements).toEqual([{ from: 'a', to: 'b', before: 'c', after: '' }])
    expect(parseGlm(`A => B /${spaces}C`).replacements).toHaveLength(1)
  })

  const { replacements, leftOut, problems } = parseGlm(
    [
      ';; comment',
      '* name "test"',
      '[BACKUP] => [BACK UP] / [ ] __ [ ]',
      'GONNA => GOING TO / [ ] __ [ ] ;; spoken',
      '[-TH] => [TH]',
      "HE'S => {HE IS / HE HAS} / [ ] __ [ ]",
      'FALKNER => FAULKNER / [WILLIAM ] __ ;; the writer',
      'BINYAMIN => BENJAMIN / __ [ NETANYAHU]',
      ';; INPUT_DEPENDENT_APPLICATION = "hyp"',
      'UH => %HESITATION / [ ] __ [ ]',
      ';; INPUT_DEPENDENT_APPLICATION = ".*"',
      'WALMART => WAL MART',
      'nonsense',
    ].join('\n'),
  )

  test('becomes replacements that know their context', () => {
    expect(replacements).toEqual([
      { from: 'backup', to: 'back up', before: ' ', after: ' ' },
      { from: 'gonna', to: 'going to', before: ' ', after: ' ' },
      { from: '-th', to: 'th', before: '', after: '' },
      { from: 'falkner', to: 'faulkner', before: 'william ', after: '' },
      { from: 'binyamin', to: 'benjamin', before: '', after: ' netanyahu' },
      { from: 'walmart', to: 'wal mart', before: '', after: '' },
    ])
    const profile = extendProfile(basic, { replacements }, 'glm')
    expect(normalise("I'm gonna backup the backups", profile)).toBe("i'm going to back up the backups")
    expect(normalise('William Falkner, John Falkner; Binyamin Netanyahu, Binyamin', profile)).toBe(
      'william faulkner john falkner benjamin netanyahu binyamin',
    )
  })

  test.each([
    ['hyp', 1],
    ['ref', 1],
    ['ctm', 1],
    ['(hyp|ref)', 0],
    ['ctm|stm|trn|txt|rttm', 0],
    ['.*', 0],
    ['', 0],
    ['[h', 1],
  ])('has a section for "%s" of which %i rule is left out', (types, count) => {
    const text = `;;  INPUT_DEPENDENT_APPLICATION = "${types}"\nWALMART => WAL MART\n`
    expect(parseGlm(text).leftOut).toHaveLength(count)
    expect(parseGlm(text).replacements).toHaveLength(1 - count)
  })

  test('has what a profile cannot do, and what is no rule, reported with its line', () => {
    expect(leftOut.map(({ where, what }) => `${where}: ${what}`)).toEqual([
      '6: the rule writes alternatives',
      '10: the rule is for one side or one kind of file only',
    ])
    expect(problems.map(({ where, what }) => `${where}: ${what}`)).toEqual(['13: the line is no rule'])
  })
})
