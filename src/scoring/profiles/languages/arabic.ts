import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const arabic: SpokenLanguage = {
  id: 'arabic@1',
  version: 1,
  language: 'ar',
  purpose:
    'Arabic speech: diacritics, tatweel, a hamza above alef, presentation forms, Arabic digits, currencies and units do not count.',
  letters: {
    // Short vowels, tanwin, shadda and sukun; the small alef; the line that stretches words.
    drops: /[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640]/g,
    // In words with the prefix of form X a hamza is a mistake of writing alone.
    rewrites: [[/إ(?=ست)/g, 'ا']],
    folds: [
      ['أ', 'ا'],
      ['ٱ', 'ا'],
      ['ی', 'ي'],
      ['ک', 'ك'],
    ],
  },
  numbers: {
    signs: {
      decimal: '.',
      group: ',',
      currencies:
        '$ دولار; € يورو; £ جنيه; us$ دولار; uk£ جنيه; e£ جنيه|جنيهان|جنيهات|جنيها|جنيه; ¥ ين; ₹ روبية',
      percent: 'في المئة',
      degrees: 'درجة',
      celsius: 'درجة مئوية',
      minus: 'ناقص',
      to: 'إلى',
      and: 'و',
      hour: null,
      forms: [
        [/(?<=\d ?)° ?م(?!\p{L})/gu, '°c'],
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
      units:
        'كم كيلومتر|كيلومتر|كيلومترات|كيلومترا|كيلومتر; km كيلومتر|كيلومتر|كيلومترات|كيلومترا|كيلومتر; م متر|متر|امتار|مترا|متر; سم سنتيمتر; ' +
        'كجم كيلوغرام; كغ كيلوغرام; كغم كيلوغرام; kg كيلوغرام; س ساعة|ساعتان|ساعات|ساعة|ساعة; د دقيقة|دقيقتان|دقائق|دقيقة|دقيقة; ' +
        'ث ثانية|ثانيتان|ثوان|ثانية|ثانية; كم/س كيلومتر في الساعة',
      counted: '',
    },
  },
  apostrophe: 'goes',
  fillers: 'ممم اه امم ام',
  phrases: `
بالمئة>في المئة
بالمائة>في المئة
في المائة>في المئة
الخ>إلى آخره
الى>إلى
اذا>إذا
اذ>إذ
الان>الآن
`,
  spellings: `
د>دكتور
`,
  examples: {
    letters: ['كِتَابٌ أحمـــد', 'كتاب احمد'],
    figures: ['%25', '25 في المئة '],
    numbers: ['5 كم', '5 كيلومترات'],
    phrases: ['بالمئة', 'في المئة'],
    spellings: ['د', 'دكتور'],
  },
  quirks: [
    'Compound numbers stay words: their parts change with gender and case. Round numbers and those up to ten are one with their figures.',
    'A hamza may be left out above alef, but not below it, and a madda not at all: أن, إن and آن are three words; so are على and علي. arabic-loose makes them one.',
    'ة and ه, and hamza on و and ي, stay: they are heard.',
  ],
}
