import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

/** Old and new place of the tone mark: hoà is hòa, thuý is thúy. */
const toneMarks = ['oa', 'oe', 'uy'].flatMap(([first = '', second = '']) =>
  Array.from('\u0300\u0301\u0303\u0309\u0323', (mark): [RegExp, string] => [
    new RegExp(`(?<!q)${(first + second + mark).normalize('NFC')}(?!\\p{L})`, 'gu'),
    (first + mark + second).normalize('NFC'),
  ]),
)

export const vietnamese: SpokenLanguage = {
  id: 'vietnamese@1',
  version: 1,
  language: 'vi',
  purpose:
    'Vietnamese speech: the place of tone marks, numbers, dates, times, currencies and units do not count.',
  letters: { rewrites: toneMarks, folds: [['ð', 'đ']] },
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies: '₫ đồng; đ đồng; vnđ đồng; $ đô la; € euro; £ bảng; ¥ yên; ₹ rupee',
      percent: 'phầntrăm',
      degrees: 'độ',
      celsius: 'độ c',
      minus: 'âm',
      to: 'đến',
      and: 'và',
      hour: 'giờ',
      timeMarks: 'h',
      forms: [[/(?<=\d) ?h(?!\p{L}|\d)/gu, ' giờ']],
    },
    words: {
      cardinals:
        'không?=0 một|mốt=1 hai=2 ba=3 bốn|tư?=4 năm|lăm|nhăm=5 sáu=6 bảy|bẩy=7 tám=8 chín=9 mười=10 haimươi=20 bamươi=30 bốnmươi=40 nămmươi=50 ' +
        'sáumươi=60 bảymươi=70 támmươi=80 chínmươi=90 trăm~=100 nghìn~|ngàn~=1000 triệu~=1e6 tỷ~|tỉ~=1e9',
      tenTakesOnes: true,
      and: { word: 'lẻ', after: 'hundreds' },
    },
    counted: {
      points: 'phẩy',
      units: 'km ki lô mét; m mét; cm xăng ti mét; kg ki lô gam; g gam; l lít; ml mi li lít',
      counted: 'trăm',
      pairs: ['giờ,phút,và,59'],
    },
  },
  apostrophe: 'goes',
  fillers: 'ừm ờm hừm',
  phrases: `
kilômét giờ>ki lô mét trên giờ
kilôgam>ki lô gam
xentimét>xăng ti mét
thg>tháng
hai mươi>haimươi
ba mươi>bamươi
bốn mươi>bốnmươi
năm mươi>nămmươi
sáu mươi>sáumươi
bảy mươi>bảymươi
bẩy mươi>bảymươi
tám mươi>támmươi
chín mươi>chínmươi
linh>lẻ
nghìn không trăm>nghìn
ngàn không trăm>ngàn
phần trăm>phầntrăm
tp>thành phố
ts>tiến sĩ
ths>thạc sĩ
gs>giáo sư
pgs>phó giáo sư
vv>vân vân
v v>vân vân
kilômét>ki lô mét
km h>ki lô mét trên giờ
km giờ>ki lô mét trên giờ
ki lô mét giờ>ki lô mét trên giờ
`,
  spellings: `
kĩ>kỹ
kỉ>kỷ
mĩ>mỹ
lí>lý
kí>ký
quí>quý
hi>hy
sỹ>sĩ
`,
  examples: {
    letters: ['hoà thuý', 'hòa thúy'],
    figures: ['10h30', '10 giờ 30'],
    numbers: ['haimươi lăm', '25'],
    phrases: ['tp', 'thành phố'],
    spellings: ['kĩ', 'kỹ'],
  },
  quirks: [
    'mốt and một, tư and bốn, lăm and năm are one in figures.',
    'năm is five and year: both become a figure, on both sides.',
  ],
}
