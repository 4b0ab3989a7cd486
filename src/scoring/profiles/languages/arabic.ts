import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const arabic: SpokenLanguage = {
  id: 'arabic@1',
  version: 1,
  language: 'ar',
  purpose:
    'Arabic speech: diacritics, tatweel, forms of alef and ya, presentation forms, Arabic digits, currencies and units do not count.',
  letters: {
    // Short vowels, tanwin, shadda and sukun; the small alef; the line that stretches words.
    drops: /[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640]/g,
    folds: [
      ['أ', 'ا'],
      ['إ', 'ا'],
      ['آ', 'ا'],
      ['ٱ', 'ا'],
      ['ى', 'ي'],
      ['ی', 'ي'],
      ['ک', 'ك'],
    ],
  },
  numbers: {
    signs: {
      decimal: '.',
      group: ',',
      currencies: '$ دولار; € يورو; £ جنيه',
      percent: 'في المئة',
      degrees: 'درجة',
      celsius: 'درجة مئوية',
      minus: 'ناقص',
      to: 'الي',
      and: 'و',
      hour: null,
      forms: [
        [/٪/g, '%'],
        [/(?<=\d)٫(?=\d)/g, '.'],
        [/(?<=\d)[٬،](?=\d{3}(?!\d))/g, ','],
        [/% ?(\d+(?:\.\d+)?)/g, '$1%'],
      ],
    },
    words: {
      cardinals:
        'صفر=0 واحد=1 اثنان=2 ثلاثة=3 اربعة=4 خمسة=5 ستة=6 سبعة=7 ثمانية=8 تسعة=9 عشرة=10 عشرون|عشرين=20 ثلاثون|ثلاثين=30 ' +
        'اربعون|اربعين=40 خمسون|خمسين=50 ستون|ستين=60 سبعون|سبعين=70 ثمانون|ثمانين=80 تسعون|تسعين=90 مئة|مائة=100 الف=1000 مليون=1000000',
    },
    counted: {
      points: 'فاصلة',
      units: 'كم كيلومتر; م متر; كجم كيلوغرام; كغ كيلوغرام; km كيلومتر; kg كيلوغرام',
      counted: '',
    },
  },
  apostrophe: 'goes',
  fillers: 'ممم اه امم ام',
  phrases: `
بالمئة>في المئة
بالمائة>في المئة
في المائة>في المئة
د>دكتور
الخ>الي اخره
`,
  examples: {
    letters: ['كِتَابٌ أحمـــد', 'كتاب احمد'],
    figures: ['%25', '25 في المئة '],
    numbers: ['5 كم', '5 كيلومتر'],
    phrases: ['بالمئة', 'في المئة'],
  },
  quirks: [
    'Compound numbers stay words: their parts change with gender and case. Round numbers and those up to ten are one with their figures.',
    'ة and ه, and hamza on و and ي, stay: they are heard.',
  ],
}
