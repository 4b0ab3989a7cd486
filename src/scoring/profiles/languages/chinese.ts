import { lazily } from '#prelude'
import type { SpokenLanguage } from '../language-rules/spoken-language.ts'
import { simplifiedCharacters } from './chinese-characters.generated.ts'

const simplified = lazily(() => {
  const characters = Array.from(simplifiedCharacters)
  return new Map(
    characters.flatMap((from, at): [string, string][] =>
      at % 2 === 0 ? [[from, characters[at + 1] ?? from]] : [],
    ),
  )
})

export const chinese: SpokenLanguage = {
  id: 'chinese@1',
  version: 1,
  language: 'zh',
  purpose:
    'Chinese speech: traditional and simplified characters, full width, numbers, dates, times, currencies and spaces do not count.',
  letters: {
    characters: simplified,
    // Both a traditional form and a simplified character: the neighbours decide.
    rewrites: [
      [/乾(?![坤隆陵卦元嘉])(?<!康乾)/g, '干'],
      [/著(?![名作称稱述者书書录錄译譯])(?<![名原显顯土编編专專巨论論昭卓遗遺合]著)/g, '着'],
      [/徵(?!羽)(?<!角徵)/g, '征'],
      [/叱吒/g, '叱咤'],
    ],
    folds: [
      ['妳', '你'],
      ['牠', '它'],
      ['祂', '他'],
      ['〇', '零'],
    ],
  },
  numbers: null,
  unspacedNumbers: {
    words: {
      cardinals:
        '零=0 一|幺=1 二=2 三=3 四=4 五=5 六=6 七=7 八=8 九=9 十=10 二十|廿=20 三十|卅=30 四十=40 五十=50 六十=60 七十=70 八十=80 九十=90 ' +
        '百~=100 一百=100 二百|两百=200 三百=300 四百=400 五百=500 六百=600 七百=700 八百=800 九百=900 千~=1000 两=2 一十=10 万~=10000 亿~=100000000',
      tenTakesOnes: true,
      compounds: { linkers: ['零'] },
      countsMyriads: true,
    },
    digits: {
      零: '0',
      〇: '0',
      一: '1',
      幺: '1',
      二: '2',
      三: '3',
      四: '4',
      五: '5',
      六: '6',
      七: '7',
      八: '8',
      九: '9',
    },
    afterDigits: '年',
    point: '点',
    notAfterPoint: '分刻',
    signs: '¥ 元; jp¥ 日元; $ 美元; us$ 美元; € 欧元; £ 英镑; ₹ 卢比; % 百分之#; °c 摄氏度; ° 度',
    units: 'km 公里; kg 公斤; cm 厘米; m 米; g 克; l 升; km/h 每小时#公里',
    forms: [
      [/(?<=[\d一二两三四五六七八九十百])\s?千米/g, '公里'],
      [/(?<![\d.:])(\d{1,2}):(\d{2}):(\d{2})(?![\d:])/g, '$1点$2分$3秒'],
      [/(?<![\d.:])(\d{1,2}):00(?![\d:])/g, '$1点'],
      [/(?<![\d.:])(\d{1,2}):0?(\d{1,2})(?![\d:])/g, '$1点$2分'],
      [/(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g, '$1年$2月$3日'],
      [/(?<=年|月|^|\D)0(?=\d[月日])/g, ''],
      [
        /(?<![\d/.])(?=1\D|2\D[3-9]|3\D[4-9]|4\D[5-9]|5\D[6-9]|6\D[7-9]|7\D[89]|8\D9|\d\D10)([1-9])[/⁄](\d|100?)(?![\d/])/g,
        '$2分之$1',
      ],
      [/(?<![\d.\p{L}])[-−](?=\d)/gu, '负'],
      [/(?<=\d)\s?[-–~]\s?(?=\d)/g, '到'],
    ],
    finalForms: [
      [/(?<!\d)2(?=[个位只条张本次年天件家种名人块万千百])/g, '两'],
      [/(?<=[点时])0(?=\d分)/g, ''],
    ],
    small: ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十'],
  },
  apostrophe: 'goes',
  fillers: '',
  isUnspaced: true,
  examples: {
    letters: ['ＡＢＣ　臺灣', 'abc 台湾'],
    figures: ['二〇二四年三百四十五个', '2024年345个'],
  },
  quirks: [
    'Characters are simplified one by one, so a word can be simplified otherwise than by a dictionary; both texts are, in the same way.',
    'Numbers up to ten are written as characters and larger ones as figures, whichever way they are written.',
  ],
}
