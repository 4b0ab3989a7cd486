import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

/** Katakana to hiragana, letter by letter. */
const kana = new Map(
  Array.from({ length: 0x30f6 - 0x30a1 + 1 }, (_, at): [string, string] => [
    String.fromCharCode(0x30a1 + at),
    String.fromCharCode(0x3041 + at),
  ]),
)

export const japanese: SpokenLanguage = {
  id: 'japanese@1',
  version: 1,
  language: 'ja',
  purpose:
    'Japanese speech: kana variants, full and half width, numbers, dates, times, currencies and spaces do not count.',
  letters: {
    characters: () => kana,
    rewrites: [
      [/(?<=[\u3041-\u30fa])[〜～~―—–]/g, 'ー'],
      [/ヴァ|ゔぁ/g, 'バ'],
      [/ヴィ|ゔぃ/g, 'ビ'],
      [/ヴェ|ゔぇ/g, 'ベ'],
      [/ヴォ|ゔぉ/g, 'ボ'],
      [/ヴ|ゔ/g, 'ブ'],
      [/(?<=[一二三四五六七八九十百数何\d])[ヶケヵカ箇个](?=[月所国年条])/g, 'か'],
      [/([\u4e00-\u9fff])々/g, '$1$1'],
      [/えー?っ?とー?(?=[、,\s])|あのー(?=[、,\s])|うーん(?=[、,\s])|えーっと|えーと/g, ' '],
    ],
    folds: [
      ['下さい', 'ください'],
      ['致し', 'いたし'],
      ['宜しく', 'よろしく'],
      ['有難う', 'ありがとう'],
      ['有り難う', 'ありがとう'],
      ['御座い', 'ござい'],
      ['沢山', 'たくさん'],
      ['出来', 'でき'],
      ['何処', 'どこ'],
      ['此処', 'ここ'],
      ['其処', 'そこ'],
      ['既に', 'すでに'],
      ['更に', 'さらに'],
      ['全て', 'すべて'],
      ['例えば', 'たとえば'],
      ['子供', '子ども'],
      ['友達', '友だち'],
      ['〇', '零'],
      ['國', '国'],
      ['學', '学'],
      ['氣', '気'],
    ],
  },
  numbers: null,
  unspacedNumbers: {
    words: {
      cardinals:
        '零=0 一=1 二=2 三=3 四=4 五=5 六=6 七=7 八=8 九=9 十=10 二十=20 三十=30 四十=40 五十=50 六十=60 七十=70 八十=80 九十=90 百=100 ' +
        '二百=200 三百=300 四百=400 五百=500 六百=600 七百=700 八百=800 九百=900 千=1000 万~=10000 億~=100000000 兆~=1000000000000',
      tenTakesOnes: true,
      countsMyriads: true,
    },
    digits: {
      零: '0',
      〇: '0',
      一: '1',
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
    signs: '¥ 円; cn¥ 元; $ どる; us$ どる; € ゆーろ; £ ぽんど; ₹ るぴー; % ぱーせんと; °c 度; ° 度',
    units:
      'km きろめーとる; kg きろぐらむ; cm せんちめーとる; m めーとる; g ぐらむ; l りっとる; km/h 時速#きろめーとる',
    forms: [
      [/(?<![\d.:])(\d{1,2}):00(?![\d:])/g, '$1時'],
      [/(?<![\d.:])(\d{1,2}):0?(\d{1,2})(?![\d:])/g, '$1時$2分'],
      [/(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g, '$1年$2月$3日'],
      [
        /(?<![\d/.])(?=1\D|2\D[3-9]|3\D[4-9]|4\D[5-9]|5\D[6-9]|6\D[7-9]|7\D[89]|8\D9|\d\D10)([1-9])[/⁄](\d|100?)(?![\d/])/g,
        '$2分の$1',
      ],
      [/(?<![\d.\p{L}])[-−](?=\d)/gu, 'まいなす'],
      [/(?<=\d)\s?[-–~〜ー]\s?(?=\d)/g, 'から'],
    ],
    small: ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十'],
  },
  apostrophe: 'goes',
  fillers: '',
  isUnspaced: true,
  examples: {
    letters: ['ﾃﾚﾋﾞ　ＡＢＣ', 'てれび abc'],
    figures: ['千九百八十四年', '1984年'],
  },
  quirks: [
    'Katakana are written as hiragana: テレビ and てれび are one.',
    'Kanji and kana of one word are one only where a list names them (下さい, ください).',
  ],
}
