import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const khmer: SpokenLanguage = {
  id: 'khmer@1',
  version: 1,
  language: 'km',
  purpose:
    'Khmer speech: deprecated letters, the order of marks, Khmer digits, numbers, times, currencies and spaces do not count.',
  letters: {
    // Letters that Unicode deprecates or advises against, and subscripts in the order of the standard.
    rewrites: [
      [/ឣ/g, 'អ'],
      [/ឤ/g, 'អា'],
      [/ឨ/g, 'ឧក'],
      [/ឲ/g, 'ឱ'],
      [/េី/g, 'ើ'],
      [/េា/g, 'ោ'],
      [/(្រ)(្[ក-អ])/g, '$2$1'],
      [/[឴឵]/g, ''],
      [/ ?ៗ/g, 'ៗ'],
    ],
  },
  numbers: null,
  unspacedNumbers: {
    words: {
      cardinals:
        'សូន្យ=0 មួយ=1 ពីរ=2 បី=3 បួន=4 ប្រាំ=5 ប្រាំមួយ=6 ប្រាំពីរ=7 ប្រាំបី=8 ប្រាំបួន=9 ដប់=10 ម្ភៃ|មួយភៃ=20 សាមសិប=30 សែសិប=40 ហាសិប=50 ហុកសិប=60 ' +
        'ចិតសិប=70 ប៉ែតសិប=80 កៅសិប=90 រយ~=100 ពាន់~=1000 ម៉ឺន~|មុឺន~=10000 សែន~=100000 លាន~=1000000',
      tenTakesOnes: true,
    },
    signs: '៛ រៀល; $ ដុល្លារ; us$ ដុល្លារ; € អឺរ៉ូ; £ ផោន; ¥ យេន; ₹ រូពី; % ភាគរយ; °c អង្សាសេ; ° អង្សា',
    units:
      'គម គីឡូម៉ែត្រ; km គីឡូម៉ែត្រ; kg គីឡូក្រាម; ម ម៉ែត្រ; សម សង់ទីម៉ែត្រ; g ក្រាម; l លីត្រ; km/h គីឡូម៉ែត្រក្នុងមួយម៉ោង; ' +
      'kph គីឡូម៉ែត្រក្នុងមួយម៉ោង',
    forms: [
      [/(?<![\d.:])0?(\d{1,2}):00(?![\d:])/g, 'ម៉ោង$1'],
      [/(?<![\d.:])0?(\d{1,2}):0?(\d{1,2})(?![\d:])/g, 'ម៉ោង$1និង$2នាទី'],
      [/(?<![\d.\p{L}])[-−](?=\d)/gu, 'ដក'],
      [/(?<=\d)\s?[-–~]\s?(?=\d)/g, 'ដល់'],
    ],
    small: ['សូន្យ', 'មួយ', 'ពីរ', 'បី', 'បួន', 'ប្រាំ', 'ប្រាំមួយ', 'ប្រាំពីរ', 'ប្រាំបី', 'ប្រាំបួន', 'ដប់'],
  },
  apostrophe: 'goes',
  fillers: '',
  isUnspaced: true,
  examples: {
    letters: ['២៥\u200bឣ', '25 អ'],
    figures: ['ម្ភៃប្រាំនាក់', '25នាក់'],
  },
  quirks: [
    'Numbers up to ten are written as words and larger ones as figures, whichever way they are written.',
  ],
}
