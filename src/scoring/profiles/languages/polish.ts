import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

const months =
  'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia'

export const polish: SpokenLanguage = {
  id: 'polish@1',
  version: 1,
  language: 'pl',
  purpose: 'Polish speech: numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies:
        'zł złoty|złote|złotych|złotego; pln złoty|złote|złotych|złotego; € euro; eur euro; $ dolar|dolary|dolarów|dolara; £ funt|funty|funtów|funta; ¥ jen|jeny|jenów|jena; ₹ rupia|rupie|rupii|rupii',
      percent: 'procent|procent|procent|procent',
      degrees: 'stopień|stopnie|stopni|stopnia',
      celsius: 'stopień celsjusza|stopnie celsjusza|stopni celsjusza|stopnia celsjusza',
      minus: 'minus',
      to: 'do',
      and: 'i',
      hour: null,
      timeMarks: '.',
      ordinals: [
        /(?<!\d)(\d+)-?(?:szy|gi|ci|ty|my|wy|ego|tego|go|ej|ym)(?!\p{L})/gu,
        new RegExp(
          `(?<!\\d)(\\d+)\\. ?(?=(?:${months.replaceAll(' ', '|')}|roku|wieku|klasa|klasie|piętro|piętrze|miejsce|rocznica)(?!\\p{L}))`,
          'gu',
        ),
      ],
      datesAreOrdinal: true,
      fractions: {
        '1/2': 'jedna druga',
        '1/3': 'jedna trzecia',
        '2/3': 'dwie trzecie',
        '1/4': 'jedna czwarta',
        '3/4': 'trzy czwarte',
      },
      forms: [
        [/(?<!\d ?)godz\.? ?(?=\d)/g, 'godzina '],
        [/nr\.? ?(?=\d)/g, 'numer '],
      ],
    },
    words: {
      cardinals:
        'zero=0 jeden=1 jedna?|jedno?=1 dwa|dwie|dwaj=2 trzy=3 cztery=4 pięć=5 sześć=6 siedem=7 osiem=8 dziewięć=9 dziesięć=10 jedenaście=11 dwanaście=12 ' +
        'trzynaście=13 czternaście=14 piętnaście=15 szesnaście=16 siedemnaście=17 osiemnaście=18 dziewiętnaście=19 dwadzieścia=20 trzydzieści=30 ' +
        'czterdzieści=40 pięćdziesiąt=50 sześćdziesiąt=60 siedemdziesiąt=70 osiemdziesiąt=80 dziewięćdziesiąt=90 sto=100 dwieście=200 trzysta=300 ' +
        'czterysta=400 pięćset=500 sześćset=600 siedemset=700 osiemset=800 dziewięćset=900 tysiąc=1000 tysiące~|tysięcy~|tys~=1000 ' +
        'milion|miliona~|miliony~|milionów~|mln~=1e6 miliard~|miliardy~|miliardów~|mld~=1e9',
      ordinals:
        'pierwsz-=1 trzec-=3 czwart-=4 piąt-=5 szóst-=6 siódm-=7 ósm-=8 dziewiąt-=9 dziesiąt-=10 jedenast-=11 dwunast-=12 trzynast-=13 czternast-=14 piętnast-=15 ' +
        'szesnast-=16 siedemnast-=17 osiemnast-=18 dziewiętnast-=19 dwudziest-=20 trzydziest-=30 czterdziest-=40 pięćdziesiąt-=50 sześćdziesiąt-=60 ' +
        'siedemdziesiąt-=70 osiemdziesiąt-=80 dziewięćdziesiąt-=90 setn-=100 dwusetn-=200 trzechsetn-=300 czterechsetn-=400 pięćsetn-=500 sześćsetn-=600 ' +
        'siedemsetn-=700 osiemsetn-=800 dziewięćsetn-=900 tysięczn-=1000 dwutysięczn-=2000 dru-=2',
      ordinalEndings: 'y ego emu ym a ej ą e i iego iemu im ia iej ią ie gi giego giemu gim ga giej gą gie',
    },
    counted: {
      points: 'przecinek',
      units:
        'km kilometr|kilometry|kilometrów|kilometra; m metr|metry|metrów|metra; cm centymetr|centymetry|centymetrów|centymetra; ' +
        'mm milimetr|milimetry|milimetrów|milimetra; kg kilogram|kilogramy|kilogramów|kilograma; g gram|gramy|gramów|grama; ' +
        'mg miligram|miligramy|miligramów|miligrama; l litr|litry|litrów|litra; ml mililitr|mililitry|mililitrów|mililitra; ' +
        'min minuta|minuty|minut|minuty; s sekunda|sekundy|sekund|sekundy; sek sekunda|sekundy|sekund|sekundy; h godzina|godziny|godzin|godziny; ' +
        'ha hektar|hektary|hektarów|hektara; gr grosz|grosze|groszy|grosza; ' +
        'godz godzina|godziny|godzin|godziny; km/h kilometr na godzinę|kilometry na godzinę|kilometrów na godzinę|kilometra na godzinę; km/godz kilometr na godzinę|kilometry na godzinę|kilometrów na godzinę|kilometra na godzinę; ' +
        'st.c stopień celsjusza|stopnie celsjusza|stopni celsjusza|stopnia celsjusza',
      counted: 'rok lat dzień dni miesiąc tydzień raz',
      numbered: 'numer rozdział strona artykuł część punkt wersja godzina godz',
      ordinalBefore: `${months} roku`,
      pairs: [
        'złoty|złote|złotych,grosz|grosze|groszy,i,99',
        'euro,cent|centy|centów,i,99',
        'godzina|godziny|godzin,minuta|minuty|minut,i,59',
      ],
    },
  },
  months:
    'sty stycznia; lut lutego; mar marca; kwi kwietnia; maj maja; cze czerwca; lip? lipca; sie sierpnia; wrz września; ' +
    'paź października; lis listopada; gru grudnia',
  apostrophe: 'goes',
  fillers: 'eee yyy mmm hmm hm eem yhm',
  phrases: `
np>na przykład
itd>i tak dalej
itp>i tym podobne
m in>między innymi
min in>między innymi
tj>to jest
tzn>to znaczy
tzw>tak zwany
ok>okej
o k>okej
okay>okej
dr>doktor
prof>profesor
mgr>magister
inż>inżynier
ul>ulica
al>aleja
r>roku
św>święty
e mail>email
e maile>emaile
`,
  spellings: `
godz>godzina
`,
  examples: {
    letters: ['„ŁÓDŹ”', '„łódź”'],
    figures: ['3 maja, 25 %', '3 maja, 25 procent '],
    numbers: ['dwadzieścia pięć przecinek trzy procent', '25,3 procent'],
    phrases: ['np dr nowak', 'na przykład doktor nowak'],
    spellings: ['godz', 'godzina'],
  },
  quirks: [
    'A written ordinal has no ending: “3 maja” is trzeci and trzeciego maja.',
    'Cardinal numbers in other cases than the nominative stay words, because their endings are heard.',
  ],
}
