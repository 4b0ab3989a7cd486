import type { SpokenLanguage } from '../language-rules/spoken-language.ts'
import { indicSigns } from './indic-signs.ts'

export const malayalam: SpokenLanguage = {
  id: 'malayalam@1',
  version: 1,
  language: 'ml',
  purpose:
    'Malayalam speech: joiners, composed letters, Malayalam digits, numbers, currencies and units do not count.',
  letters: {
    // The older encoding of consonants without a vowel.
    joined: [
      ['ണ്\u200d', 'ൺ'],
      ['ന്\u200d', 'ൻ'],
      ['ര്\u200d', 'ർ'],
      ['ല്\u200d', 'ൽ'],
      ['ള്\u200d', 'ൾ'],
      ['ക്\u200d', 'ൿ'],
    ],
  },
  numbers: {
    signs: indicSigns({
      rupee: 'രൂപ',
      dollar: 'ഡോളർ',
      euro: 'യൂറോ',
      pound: 'പൗണ്ട്',
      yen: 'യെൻ',
      percent: 'ശതമാനം',
      degrees: 'ഡിഗ്രി',
      celsius: 'ഡിഗ്രി സെൽഷ്യസ്',
      celsiusLetters: 'സെ',
      minus: 'മൈനസ്',
      to: 'മുതൽ',
      and: 'ആൻഡ്',
    }),
    words: {
      cardinals:
        'പൂജ്യം=0 ഒന്ന്=1 രണ്ട്=2 മൂന്ന്=3 നാല്=4 അഞ്ച്=5 ആറ്=6 ഏഴ്=7 എട്ട്=8 ഒമ്പത്|ഒൻപത്=9 പത്ത്=10 പതിനൊന്ന്=11 ' +
        'പന്ത്രണ്ട്=12 പതിമൂന്ന്=13 പതിനാല്=14 പതിനഞ്ച്=15 പതിനാറ്=16 പതിനേഴ്=17 പതിനെട്ട്=18 പത്തൊമ്പത്|പത്തൊൻപത്=19 ഇരുപത്=20 ' +
        'ഇരുപത്തൊന്ന്|ഇരുപത്തിയൊന്ന്=21 ഇരുപത്തിരണ്ട്=22 ഇരുപത്തിമൂന്ന്=23 ഇരുപത്തിനാല്=24 ഇരുപത്തഞ്ച്|ഇരുപത്തിയഞ്ച്=25 ' +
        'മുപ്പത്=30 നാൽപത്|നാല്പത്=40 അമ്പത്|അൻപത്=50 അറുപത്=60 എഴുപത്=70 എൺപത്=80 തൊണ്ണൂറ്=90 നൂറ്=100 ഇരുനൂറ്|ഇരുന്നൂറ്=200 ' +
        'മുന്നൂറ്=300 നാനൂറ്=400 അഞ്ഞൂറ്=500 അറുനൂറ്=600 എഴുനൂറ്=700 എണ്ണൂറ്=800 തൊള്ളായിരം=900 ആയിരം=1000 ലക്ഷം~=100000 ' +
        'കോടി~=10000000',
    },
    counted: {
      points: 'ദശാംശം',
      units:
        'കിമീ കിലോമീറ്റർ; മീ മീറ്റർ; കിഗ്രാ കിലോഗ്രാം; km കിലോമീറ്റർ; kg കിലോഗ്രാം; ' +
        'കി.മീ കിലോമീറ്റർ; സെ.മീ സെന്റീമീറ്റർ; കി.ഗ്രാം കിലോഗ്രാം; ലി ലിറ്റർ; മ മണിക്കൂർ; മി മിനിറ്റ്; സെ സെക്കൻഡ്; കി.മീ/മ കിലോമീറ്റർ മണിക്കൂർ',
    },
  },
  months:
    'ജനു ജനുവരി; ഫെബ്രു ഫെബ്രുവരി; മാർ മാർച്ച്; ഏപ്രി ഏപ്രിൽ; ഓഗ ഓഗസ്റ്റ്; സെപ്റ്റം സെപ്റ്റംബർ; ഒക്ടോ ഒക്ടോബർ; നവം നവംബർ; ' +
    'ഡിസം ഡിസംബർ',
  apostrophe: 'goes',
  fillers: 'ഹും ഉം',
  phrases: `
ഡോ>ഡോക്ടർ
`,
  examples: {
    letters: ['൧൨൩ അവൻ', '123 അവൻ'],
    figures: ['25%', '25 ശതമാനം '],
    numbers: ['ഇരുപത്തഞ്ച്', '25'],
    phrases: ['ഡോ', 'ഡോക്ടർ'],
  },
  quirks: ['Numbers between 26 and 99 that are one word stay words, but for round ones.'],
}
