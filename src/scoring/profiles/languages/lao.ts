import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const lao: SpokenLanguage = {
  id: 'lao@1',
  version: 1,
  language: 'lo',
  purpose:
    'Lao speech: ligatures, the order of marks, Lao digits, numbers, times, currencies and spaces do not count.',
  letters: {
    rewrites: [
      [/ເເ/g, 'ແ'],
      [/([່-໋])ໍາ/g, 'ໍ$1າ'],
      [/ໍ([່-໋])າ/g, '$1ຳ'],
      [/ໍາ/g, 'ຳ'],
      [/ ?ໆ/g, 'ໆ'],
    ],
  },
  numbers: null,
  unspacedNumbers: {
    words: {
      cardinals:
        'ສູນ=0 ຫນຶ່ງ|ຫນື່ງ|ເອັດ=1 ສອງ=2 ສາມ=3 ສີ່=4 ຫ້າ=5 ຫົກ=6 ເຈັດ=7 ແປດ=8 ເກົ້າ|ເກ້າ=9 ສິບ=10 ຊາວ=20 ສາມສິບ=30 ສີ່ສິບ=40 ຫ້າສິບ=50 ຫົກສິບ=60 ເຈັດສິບ=70 ' +
        'ແປດສິບ=80 ເກົ້າສິບ|ເກ້າສິບ=90 ຮ້ອຍ~=100 ພັນ~=1000 ຫມື່ນ~=10000 ແສນ~=100000 ລ້ານ~=1000000',
      tenTakesOnes: true,
    },
    forms: [
      [/(?<![\d.:])0?(\d{1,2}):00(?![\d:])/g, '$1ໂມງ'],
      [/(?<![\d.:])0?(\d{1,2}):0?(\d{1,2})(?![\d:])/g, '$1ໂມງ$2ນາທີ'],
      [/₭\s?(\d+(?:\.\d+)?)/g, '$1ກີບ'],
      [/\$\s?(\d+(?:\.\d+)?)/g, '$1ໂດລາ'],
      [/(?<=\d)\s?%/g, 'ເປີເຊັນ'],
      [/(?<=\d)\s?km(?![a-z])/g, 'ກິໂລແມັດ'],
      [/(?<=\d)\s?kg(?![a-z])/g, 'ກິໂລກຣາມ'],
      [/(?<![\d.\p{L}])[-−](?=\d)/gu, 'ລົບ'],
      [/(?<=\d)\s?[-–~]\s?(?=\d)/g, 'ຫາ'],
    ],
    small: ['ສູນ', 'ຫນຶ່ງ', 'ສອງ', 'ສາມ', 'ສີ່', 'ຫ້າ', 'ຫົກ', 'ເຈັດ', 'ແປດ', 'ເກົ້າ', 'ສິບ'],
  },
  apostrophe: 'goes',
  fillers: '',
  isUnspaced: true,
  examples: {
    letters: ['໒໕ ໝາ', '25 ຫມາ'],
    figures: ['ຊາວຫ້າຄົນ', '25ຄົນ'],
  },
  quirks: [
    'Numbers up to ten are written as words and larger ones as figures, whichever way they are written.',
  ],
}
