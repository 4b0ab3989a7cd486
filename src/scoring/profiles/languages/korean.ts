import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

/** What is said for signs and units. */
const measures = '퍼센트|원|달러|유로|파운드|엔|루피|킬로미터|킬로그램|센티미터|미터|그램|리터|도'
const counters = `년|월|일|명|개|프로|살|세|분|초|시간|시|번|회|층|호|주|인|만|억|점|${measures}`

/** From twelve down, so that the longer ones come first. */
const hours = '열두 열한 열 아홉 여덟 일곱 여섯 다섯 네 세 두 한'.split(' ')
const sino = Array.from('일이삼사오육칠팔구', (word, at): [string, string] => [word, String(at + 1)])

export const korean: SpokenLanguage = {
  id: 'korean@1',
  version: 1,
  language: 'ko',
  purpose:
    'Korean speech: numbers, dates, times, currencies and units do not count. The character rate leaves spaces out; the word rate is next to it.',
  numbers: null,
  unspacedNumbers: {
    words: {
      cardinals:
        '영=0 일=1 이=2 삼=3 사=4 오=5 육|륙=6 칠=7 팔=8 구=9 십=10 이십=20 삼십=30 사십=40 오십=50 육십=60 칠십=70 팔십=80 구십=90 백=100 ' +
        '이백=200 삼백=300 사백=400 오백=500 육백=600 칠백=700 팔백=800 구백=900 천=1000 만~=10000 억~=100000000',
      tenTakesOnes: true,
      countsMyriads: true,
    },
    hasSpaces: true,
    runs: new RegExp(
      `(?<![\\p{L}\\d])(?:[일이삼사오육륙칠팔구]?[십백천만억] ?)+[일이삼사오육칠팔구]?(?= ?(?:${counters})|(?![\\p{L}\\d]))`,
      'gu',
    ),
    signs: '₩ 원; $ 달러; us$ 달러; € 유로; £ 파운드; ¥ 엔; jp¥ 엔; ₹ 루피; % 퍼센트; °c 도; ° 도',
    units: 'km 킬로미터; kg 킬로그램; cm 센티미터; m 미터; g 그램; l 리터; km/h 시속 #킬로미터',
    forms: [
      [/(?<![\d.:])(\d{1,2}):00(?![\d:])/g, '$1시'],
      [/(?<![\d.:])(\d{1,2}):0?(\d{1,2})(?![\d:])/g, '$1시 $2분'],
      [/(\d{4})[-/.] ?(\d{1,2})[-/.] ?(\d{1,2})(?!\d)\.?/g, '$1년 $2월 $3일'],
      [/(?<=\d)\s?프로(?!\p{L})/gu, '퍼센트'],
      [/(?<![\d.\p{L}])[-−](?=\d)/gu, '마이너스 '],
      [/(?<=\d)\s?[-–~]\s?(?=\d)/g, '에서 '],
    ],
    finalForms: [
      ...hours.map((word, at): [RegExp, string] => [
        new RegExp(`(?<!\\p{L})${word} ?시(?!\\p{L}*간)`, 'gu'),
        `${hours.length - at}시`,
      ]),
      ...sino.flatMap(([word, figure]): [RegExp, string][] => [
        [new RegExp(`(?<!\\p{L})${word} ?(?=(?:월|분|${measures})(?!\\p{L}))`, 'gu'), figure],
        [new RegExp(`(?<=월 ?)${word} ?(?=일(?!\\p{L}))`, 'gu'), figure],
      ]),
      [
        new RegExp(
          `(?<=\\d) (?=(?:년|월|일|명|개|살|분|초|시간|시|번|회|층|호|${measures})(?!\\p{L}))`,
          'gu',
        ),
        '',
      ],
    ],
    small: [],
  },
  apostrophe: 'goes',
  fillers: '음 으음 어',
  hasFreeSpaces: true,
  examples: {
    letters: ['ＫＢＳ 「뉴스」', 'kbs 「뉴스」'],
    figures: ['천구백팔십사년', '1984년'],
  },
  quirks: [
    'The character rate leads and leaves spaces out, because the spelling rules allow many spaces either way; the word rate counts them.',
    'Native numbers (스물다섯) stay words, but for hours.',
  ],
}
