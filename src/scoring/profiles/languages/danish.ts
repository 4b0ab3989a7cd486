import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

const months = 'januar februar marts april maj juni juli august september oktober november december'

export const danish: SpokenLanguage = {
  id: 'danish@1',
  version: 1,
  language: 'da',
  purpose: 'Danish speech: numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies: '€ euro; $ dollar; £ pund; kr krone|kroner; dkk krone|kroner; ¥ yen; ₹ rupee|rupees',
      percent: 'procent',
      degrees: 'grad|grader',
      celsius: 'grad celsius|grader celsius',
      minus: 'minus',
      to: 'til',
      and: 'og',
      hour: null,
      timeMarks: '.',
      ordinals: [
        new RegExp(
          `(?<!\\d)(\\d+)\\. ?(?=(?:${months.replaceAll(' ', '|')}|århundrede|gang|sal|plads|klasse|division)(?!\\p{L}))`,
          'gu',
        ),
        /(?<=(?<!\p{L})(?:den|det|de) )(\d+)\.(?!\d)/gu,
      ],
      datesAreOrdinal: true,
      fractions: {
        '1/2': 'en halv',
        '1/3': 'en tredjedel',
        '2/3': 'to tredjedele',
        '1/4': 'en fjerdedel',
        '3/4': 'tre fjerdedele',
      },
      forms: [
        [/(?<=\d),-/g, ''],
        [/nr\.? ?(?=\d)/g, 'nummer '],
        [/kl\.? ?(?=\d)/g, 'klokken '],
      ],
    },
    words: {
      cardinals:
        'nul=0 en?|et?|én|ét=1 to=2 tre=3 fire=4 fem=5 seks=6 syv=7 otte=8 ni=9 ti=10 elleve=11 tolv=12 tretten=13 fjorten=14 femten=15 seksten=16 ' +
        'sytten=17 atten=18 nitten=19 tyve=20 tredive=30 fyrre|fyrretyve=40 halvtreds|halvtredsindstyve=50 tres|tresindstyve=60 ' +
        'halvfjerds|halvfjerdsindstyve=70 firs|firsindstyve=80 halvfems|halvfemsindstyve=90 hundrede|hundred=100 tusind|tusinde=1000 ' +
        'million~|millioner~|mio~=1e6 milliard~|milliarder~|mia~=1e9',
      ordinals:
        'første=1 anden?|andet?=2 tredje=3 fjerde=4 femte=5 sjette=6 syvende=7 ottende=8 niende=9 tiende=10 ellevte|elvte=11 tolvte=12 trettende=13 ' +
        'fjortende=14 femtende=15 sekstende=16 syttende=17 attende=18 nittende=19 tyvende=20 tredivte=30 fyrretyvende=40 halvtredsindstyvende=50 ' +
        'tresindstyvende=60 halvfjerdsindstyvende=70 firsindstyvende=80 halvfemsindstyvende=90 hundredede=100 tusindede=1000',
      compounds: { linkers: ['og'] },
      isInverted: 'always',
      and: { word: 'og', after: 'hundreds' },
      saysYearsInPairs: true,
    },
    counted: {
      points: 'komma',
      units:
        'km kilometer; m meter; cm centimeter; mm millimeter; kg kilogram; g gram; mg milligram; l liter; dl deciliter; ml milliliter; t time|timer; ' +
        'min minut|minutter; s sekund|sekunder; sek sekund|sekunder; ha hektar; stk styk; gb gigabyte; mb megabyte',
      counted: 'år dag dage måned måneder uge uger gang gange',
      numbered: 'nummer kapitel side artikel del niveau punkt version klokken',
      ordinalBefore: months,
      pairs: [
        'krone|kroner,øre,og,99',
        'euro,cent,og,99',
        'dollar,cent,og,99',
        'time|timer,minut|minutter,og,59',
      ],
    },
  },
  months:
    'jan januar; feb|febr februar; mar marts; apr april; jun juni; jul juli; aug august; sep|sept september; okt oktober; ' +
    'nov november; dec december',
  apostrophe: 'goes',
  fillers: 'øh øhm æh hm hmm mhm eh ehm',
  phrases: `
bl a>blandt andet
f eks>for eksempel
feks>for eksempel
osv>og så videre
o s v>og så videre
dvs>det vil sige
d v s>det vil sige
m m>med mere
mv>med videre
m v>med videre
ca>cirka
dr>doktor
prof>professor
hr>herr
pga>på grund af
p g a>på grund af
kl>klokken
km t>kilometer i timen
kilometer per time>kilometer i timen
km h>kilometer i timen
ok>okay
o k>okay
okey>okay
e mail>email
e mails>emails
`,
  spellings: `
ressource>resurse
ressourcer>resurser
mayonnaise>majonæse
linie>linje
`,
  examples: {
    letters: ['»DANMARK«', '»danmark«'],
    figures: ['den 3. maj, 25 %', 'den 3º maj, 25 procent '],
    numbers: ['femogtyve komma tre procent', '25,3 procent'],
    phrases: ['f eks dr holm', 'for eksempel doktor holm'],
    spellings: ['linie', 'linje'],
  },
  quirks: ['“en”, “et” and “anden” are numbers only next to something that is counted, numbered or dated.'],
}
