import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const turkish: SpokenLanguage = {
  id: 'turkish@1',
  version: 1,
  language: 'tr',
  purpose:
    'Turkish speech: dotted and dotless i, numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  letters: {
    locale: 'tr',
    // A circumflex may be left out, but not where the word without it is another one: kâr, hâlâ.
    rewrites: [[/(?<=(?<!\p{L})(?!kâr|hâlâ|âdem|âdet|âlem|âlim|âmâ|âşık|dâhi|yâr)\p{L}*)â/gu, 'a']],
    folds: [
      ['î', 'i'],
      ['û', 'u'],
    ],
  },
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies: '₺ lira; tl lira; € euro; $ dolar; £ sterlin; ¥ yen; ₹ rupi',
      percent: 'yüzde',
      degrees: 'derece',
      celsius: 'santigrat derece',
      minus: 'eksi',
      to: 'ila',
      and: 've',
      hour: null,
      timeMarks: '.',
      ordinals: [
        /(?<!\d)(\d+)[' ]?(?:inci|ıncı|uncu|üncü|nci|ncı|ncu|ncü)(?!\p{L})/gu,
        /(?<!\d)(\d+)\. ?(?=(?:sınıf|kat|yüzyıl|bölüm|gün|kez|sıra|madde|dünya|hafta|yıl)\p{L}*)/gu,
      ],
      fractions: {
        '1/2': 'yarım',
        '1/3': 'üçte bir',
        '2/3': 'üçte iki',
        '1/4': 'çeyrek',
        '3/4': 'dörtte üç',
      },
      // The sign is said before the number.
      forms: [
        [/(\d+(?:,\d+)?) ?%/g, 'yüzde $1'],
        [/% ?(?=\d)/g, 'yüzde '],
        [/(\d)'(?=\p{L})/gu, '$1 '],
      ],
    },
    words: {
      cardinals:
        'sıfır=0 bir?=1 iki=2 üç=3 dört=4 beş=5 altı=6 yedi=7 sekiz=8 dokuz=9 on=10 yirmi=20 otuz=30 kırk=40 elli=50 altmış=60 yetmiş=70 seksen=80 ' +
        'doksan=90 yüz=100 bin=1000 milyon~|mn~=1e6 milyar~|mr~=1e9 trilyon~=1e12',
      ordinals:
        'birinci=1 ikinci=2 üçüncü=3 dördüncü=4 beşinci=5 altıncı=6 yedinci=7 sekizinci=8 dokuzuncu=9 onuncu=10 yirminci=20 otuzuncu=30 ' +
        'kırkıncı=40 ellinci=50 altmışıncı=60 yetmişinci=70 sekseninci=80 doksanıncı=90 yüzüncü=100 bininci=1000',
      compounds: { linkers: [] },
      tenTakesOnes: true,
    },
    counted: {
      points: 'virgül',
      units:
        'km kilometre; m metre; cm santimetre; mm milimetre; kg kilogram; g gram; gr gram; mg miligram; l litre; lt litre; ml mililitre; dk dakika; ' +
        'sn saniye; sa saat; ha hektar; gb gigabayt; mb megabayt',
      counted: 'yıl gün ay hafta saat kez kere',
      numbered: 'numara bölüm sayfa madde sürüm saat yüzde',
      pairs: ['lira,kuruş,ve,99', 'dolar,sent,ve,99', 'euro,sent,ve,99', 'saat,dakika,ve,59'],
    },
  },
  months:
    'oca ocak; şub şubat; mar mart; nis nisan; may mayıs; haz haziran; tem temmuz; ağu ağustos; eyl eylül; eki ekim; ' +
    'kas? kasım; ara? aralık',
  apostrophe: 'goes',
  fillers: 'ıı ııı eee ee hmm hm mmm',
  phrases: `
vb>ve benzeri
vs>vesaire
vd>ve diğerleri
örn>örneğin
dr>doktor
prof>profesör
doç>doçent
cad>cadde
sok>sokak
mah>mahalle
no>numara
tel>telefon
km sa>kilometre saat
ok>okey
o k>okey
okay>okey
e posta>eposta
e mail>email
`,
  spellings: `
1>bir
sn>sayın
`,
  examples: {
    letters: ['IĞDIR ve İzmir, kâğıt', 'ığdır ve izmir, kağıt'],
    figures: ['%25, 3. kat', 'yüzde 25, 3º kat'],
    numbers: ['yirmi beş virgül üç kilometre', '25,3 kilometre'],
    phrases: ['örn dr yılmaz', 'örneğin doktor yılmaz'],
    spellings: ['sn', 'sayın'],
  },
  quirks: [
    'A circumflex does not count, but where it makes another word that is often said: kâr, hâlâ, âdet, âlem, âlim, âmâ, âşık, dâhi, yâr.',
    '“bir” alone stays a word, because it is an article too.',
    'An apostrophe before an ending goes: Ankara’da is Ankarada; after a figure it parts: 2020’de is 2020 de.',
  ],
}
