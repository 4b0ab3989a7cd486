import type { SpokenLanguage } from '../language-rules/spoken-language.ts'
import { indicSigns } from './indic-signs.ts'

export const kannada: SpokenLanguage = {
  id: 'kannada@1',
  version: 1,
  language: 'kn',
  purpose:
    'Kannada speech: joiners, composed letters, Kannada digits, numbers, currencies and units do not count.',

  numbers: {
    signs: indicSigns({
      rupee: 'ರೂಪಾಯಿ',
      dollar: 'ಡಾಲರ್',
      euro: 'ಯೂರೊ',
      pound: 'ಪೌಂಡ್',
      yen: 'ಯೆನ್',
      percent: 'ಪ್ರತಿಶತ',
      degrees: 'ಡಿಗ್ರಿ',
      celsius: 'ಡಿಗ್ರಿ ಸೆಲ್ಶಿಯಸ್',
      celsiusLetters: 'ಸೆ',
      minus: 'ಮೈನಸ್',
      to: 'ರಿಂದ',
      and: 'ಮತ್ತು',
    }),
    words: {
      cardinals:
        'ಸೊನ್ನೆ=0 ಒಂದು?=1 ಎರಡು=2 ಮೂರು=3 ನಾಲ್ಕು=4 ಐದು=5 ಆರು=6 ಏಳು=7 ಎಂಟು=8 ಒಂಬತ್ತು=9 ಹತ್ತು=10 ಹನ್ನೊಂದು=11 ಹನ್ನೆರಡು=12 ಹದಿಮೂರು=13 ' +
        'ಹದಿನಾಲ್ಕು=14 ಹದಿನೈದು=15 ಹದಿನಾರು=16 ಹದಿನೇಳು=17 ಹದಿನೆಂಟು=18 ಹತ್ತೊಂಬತ್ತು=19 ಇಪ್ಪತ್ತು=20 ಇಪ್ಪತ್ತೊಂದು=21 ಇಪ್ಪತ್ತೆರಡು=22 ' +
        'ಇಪ್ಪತ್ತಮೂರು|ಇಪ್ಪತ್ತುಮೂರು=23 ಇಪ್ಪತ್ತನಾಲ್ಕು|ಇಪ್ಪತ್ತುನಾಲ್ಕು=24 ಇಪ್ಪತ್ತೈದು=25 ಮೂವತ್ತು=30 ನಲವತ್ತು=40 ಐವತ್ತು=50 ಅರವತ್ತು=60 ' +
        'ಎಪ್ಪತ್ತು=70 ಎಂಬತ್ತು=80 ತೊಂಬತ್ತು=90 ನೂರು=100 ಇನ್ನೂರು=200 ಮುನ್ನೂರು=300 ನಾನೂರು=400 ಐನೂರು=500 ಆರುನೂರು=600 ಏಳುನೂರು=700 ' +
        'ಎಂಟುನೂರು=800 ಒಂಬೈನೂರು=900 ಸಾವಿರ=1000 ಲಕ್ಷ~=100000 ಕೋಟಿ~=10000000',
    },
    counted: {
      points: 'ದಶಮಾಂಶ',
      units:
        'ಕಿಮೀ ಕಿಲೋಮೀಟರ್; ಮೀ ಮೀಟರ್; ಕೆಜಿ ಕಿಲೋಗ್ರಾಂ; km ಕಿಲೋಮೀಟರ್; kg ಕಿಲೋಗ್ರಾಂ; ' +
        'ಕಿ.ಮೀ ಕಿಲೋಮೀಟರ್; ಸೆಮೀ ಸೆಂಟಿಮೀಟರ್; ಗ್ರಾ ಗ್ರಾಂ; ಲೀ ಲೀಟರ್; ಗಂ ಗಂಟೆ|ಗಂಟೆಗಳು; ನಿಮಿ ನಿಮಿಷ|ನಿಮಿಷಗಳು; ಸೆಕೆಂ ಸೆಕೆಂಡ್|ಸೆಕೆಂಡುಗಳು; ಕಿ.ಮೀ/ಗಂ ಕಿಲೋಮೀಟರ್ ಪ್ರತಿ ಗಂಟೆಗೆ',
    },
  },
  months: 'ಜನ ಜನವರಿ; ಫೆಬ್ರ ಫೆಬ್ರವರಿ; ಏಪ್ರಿ ಏಪ್ರಿಲ್; ಆಗ ಆಗಸ್ಟ್; ಸೆಪ್ಟೆಂ ಸೆಪ್ಟೆಂಬರ್; ಅಕ್ಟೋ ಅಕ್ಟೋಬರ್; ನವೆಂ ನವೆಂಬರ್; ಡಿಸೆಂ ಡಿಸೆಂಬರ್',
  apostrophe: 'goes',
  fillers: 'ಹ್ಮ್ ಅಂ',
  phrases: `
ಡಾ>ಡಾಕ್ಟರ್
`,
  examples: {
    letters: ['೧೨೩ ABC', '123 abc'],
    figures: ['25%', '25 ಪ್ರತಿಶತ '],
    numbers: ['ಇಪ್ಪತ್ತೈದು', '25'],
    phrases: ['ಡಾ', 'ಡಾಕ್ಟರ್'],
  },
  quirks: ['Numbers between 26 and 99 that are one word stay words, but for round ones.'],
}
