import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

const months = 'ledna února března dubna května června července srpna září října listopadu prosince'

export const czech: SpokenLanguage = {
  id: 'czech@1',
  version: 1,
  language: 'cs',
  purpose: 'Czech speech: numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies:
        'kč koruna|koruny|koruny|korun; czk koruna|koruny|koruny|korun; € euro|eura|eura|eur; $ dolar|dolary|dolaru|dolarů; £ libra|libry|libry|liber; ¥ jen|jeny|jenu|jenů; ₹ rupie|rupie|rupie|rupií',
      percent: 'procento|procenta|procenta|procent',
      degrees: 'stupeň|stupně|stupně|stupňů',
      celsius: 'stupeň celsia|stupně celsia|stupně celsia|stupňů celsia',
      minus: 'minus',
      to: 'až',
      and: 'a',
      hour: null,
      timeMarks: '.',
      ordinals: [
        new RegExp(
          `(?<!\\d)(\\d+)\\. ?(?=(?:${months.replaceAll(' ', '|')}|století|třída|třídě|patro|patře|místo|místě|výročí|ročník|den)(?!\\p{L}))`,
          'gu',
        ),
      ],
      datesAreOrdinal: true,
      fractions: {
        '1/2': 'jedna polovina',
        '1/3': 'jedna třetina',
        '2/3': 'dvě třetiny',
        '1/4': 'jedna čtvrtina',
        '3/4': 'tři čtvrtiny',
      },
      forms: [
        [/(?<=\d),(?:-|–)+/g, ''],
        [/č\. ?(?=\d)/g, 'číslo '],
        [/hod\.?(?!\p{L})/gu, 'hodin'],
      ],
    },
    words: {
      cardinals:
        'nula=0 jeden=1 jedna?|jedno?=1 dva|dvě=2 tři=3 čtyři=4 pět=5 šest=6 sedm=7 osm=8 devět=9 deset=10 jedenáct=11 dvanáct=12 třináct=13 čtrnáct=14 ' +
        'patnáct=15 šestnáct=16 sedmnáct=17 osmnáct=18 devatenáct=19 dvacet=20 třicet=30 čtyřicet=40 padesát=50 šedesát=60 sedmdesát=70 ' +
        'osmdesát=80 devadesát=90 sto=100 stě~|sta~|set~=100 tisíc|tis~=1000 tisíce~=1000 milion|milión|miliony~|milióny~|milionů~|miliónů~|mil~=1e6 ' +
        'miliarda~|miliardy~|miliard~|mld~=1e9',
      ordinals:
        'prvn-=1 druh-=2 třet-=3 čtvrt-=4 pát-=5 šest-=6 sedm-=7 osm-=8 devát-=9 desát-=10 jedenáct-=11 dvanáct-=12 třináct-=13 čtrnáct-=14 patnáct-=15 šestnáct-=16 ' +
        'sedmnáct-=17 osmnáct-=18 devatenáct-=19 dvacát-=20 třicát-=30 čtyřicát-=40 padesát-=50 šedesát-=60 sedmdesát-=70 osmdesát-=80 devadesát-=90 st-=100 ' +
        'dvoust-=200 třist-=300 čtyřst-=400 pětist-=500 tisíc-=1000',
      compounds: { linkers: ['a'] },
      isInverted: 'too',
      ordinalEndings: 'í ího ímu ím ý ého ému ém ým á é ou',
    },
    counted: {
      points: 'čárka celá celé celých',
      units:
        'km kilometr|kilometry|kilometru|kilometrů; m metr|metry|metru|metrů; cm centimetr|centimetry|centimetru|centimetrů; ' +
        'mm milimetr|milimetry|milimetru|milimetrů; kg kilogram|kilogramy|kilogramu|kilogramů; g gram|gramy|gramu|gramů; ' +
        'mg miligram|miligramy|miligramu|miligramů; l litr|litry|litru|litrů; ml mililitr|mililitry|mililitru|mililitrů; ' +
        'min minuta|minuty|minuty|minut; s sekunda|sekundy|sekundy|sekund; h hodina|hodiny|hodiny|hodin; ha hektar|hektary|hektaru|hektarů; ' +
        'km/h kilometr za hodinu|kilometry za hodinu|kilometru za hodinu|kilometrů za hodinu',
      counted: 'rok let den dní měsíc týden krát',
      numbered: 'číslo kapitola strana článek část bod verze',
      ordinalBefore: months,
      pairs: [
        'koruna|koruny|korun,haléř|haléře|haléřů,a,99',
        'euro|eura|eur,cent|centy|centů,a,99',
        'hodina|hodiny|hodin,minuta|minuty|minut,a,59',
      ],
    },
  },
  months:
    'led ledna; úno února; bře března; dub dubna; kvě května; čvn června; čvc července; srp srpna; zář září; říj října; ' +
    'lis listopadu',
  apostrophe: 'goes',
  fillers: 'ehm ééé hmm hm mmm eee',
  phrases: `
např>například
atd>a tak dále
apod>a podobně
tj>to jest
tzn>to znamená
tzv>takzvaný
mj>mimo jiné
dr>doktor
mudr>doktor
prof>profesor
ing>inženýr
ul>ulice
nám>náměstí
hod>hodin
ok>okej
o k>okej
okay>okej
e mail>email
e maily>emaily
`,
  spellings: `
citron>citrón
balkon>balkón
kurs>kurz
kursy>kurzy
diskuse>diskuze
president>prezident
filosofie>filozofie
universita>univerzita
`,
  examples: {
    letters: ['„ČESKO“', '„česko“'],
    figures: ['3. května, 25 %', '3º května, 25 procent '],
    numbers: ['dvacet pět celá tři procenta', '25,3 procenta'],
    phrases: ['např dr novák', 'například doktor novák'],
    spellings: ['kurs', 'kurz'],
  },
  quirks: [
    'A written ordinal has no ending: “3. května” is třetí and třetího května.',
    'Cardinal numbers in other cases than the nominative stay words, because their endings are heard.',
  ],
}
