import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const dutch: SpokenLanguage = {
  id: 'dutch@1',
  version: 1,
  language: 'nl',
  purpose: 'Dutch speech: numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies: '€ euro; eur euro; $ dollar; £ pond; ¥ yen; ₹ roepie',
      percent: 'procent',
      degrees: 'graad|graden',
      celsius: 'graad celsius|graden celsius',
      minus: 'min',
      to: 'tot',
      and: 'en',
      hour: 'uur',
      ordinals: [/(?<!\d)(\d+)-?(?:ste|de|e)(?!\p{L})/gu],
      fractions: {
        '1/2': 'een half',
        '1/3': 'een derde',
        '2/3': 'twee derde',
        '1/4': 'een kwart',
        '3/4': 'drie kwart',
      },
      forms: [
        [/(\d{1,2})\.(\d{2}) (?:uur|u(?!\p{L}))/gu, '$1:$2'],
        [/nr\. ?(?=\d)/g, 'nummer '],
        [/(?<=\d),-/g, ''],
      ],
    },
    words: {
      cardinals:
        'nul=0 één=1 een?=1 twee=2 drie=3 vier=4 vijf=5 zes=6 zeven=7 acht=8 negen=9 tien=10 elf=11 twaalf=12 dertien=13 veertien=14 vijftien=15 ' +
        'zestien=16 zeventien=17 achttien=18 negentien=19 twintig=20 dertig=30 veertig=40 vijftig=50 zestig=60 zeventig=70 tachtig=80 negentig=90 ' +
        'honderd=100 duizend=1000 miljoen~|miljoenen~|mln~=1e6 miljard~|miljarden~|mld~=1e9',
      ordinals:
        'eerste=1 tweede=2 derde=3 vierde=4 vijfde=5 zesde=6 zevende=7 achtste=8 negende=9 tiende=10 elfde=11 twaalfde=12 dertiende=13 veertiende=14 ' +
        'vijftiende=15 zestiende=16 zeventiende=17 achttiende=18 negentiende=19 twintigste=20 dertigste=30 veertigste=40 vijftigste=50 ' +
        'zestigste=60 zeventigste=70 tachtigste=80 negentigste=90 honderdste=100 duizendste=1000',
      compounds: { linkers: ['en', 'ën'] },
      isInverted: 'always',
      and: { word: 'en', after: 'hundreds' },
      saysYearsInPairs: true,
    },
    counted: {
      points: 'komma',
      units:
        'km kilometer; m meter; cm centimeter; mm millimeter; kg kilogram; g gram; mg milligram; l liter; ml milliliter; u uur; min minuut|minuten; ' +
        's seconde|seconden; sec seconde|seconden; ha hectare; gb gigabyte; mb megabyte; ct cent',
      counted: 'jaar dag dagen maand maanden week weken keer',
      numbered: 'nummer hoofdstuk pagina artikel deel niveau lijn punt versie kamer',
      pairs: ['euro,cent,en,99', 'dollar,cent,en,99', 'uur,minuten|minuut,en,59'],
    },
  },
  months:
    'jan januari; feb|febr februari; mrt maart; apr april; jun juni; jul juli; aug augustus; sep|sept september; ' +
    'okt oktober; nov november; dec december',
  apostrophe: 'belongs',
  fillers: 'eh ehm uh uhm hm hmm mhm',
  phrases: `
enz>enzovoort
etc>et cetera
bijv>bijvoorbeeld
bv>bijvoorbeeld
dhr>de heer
mevr>mevrouw
mw>mevrouw
dr>dokter
prof>professor
drs>doctorandus
ca>circa
blz>bladzijde
d w z>dat wil zeggen
dwz>dat wil zeggen
o a>onder andere
oa>onder andere
m b t>met betrekking tot
mbt>met betrekking tot
t m>tot en met
km u>kilometer per uur
km h>kilometer per uur
ok>oké
o k>oké
okay>oké
e mail>email
e mails>emails
zo n>zo'n
`,
  spellings: `
produkt>product
produkten>producten
kontakt>contact
aktie>actie
pannekoek>pannenkoek
pannekoeken>pannenkoeken
`,
  examples: {
    letters: ['“IJsland”', '“ijsland”'],
    figures: ['de 3e dag om 10:30 uur', 'de 3º  dag om 10 uur 30'],
    numbers: ['vijfentwintig komma drie procent', '25,3 procent'],
    phrases: ['bijv dhr jansen', 'bijvoorbeeld de heer jansen'],
    spellings: ['produkt', 'product'],
  },
  quirks: ['“een” is the number one only next to something that is counted; “één” always is.'],
}
