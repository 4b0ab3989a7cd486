import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const persian: SpokenLanguage = {
  id: 'persian@1',
  version: 1,
  language: 'fa',
  purpose:
    'Persian speech: Arabic and Persian letters, diacritics, zero-width joiners, digits, numbers, currencies and units do not count.',
  letters: {
    drops: /[\u064b-\u0652\u0670\u0640]/g,
    folds: [
      ['ي', 'ی'],
      ['ى', 'ی'],
      ['ك', 'ک'],
      ['ۀ', 'ه'],
      ['هٔ', 'ه'],
      ['أ', 'ا'],
      ['إ', 'ا'],
      ['ٱ', 'ا'],
      ['ؤ', 'و'],
      ['ة', 'ه'],
    ],
    // Prefixes and endings are written joined, with a zero-width non-joiner or with a space.
    rewrites: [
      [/(?<!\p{L})(ن?م[یي]) (?=\p{L})/gu, '$1'],
      [/(?<=\p{L}) (?=ها(?:ی|ي|یی|یم|یش|یت)?(?!\p{L}))/gu, ''],
      [/(?<=\p{L}) (?=تر(?:ین)?(?!\p{L}))/gu, ''],
    ],
  },
  numbers: {
    signs: {
      decimal: '.',
      group: ',',
      currencies: '$ دلار; € یورو; £ پوند; ¥ ین; ریال ریال; ₹ روپیه',
      percent: 'درصد',
      degrees: 'درجه',
      celsius: 'درجه سانتیگراد',
      minus: 'منفی',
      to: 'تا',
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
        'صفر=0 یک?=1 دو=2 سه=3 چهار=4 پنج=5 شش=6 هفت=7 هشت=8 نه=9 ده=10 یازده=11 دوازده=12 سیزده=13 چهارده=14 پانزده=15 شانزده=16 ' +
        'هفده=17 هجده=18 نوزده=19 بیست=20 سی=30 چهل=40 پنجاه=50 شصت=60 هفتاد=70 هشتاد=80 نود=90 صد=100 دویست=200 سیصد=300 چهارصد=400 ' +
        'پانصد=500 ششصد=600 هفتصد=700 هشتصد=800 نهصد=900 هزار=1000 میلیون~=1000000 میلیارد~=1000000000',
      and: { word: 'و', after: 'both', tensNeedIt: true },
    },
    counted: {
      points: 'ممیز',
      units:
        'کیلومتر کیلومتر; کم کیلومتر; km کیلومتر; kg کیلوگرم; m متر; ' +
        'l لیتر; cm سانتیمتر; g گرم; km/h کیلومتر در ساعت',
      counted: 'سال بار روز ساعت',
    },
  },
  apostrophe: 'goes',
  fillers: 'اممم ممم اه',
  phrases: `
در صد>درصد
تومن>تومان
`,
  examples: {
    letters: ['كتاب‌ها', 'کتابها'],
    figures: ['%25', '25 درصد '],
    numbers: ['بیست و پنج', '25'],
    phrases: ['در صد', 'درصد'],
  },
  quirks: ['Joined, half-spaced and spaced writing of می, ها and تر is one.'],
}
