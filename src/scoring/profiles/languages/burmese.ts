import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const burmese: SpokenLanguage = {
  id: 'burmese@1',
  version: 1,
  language: 'my',
  purpose:
    'Burmese speech: the order of marks, Myanmar digits, numbers, times, currencies and spaces do not count.',
  letters: {
    rewrites: [
      // A nought that was typed for the letter wa.
      [/0(?=[ါ-ှ])/g, 'ဝ'],
      [/ဥ်/g, 'ဉ်'],
      [/စျ/g, 'ဈ'],
      [/သြော်/g, 'ဪ'],
      [/၎င်း|4င်း/g, 'လည်းကောင်း'],
    ],
  },
  numbers: null,
  unspacedNumbers: {
    words: {
      cardinals:
        'သုည=0 တစ်|တစ=1 နှစ်=2 သုံး=3 လေး=4 ငါး=5 ခြောက်=6 ခုနစ်|ခုနှစ်|ခွန်နှစ်=7 ရှစ်=8 ကိုး=9 တစ်ဆယ်|ဆယ်|တစ်ဆယ့်|ဆယ့်=10 နှစ်ဆယ်|နှစ်ဆယ့်=20 သုံးဆယ်|သုံးဆယ့်=30 ' +
        'လေးဆယ်|လေးဆယ့်=40 ငါးဆယ်|ငါးဆယ့်=50 ခြောက်ဆယ်|ခြောက်ဆယ့်=60 ခုနစ်ဆယ်|ခုနစ်ဆယ့်|ခုနှစ်ဆယ်|ခုနှစ်ဆယ့်=70 ရှစ်ဆယ်|ရှစ်ဆယ့်=80 ကိုးဆယ်|ကိုးဆယ့်=90 ' +
        'ရာ~|ရာ့~=100 ထောင်~|ထောင့်~=1000 သောင်း~=10000 သိန်း~=100000 သန်း~=1000000',
      tenTakesOnes: true,
    },
    exceptBefore: { ရာ: 'ခိုင်' },
    signs: '€ ယူရို; $ ဒေါ်လာ; us$ ဒေါ်လာ; £ ပေါင်; ¥ ယန်း; ₹ ရူပီး; % ရာခိုင်နှုန်း; °c ဒီဂရီစင်တီဂရိတ်; ° ဒီဂရီ',
    units: 'km ကီလိုမီတာ; kg ကီလိုဂရမ်; m မီတာ; cm စင်တီမီတာ; g ဂရမ်; k ကျပ်; sec စက္ကန့်; km/h တစ်နာရီလျှင်#ကီလိုမီတာ',
    forms: [
      [/(?<![\d.:])0?(\d{1,2}):00(?![\d:])/g, '$1နာရီ'],
      [/(?<![\d.:])0?(\d{1,2}):0?(\d{1,2})(?![\d:])/g, '$1နာရီ$2မိနစ်'],
      [/(?<![\d.\p{L}])[-−](?=\d)/gu, 'အနုတ်'],
      [/(?<=\d)\s?[-–~]\s?(?=\d)/g, 'မှ'],
    ],
    small: ['သုည', 'တစ်', 'နှစ်', 'သုံး', 'လေး', 'ငါး', 'ခြောက်', 'ခုနစ်', 'ရှစ်', 'ကိုး', 'ဆယ်'],
  },
  months: 'ဇန် ဇန်နဝါရီ; ဖေ ဖေဖော်ဝါရီ; ဧ ဧပြီ; ဇူ ဇူလိုင်; ဩ ဩဂုတ်; စက် စက်တင်ဘာ; အောက် အောက်တိုဘာ; နို နိုဝင်ဘာ; ဒီ ဒီဇင်ဘာ',
  apostrophe: 'goes',
  fillers: '',
  isUnspaced: true,
  examples: {
    letters: ['၂၅', '25'],
    figures: ['နှစ်ဆယ့်ငါးယောက်', '25ယောက်'],
  },
  quirks: [
    'Numbers up to ten are written as words and larger ones as figures, whichever way they are written.',
    'Texts have to be in Unicode; Zawgyi is not recognised.',
  ],
}
