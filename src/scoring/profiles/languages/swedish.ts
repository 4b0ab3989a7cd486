import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

const months = 'januari februari mars april maj juni juli augusti september oktober november december'

export const swedish: SpokenLanguage = {
  id: 'swedish@1',
  version: 1,
  language: 'sv',
  purpose:
    'Swedish speech: numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies: '€ euro; $ dollar; £ pund; kr krona|kronor; sek krona|kronor; ¥ yen; ₹ rupie|rupier',
      percent: 'procent',
      degrees: 'grad|grader',
      celsius: 'grad celsius|grader celsius',
      minus: 'minus',
      to: 'till',
      and: 'och',
      hour: null,
      timeMarks: '.',
      ordinals: [/(?<!\d)(\d+):(?:e|a)(?!\p{L})/gu],
      fractions: {
        '1/2': 'en halv',
        '1/3': 'en tredjedel',
        '2/3': 'två tredjedelar',
        '1/4': 'en fjärdedel',
        '3/4': 'tre fjärdedelar',
      },
      forms: [
        [/(?<=\d):-/g, ' kronor'],
        [/nr\.? ?(?=\d)/g, 'nummer '],
        [/kl\.? ?(?=\d)/g, 'klockan '],
      ],
    },
    words: {
      cardinals:
        'noll=0 en?|ett?=1 två|tu=2 tre=3 fyra=4 fem=5 sex=6 sju=7 åtta=8 nio|nie=9 tio=10 elva=11 tolv=12 tretton=13 fjorton=14 femton=15 sexton=16 ' +
        'sjutton=17 arton|aderton=18 nitton=19 tjugo|tjugi=20 trettio|tretti=30 fyrtio|förtio=40 femtio|femti=50 sextio|sexti=60 sjuttio|sjutti=70 ' +
        'åttio|åtti=80 nittio|nitti=90 hundra=100 tusen|ettusen=1000 miljon~|miljoner~|mn~|milj~=1e6 miljard~|miljarder~|md~|mdr~=1e9',
      ordinals:
        'första|förste=1 andra?|andre?=2 tredje=3 fjärde=4 femte=5 sjätte=6 sjunde=7 åttonde=8 nionde=9 tionde=10 elfte=11 tolfte=12 trettonde=13 ' +
        'fjortonde=14 femtonde=15 sextonde=16 sjuttonde=17 artonde=18 nittonde=19 tjugonde=20 trettionde=30 fyrtionde=40 femtionde=50 ' +
        'sextionde=60 sjuttionde=70 åttionde=80 nittionde=90 hundrade=100 tusende=1000',
      compounds: { linkers: [] },
      and: { word: 'och', after: 'hundreds' },
    },
    counted: {
      points: 'komma',
      units:
        'km kilometer; m meter; cm centimeter; mm millimeter; kg kilogram; g gram; mg milligram; l liter; dl deciliter; ml milliliter; tim timme|timmar; ' +
        'h timme|timmar; min minut|minuter; s sekund|sekunder; sek sekund|sekunder; ha hektar; st stycken; gb gigabyte; mb megabyte',
      counted: 'år dag dagar månad månader vecka veckor gång gånger miljoner',
      numbered: 'nummer kapitel sida artikel del nivå linje punkt version rum klockan',
      ordinalBefore: months,
      pairs: [
        'krona|kronor,öre,och,99',
        'euro,cent,och,99',
        'dollar,cent,och,99',
        'timme|timmar,minut|minuter,och,59',
      ],
    },
  },
  months:
    'jan januari; feb|febr februari; mar mars; apr april; jun juni; jul juli; aug augusti; sep|sept september; okt oktober; ' +
    'nov november; dec december',
  apostrophe: 'goes',
  fillers: 'eh öh öhm ehm hm hmm mhm äh ähm',
  phrases: `
bl a>bland annat
t ex>till exempel
tex>till exempel
osv>och så vidare
o s v>och så vidare
dvs>det vill säga
d v s>det vill säga
m m>med mera
ca>cirka
dr>doktor
prof>professor
t o m>till och med
pga>på grund av
p g a>på grund av
ang>angående
kl>klockan
km h>kilometer i timmen
kilometer per timme>kilometer i timmen
ok>okej
o k>okej
okay>okej
e post>epost
e mail>email
`,
  spellings: `
1>ett
dej>dig
mej>mig
sej>sig
`,
  examples: {
    letters: ['”SVERIGE”', '”sverige”'],
    figures: ['den 3:e maj, 25 %', 'den 3º  maj, 25 procent '],
    numbers: ['tjugofem komma tre procent', '25,3 procent'],
    phrases: ['t ex dr berg', 'till exempel doktor berg'],
    spellings: ['dej', 'dig'],
  },
  quirks: ['“en”, “ett” and “andra” are numbers only next to something that is counted, numbered or dated.'],
}
