import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

const months = 'januar februar mars april mai juni juli august september oktober november desember'

export const norwegian: SpokenLanguage = {
  id: 'norwegian@1',
  version: 1,
  language: 'nb',
  purpose:
    'Norwegian speech (Bokmål): numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies: '€ euro; $ dollar; £ pund; kr krone|kroner; nok krone|kroner; ¥ yen; ₹ rupi|rupier',
      percent: 'prosent',
      degrees: 'grad|grader',
      celsius: 'grad celsius|grader celsius',
      minus: 'minus',
      to: 'til',
      and: 'og',
      hour: null,
      timeMarks: '.',
      ordinals: [
        new RegExp(
          `(?<!\\d)(\\d+)\\. ?(?=(?:${months.replaceAll(' ', '|')}|århundre|gang|etasje|plass|klasse|divisjon)(?!\\p{L}))`,
          'gu',
        ),
        /(?<=(?<!\p{L})(?:den|det|de) )(\d+)\.(?!\d)/gu,
      ],
      datesAreOrdinal: true,
      fractions: {
        '1/2': 'en halv',
        '1/3': 'en tredel',
        '2/3': 'to tredeler',
        '1/4': 'en firedel',
        '3/4': 'tre firedeler',
      },
      forms: [
        [/(?<=\d),-/g, ''],
        [/nr\.? ?(?=\d)/g, 'nummer '],
        [/kl\.? ?(?=\d)/g, 'klokken '],
      ],
    },
    words: {
      cardinals:
        'null=0 en?|ei?|et?|én|ett=1 to=2 tre=3 fire=4 fem=5 seks=6 sju|syv=7 åtte=8 ni=9 ti=10 elleve=11 tolv=12 tretten=13 fjorten=14 femten=15 seksten=16 ' +
        'sytten=17 atten=18 nitten=19 tjue|tyve=20 tretti|tredve=30 førti=40 femti=50 seksti=60 sytti=70 åtti=80 nitti=90 hundre=100 tusen=1000 ' +
        'million~|millioner~|mill~=1e6 milliard~|milliarder~|mrd~=1e9',
      ordinals:
        'første=1 andre?|annen?=2 tredje=3 fjerde=4 femte=5 sjette=6 sjuende|syvende=7 åttende=8 niende=9 tiende=10 ellevte=11 tolvte=12 trettende=13 ' +
        'fjortende=14 femtende=15 sekstende=16 syttende=17 attende=18 nittende=19 tjuende|tyvende=20 trettiende=30 førtiende=40 femtiende=50 ' +
        'sekstiende=60 syttiende=70 åttiende=80 nittiende=90 hundrede=100 tusende=1000',
      compounds: { linkers: ['og'] },
      and: { word: 'og', after: 'hundreds' },
      saysYearsInPairs: true,
    },
    counted: {
      points: 'komma',
      units:
        'km kilometer; m meter; cm centimeter; mm millimeter; kg kilogram; g gram; mg milligram; l liter; dl desiliter; ml milliliter; t time|timer; ' +
        'min minutt|minutter; s sekund|sekunder; sek sekund|sekunder; ha hektar; stk stykk; gb gigabyte; mb megabyte',
      counted: 'år dag dager måned måneder uke uker gang ganger',
      numbered: 'nummer kapittel side artikkel del nivå punkt versjon klokken',
      ordinalBefore: months,
      pairs: [
        'krone|kroner,øre,og,99',
        'euro,cent,og,99',
        'dollar,cent,og,99',
        'time|timer,minutt|minutter,og,59',
      ],
    },
  },
  months:
    'jan januar; feb|febr februar; mar mars; apr april; jun juni; jul juli; aug august; sep|sept september; okt oktober; ' +
    'nov november; des desember',
  apostrophe: 'goes',
  fillers: 'eh ehm øh øhm hm hmm mhm',
  phrases: `
bl a>blant annet
f eks>for eksempel
feks>for eksempel
osv>og så videre
o s v>og så videre
dvs>det vil si
d v s>det vil si
m m>med mer
mv>med videre
m v>med videre
ca>cirka
dr>doktor
prof>professor
pga>på grunn av
p g a>på grunn av
kl>klokken
km t>kilometer i timen
kilometer per time>kilometer i timen
km h>kilometer i timen
ok>okei
o k>okei
okay>okei
e post>epost
e mail>email
`,
  spellings: `
linie>linje
`,
  examples: {
    letters: ['«NORGE»', '«norge»'],
    figures: ['den 3. mai, 25 %', 'den 3º mai, 25 prosent '],
    numbers: ['tjuefem komma tre prosent', '25,3 prosent'],
    phrases: ['f eks dr berg', 'for eksempel doktor berg'],
    spellings: ['linie', 'linje'],
  },
  quirks: [
    '“en”, “ei”, “et” and “andre” are numbers only next to something that is counted, numbered or dated.',
    'Both ways to say a number are one in figures: tjuefem is 25, sju and syv are 7.',
  ],
}
