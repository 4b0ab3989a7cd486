import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Formatting,
  formatSegments,
  formatText,
  formatWords,
} from '../../src/service/transcription/formatting.ts'

const untouched: Formatting = {
  punctuation: true,
  capitalization: true,
  removeTrailingPeriod: false,
  profanityFilter: false,
  englishSpelling: null,
  customVocabulary: [],
}

describe('the text of a transcript', () => {
  test.each([
    ['Well, I never!', 'Well I never'],
    ['Don’t stop; it’s well-known (mostly).', 'Don’t stop it’s well-known mostly'],
    ['It is 3.5 at 10:30, or 1,000.', 'It is 3.5 at 10:30 or 1,000'],
    ['“Quoted” – and — dashed…', 'Quoted and dashed'],
    ["the players' ball", 'the players ball'],
    ['100% of R&D @ #5 and/or C*', '100% of R&D @ #5 and/or C*'],
    ['¿Qué? ¡Sí!', 'Qué Sí'],
    ['你好，世界。', '你好 世界'],
    ['...', ''],
  ])('has no punctuation if the Mode asks for none: %s', (text, expected) => {
    expect(formatText(text, { ...untouched, punctuation: false })).toBe(expected)
  })

  test.each([
    ['Ten of clubs.', 'Ten of clubs'],
    ['One. Two. ', 'One. Two'],
    ['And then...', 'And then...'],
    ['Really?', 'Really?'],
    ['今日は晴れです。', '今日は晴れです'],
    ['वह आया।', 'वह आया'],
    ['等等。。。', '等等。。。'],
    ['', ''],
  ])('without its trailing period: %s', (text, expected) => {
    expect(formatText(text, { ...untouched, removeTrailingPeriod: true })).toBe(expected)
  })

  test('has no capitals if the Mode asks for none', () => {
    expect(formatText('Mr. ÉCOLE', { ...untouched, capitalization: false })).toBe('mr. école')
  })

  test('stays as it is where the Mode asks for nothing', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => formatText(text, untouched) === text))
  })

  test('does not change any more when it is written again', () => {
    const switches = fc.record({ punctuation: fc.boolean(), capitalization: fc.boolean() })
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), switches, (text, choice) => {
        const formatting = { ...untouched, ...choice }
        const once = formatText(text, formatting)
        expect(formatText(once, formatting)).toBe(once)
      }),
    )
  })
})

describe('the spelling of English', () => {
  test.each([
    [
      'american',
      'The COLOUR centre, honoured; analyse grey tyres.',
      'The COLOR center, honored; analyze gray tires.',
    ],
    [
      'british',
      'Organize the gray theater. Traveling to the defense.',
      'Organise the grey theatre. Travelling to the defence.',
    ],
    ['australian', 'Favorite color, organized', 'Favourite colour, organised'],
    [
      'canadian',
      'Favourite color, organise the center, labeled aluminium',
      'Favourite colour, organize the centre, labelled aluminum',
    ],
    [
      'british',
      'humorous honorary coloration, program, meter, size, advertise, wiser',
      'humorous honorary coloration, program, meter, size, advertise, wiser',
    ],
    [
      'british',
      'The tire of a program in storage: check the meter, practice, draft a story.',
      'The tire of a program in storage: check the meter, practice, draft a story.',
    ],
    [
      'american',
      'The tyre of a programme; practise your licence in metres.',
      'The tire of a program; practice your license in meters.',
    ],
    ['canadian', 'Analyse the tyre of an aeroplane', 'Analyze the tire of an airplane'],
    [
      'american',
      'four hours, sour wise advice, tour, excise, paradise',
      'four hours, sour wise advice, tour, excise, paradise',
    ],
  ] as const)('is changed to %s: %s', (englishSpelling, text, expected) => {
    expect(formatText(text, { ...untouched, englishSpelling })).toBe(expected)
  })

  test('is the same after it was written in the other one and back', () => {
    const british = 'The labourer travelled to the centre, organised his jewellery and fulfilment.'
    const american = formatText(british, { ...untouched, englishSpelling: 'american' })
    expect(formatText(american, { ...untouched, englishSpelling: 'british' })).toBe(british)
  })
})

describe('the words of a Mode', () => {
  test('profane ones are hidden but for their first letter, and no innocent ones', () => {
    const text = 'Damn, the Bastard is in Scunthorpe with a class of cocktails.'
    expect(formatText(text, { ...untouched, profanityFilter: true })).toBe(
      'D***, the B****** is in Scunthorpe with a class of cocktails.',
    )
  })

  test('its vocabulary is written as it is there', () => {
    const customVocabulary = ['Kubernetes', 'TypeScript', 'Jean-Luc', 'C++', ' ', 'type']
    const text = 'kubernetes in type script, says jean luc; a type. kubernetesish c.'
    expect(formatText(text, { ...untouched, customVocabulary })).toBe(
      'Kubernetes in TypeScript, says Jean-Luc; a type. kubernetesish c.',
    )
  })

  test('a vocabulary of anything leaves the letters as they are', () => {
    const letters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (text, customVocabulary) => {
        expect(letters(formatText(text, { ...untouched, customVocabulary }))).toBe(letters(text))
      }),
    )
  })
})

describe('the parts of a transcript', () => {
  const times = (index: number) => ({ start: index, end: index + 1 })
  const segments = ['The damn colour.', '…', 'Ends here.'].map((text, id) => ({ id, ...times(id), text }))
  const words = ['Damn', '–', 'colour.'].map((word, index) => ({ word, ...times(index) }))
  const formatting: Formatting = {
    ...untouched,
    profanityFilter: true,
    englishSpelling: 'american',
    removeTrailingPeriod: true,
  }

  test('hide and spell what the text does, and only the last loses its period', () => {
    expect(formatSegments(segments, formatting).map(({ text }) => text)).toEqual([
      'The d*** color.',
      '…',
      'Ends here',
    ])
    expect(formatWords(words, formatting).map(({ word }) => word)).toEqual(['D***', '–', 'color'])
  })

  test('of which nothing is left are left out, and the others keep their times', () => {
    const bare = { ...formatting, punctuation: false }
    expect(formatSegments(segments, bare)).toEqual([
      { id: 0, ...times(0), text: 'The d*** color' },
      { id: 1, ...times(2), text: 'Ends here' },
    ])
    expect(formatWords(words, bare)).toEqual([
      { ...times(0), word: 'D***' },
      { ...times(2), word: 'color' },
    ])
  })

  test('together are the text', () => {
    const given = segments.map(({ text }) => text).join(' ')
    const parts = formatSegments(segments, formatting).map(({ text }) => text)
    expect(parts.join(' ')).toBe(formatText(given, formatting))
  })
})
