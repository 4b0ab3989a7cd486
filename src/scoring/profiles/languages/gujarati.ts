import type { SpokenLanguage } from '../language-rules/spoken-language.ts'
import { indicSigns } from './indic-signs.ts'

export const gujarati: SpokenLanguage = {
  id: 'gujarati@1',
  version: 1,
  language: 'gu',
  purpose:
    'Gujarati speech: joiners, composed letters, Gujarati digits, numbers, currencies and units do not count.',
  letters: {
    rewrites: [[/ઙ્(?=[ક-ઘ])|ઞ્(?=[ચ-ઝ])|ણ્(?=[ટ-ઢ])|ન્(?=[ત-ધ])|મ્(?=[પ-ભ])/g, 'ં']],
  },
  numbers: {
    signs: indicSigns({
      rupee: 'રૂપિયા',
      dollar: 'ડોલર',
      percent: 'ટકા',
      degrees: 'ડિગ્રી',
      minus: 'માઇનસ',
      to: 'થી',
      and: 'અને',
    }),
    words: {
      cardinals:
        'શૂન્ય=0 એક?=1 બે=2 ત્રણ=3 ચાર=4 પાંચ=5 છ=6 સાત=7 આઠ=8 નવ=9 દસ=10 અગિયાર=11 બાર=12 તેર=13 ચૌદ=14 પંદર=15 સોળ=16 ' +
        'સત્તર=17 અઢાર=18 ઓગણીસ=19 વીસ=20 એકવીસ=21 બાવીસ=22 ત્રેવીસ=23 ચોવીસ=24 પચ્ચીસ=25 ત્રીસ=30 ચાલીસ=40 પચાસ=50 સાઠ=60 ' +
        'સિત્તેર=70 એંસી=80 નેવું=90 સો|એકસો=100 બસો=200 ત્રણસો=300 ચારસો=400 પાંચસો=500 છસો=600 સાતસો=700 આઠસો=800 નવસો=900 ' +
        'હજાર=1000 લાખ~=100000 કરોડ~=10000000',
    },
    counted: {
      points: 'પોઇન્ટ',
      units: 'કિમી કિલોમીટર; મી મીટર; કિગ્રા કિલોગ્રામ; km કિલોમીટર; kg કિલોગ્રામ',
    },
  },
  apostrophe: 'goes',
  fillers: 'હમ્મ અમ',
  phrases: `
ડૉ>ડોક્ટર
`,
  examples: {
    letters: ['૧૨૩ હિન્દી', '123 હિંદી'],
    figures: ['25%', '25 ટકા '],
    numbers: ['પચ્ચીસ', '25'],
    phrases: ['ડૉ', 'ડોક્ટર'],
  },
  quirks: ['Numbers between 26 and 99 that are one word stay words, but for round ones.'],
}
