import type { SpokenLanguage } from '../language-rules/spoken-language.ts'
import { indicSigns } from './indic-signs.ts'

export const punjabi: SpokenLanguage = {
  id: 'punjabi@1',
  version: 1,
  language: 'pa',
  purpose:
    'Punjabi speech: joiners, composed letters, Punjabi digits, numbers, currencies and units do not count.',

  numbers: {
    signs: indicSigns({
      rupee: 'ਰੁਪਇਆ|ਰੁਪਏ',
      dollar: 'ਡਾਲਰ',
      euro: 'ਯੂਰੋ',
      pound: 'ਪੌਂਡ',
      yen: 'ਯੇਨ',
      percent: 'ਫੀਸਦੀ',
      degrees: 'ਡਿਗਰੀ',
      celsius: 'ਡਿਗਰੀ ਸੈਲਸੀਅਸ',
      minus: 'ਮਨਫੀ',
      to: 'ਤੋਂ',
      and: 'ਅਤੇ',
    }),
    words: {
      cardinals:
        'ਸਿਫਰ=0 ਇੱਕ?|ਇਕ?=1 ਦੋ=2 ਤਿੰਨ=3 ਚਾਰ=4 ਪੰਜ=5 ਛੇ=6 ਸੱਤ=7 ਅੱਠ=8 ਨੌਂ|ਨੌ=9 ਦਸ=10 ਗਿਆਰਾਂ=11 ਬਾਰਾਂ=12 ਤੇਰਾਂ=13 ਚੌਦਾਂ=14 ' +
        'ਪੰਦਰਾਂ=15 ਸੋਲਾਂ=16 ਸਤਾਰਾਂ=17 ਅਠਾਰਾਂ=18 ਉੱਨੀ=19 ਵੀਹ=20 ਇੱਕੀ=21 ਬਾਈ=22 ਤੇਈ=23 ਚੌਵੀ=24 ਪੱਚੀ=25 ਤੀਹ=30 ਚਾਲੀ=40 ਪੰਜਾਹ=50 ' +
        'ਸੱਠ=60 ਸੱਤਰ=70 ਅੱਸੀ=80 ਨੱਬੇ=90 ਸੌ=100 ਹਜ਼ਾਰ|ਹਜਾਰ=1000 ਲੱਖ~=100000 ਕਰੋੜ~=10000000',
    },
    counted: {
      points: 'ਦਸ਼ਮਲਵ',
      units:
        'ਕਿਮੀ ਕਿਲੋਮੀਟਰ; ਮੀ ਮੀਟਰ; ਕਿਗ੍ਰਾ ਕਿਲੋਗ੍ਰਾਮ; km ਕਿਲੋਮੀਟਰ; kg ਕਿਲੋਗ੍ਰਾਮ; ' +
        'ਕਿ.ਮੀ ਕਿਲੋਮੀਟਰ; ਸੈਂ.ਮੀ ਸੈਂਟੀਮੀਟਰ; ਕਿ.ਗ੍ਰਾ ਕਿਲੋਗ੍ਰਾਮ; ਗ੍ਰਾ ਗ੍ਰਾਮ; ਲਿ ਲਿਟਰ; ਕਿ.ਮੀ/ਘੰ ਕਿਲੋਮੀਟਰ ਪ੍ਰਤਿ ਘੰਟਾ',
    },
  },
  months: 'ਜਨ ਜਨਵਰੀ; ਫ਼ਰ|ਫਰ ਫ਼ਰਵਰੀ; ਅਪ੍ਰੈ ਅਪ੍ਰੈਲ; ਜੁਲਾ ਜੁਲਾਈ; ਅਗ ਅਗਸਤ; ਸਤੰ ਸਤੰਬਰ; ਅਕਤੂ ਅਕਤੂਬਰ; ਨਵੰ ਨਵੰਬਰ; ਦਸੰ ਦਸੰਬਰ',
  apostrophe: 'goes',
  fillers: 'ਹੂੰ ਅੰ',
  phrases: `
ਡਾ>ਡਾਕਟਰ
`,
  examples: {
    letters: ['੧੨੩ ABC', '123 abc'],
    figures: ['25%', '25 ਫੀਸਦੀ '],
    numbers: ['ਪੱਚੀ', '25'],
    phrases: ['ਡਾ', 'ਡਾਕਟਰ'],
  },
  quirks: ['Numbers between 26 and 99 that are one word stay words, but for round ones.'],
}
