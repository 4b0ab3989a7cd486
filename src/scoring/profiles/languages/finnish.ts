import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

const months =
  'tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta ' +
  'tammikuun helmikuun maaliskuun huhtikuun toukokuun kesäkuun heinäkuun elokuun syyskuun lokakuun marraskuun joulukuun'

export const finnish: SpokenLanguage = {
  id: 'finnish@1',
  version: 1,
  language: 'fi',
  purpose:
    'Finnish speech: numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '',
      currencies: '€ euro|euroa; $ dollari|dollaria; £ punta|puntaa; ¥ jeni|jeniä; ₹ rupia|rupiaa',
      percent: 'prosentti|prosenttia',
      degrees: 'aste|astetta',
      celsius: 'celsiusaste|celsiusastetta',
      minus: 'miinus',
      to: 'viiva',
      and: 'ja',
      hour: null,
      timeMarks: '.',
      ordinals: [
        new RegExp(
          `(?<!\\d)(\\d+)\\. ?(?=(?:${months.replaceAll(' ', '|')}|kerta|kerran|luokka|kerros|sija|vuosisata|vuosisadan|päivä)(?!\\p{L}))`,
          'gu',
        ),
        /(?<!\d)(\d+):s(?!\p{L})/gu,
      ],
      datesAreOrdinal: true,
      fractions: {
        '1/2': 'puoli',
        '1/3': 'kolmasosa',
        '2/3': 'kaksi kolmasosaa',
        '1/4': 'neljäsosa',
        '3/4': 'kolme neljäsosaa',
      },
      forms: [[/klo\.? ?(?=\d)/g, 'kello ']],
    },
    words: {
      cardinals:
        'nolla=0 yksi=1 kaksi=2 kolme=3 neljä=4 viisi=5 kuusi=6 seitsemän=7 kahdeksan=8 yhdeksän=9 kymmenen|kymmentä=10 yksitoista=11 kaksitoista=12 ' +
        'kolmetoista=13 neljätoista=14 viisitoista=15 kuusitoista=16 seitsemäntoista=17 kahdeksantoista=18 yhdeksäntoista=19 kaksikymmentä=20 ' +
        'kolmekymmentä=30 neljäkymmentä=40 viisikymmentä=50 kuusikymmentä=60 seitsemänkymmentä=70 kahdeksankymmentä=80 yhdeksänkymmentä=90 ' +
        'sata=100 sataa~=100 tuhat=1000 tuhatta~=1000 miljoona~|miljoonaa~|milj~=1e6 miljardi~|miljardia~|mrd~=1e9',
      ordinals:
        'ensimmäinen=1 toinen?=2 kolmas=3 neljäs=4 viides=5 kuudes=6 seitsemäs=7 kahdeksas=8 yhdeksäs=9 kymmenes=10 yhdestoista=11 kahdestoista=12 ' +
        'kolmastoista=13 neljästoista=14 viidestoista=15 kuudestoista=16 seitsemästoista=17 kahdeksastoista=18 yhdeksästoista=19 ' +
        'kahdeskymmenes|kaksikymmenes=20 yhdes=1 kahdes=2 sadas|satas=100 tuhannes=1000 kolmaskymmenes|kolmekymmenes=30 neljäskymmenes=40 viideskymmenes=50 ' +
        'kuudeskymmenes=60 seitsemäskymmenes=70 kahdeksaskymmenes=80 yhdeksäskymmenes=90',
      compounds: { linkers: [] },
    },
    counted: {
      points: 'pilkku',
      units:
        'km kilometri|kilometriä; m metri|metriä; cm senttimetri|senttimetriä; mm millimetri|millimetriä; kg kilogramma|kilogrammaa; g gramma|grammaa; ' +
        'mg milligramma|milligrammaa; l litra|litraa; dl desilitra|desilitraa; ml millilitra|millilitraa; h tunti|tuntia; t tunti|tuntia; ' +
        'min minuutti|minuuttia; s sekunti|sekuntia; ha hehtaari|hehtaaria; kpl kappale|kappaletta; ' +
        'km/h kilometri tunnissa|kilometriä tunnissa',
      ordinalBefore: months,
      pairs: [
        'euro|euroa,sentti|senttiä,ja,99',
        'dollari|dollaria,sentti|senttiä,ja,99',
        'tunti|tuntia,minuutti|minuuttia,ja,59',
      ],
    },
  },
  months:
    'tammik tammikuuta; helmik helmikuuta; maalisk maaliskuuta; huhtik huhtikuuta; toukok toukokuuta; kesäk kesäkuuta; ' +
    'heinäk heinäkuuta; elok elokuuta; syysk syyskuuta; lokak lokakuuta; marrask marraskuuta; jouluk joulukuuta',
  apostrophe: 'goes',
  fillers: 'öö ööö öh hmm hm mm mmm ää eee',
  phrases: `
esim>esimerkiksi
jne>ja niin edelleen
ym>ynnä muuta
yms>ynnä muuta sellaista
ks>katso
nk>niin kutsuttu
ns>niin sanottu
tri>tohtori
prof>professori
klo>kello
puh>puhelin
ok>okei
o k>okei
okay>okei
`,
  examples: {
    letters: ['”ÄITI”', '”äiti”'],
    figures: ['3. toukokuuta klo 10.30', '3º toukokuuta kello 10 30'],
    numbers: ['kaksikymmentäviisi pilkku kolme prosenttia', '25,3 prosenttia'],
    phrases: ['esim tri virta', 'esimerkiksi tohtori virta'],
  },
  quirks: ['Numbers in other cases than the nominative stay words, because their endings are heard.'],
}
