import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

const determiners =
  'der|die|das|dem|den|des|am|im|vom|zum|zur|beim|ans|ins|seit|jede[rsnm]?|ihre[rsnm]?|seine[rsnm]?|meine[rsnm]?|unsere?[rsnm]?|ein|eine[rsnm]?|und der|und die'
const months = 'januar jänner februar märz april mai juni juli august september oktober november dezember'

export const german: SpokenLanguage = {
  id: 'german@1',
  version: 1,
  language: 'de',
  purpose: 'German speech: numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies: '€ euro; eur euro; $ dollar; £ pfund; chf franken; ¥ yen; ₹ rupie|rupien',
      percent: 'prozent',
      degrees: 'grad',
      celsius: 'grad celsius',
      minus: 'minus',
      to: 'bis',
      and: 'und',
      hour: 'uhr',
      ordinals: [
        new RegExp(`(?<=(?<!\\p{L})(?:${determiners}) )(\\d+)\\.(?!\\d)`, 'gu'),
        new RegExp(
          `(?<!\\d)(\\d+)\\. ?(?=(?:${months.replaceAll(' ', '|')}|jahrhundert|jh|mal|platz|stock|klasse|weltkrieg)(?!\\p{L}))`,
          'gu',
        ),
        /(?<!\d)(\d+)-?(?:ste|te)[rnsm]?(?!\p{L})/gu,
      ],
      datesAreOrdinal: true,
      fractions: {
        '1/2': 'ein halb',
        '1/4': 'ein viertel',
        '3/4': 'drei viertel',
        '1/3': 'ein drittel',
        '2/3': 'zwei drittel',
      },
      forms: [
        [/(\d{1,2})[.:](\d{2}) uhr/g, '$1:$2 uhr'],
        [/(?<=\d),(?:-|–|—)+/g, ''],
        [/§ ?(?=\d)/g, 'paragraf '],
        [/nr\. ?(?=\d)/g, 'nummer '],
      ],
    },
    words: {
      cardinals:
        'null=0 eins=1 ein?|eine?|einen?|einem?|einer?=1 zwei|zwo=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12 ' +
        'dreizehn=13 vierzehn=14 fünfzehn=15 sechzehn=16 siebzehn=17 achtzehn=18 neunzehn=19 zwanzig=20 dreißig|dreissig=30 vierzig=40 ' +
        'fünfzig=50 sechzig=60 siebzig=70 achtzig=80 neunzig=90 hundert=100 tausend=1000 million~|millionen~|mio~=1e6 milliarde~|milliarden~|mrd~=1e9 ' +
        'billion~|billionen~=1e12',
      ordinals:
        'erst-=1 zweit-=2 dritt-=3 viert-=4 fünft-=5 sechst-=6 siebt-|siebent-=7 acht-=8 neunt-=9 zehnt-=10 elft-=11 zwölft-=12 dreizehnt-=13 vierzehnt-=14 ' +
        'fünfzehnt-=15 sechzehnt-=16 siebzehnt-=17 achtzehnt-=18 neunzehnt-=19 zwanzigst-=20 dreißigst-|dreissigst-=30 vierzigst-=40 fünfzigst-=50 ' +
        'sechzigst-=60 siebzigst-=70 achtzigst-=80 neunzigst-=90 hundertst-=100 tausendst-=1000',
      ordinalEndings: 'e er en es em',
      compounds: { linkers: ['und'] },
      isInverted: 'always',
    },
    counted: {
      points: 'komma',
      units:
        'km kilometer; m meter; cm zentimeter; mm millimeter; kg kilogramm; g gramm; mg milligramm; l liter; ml milliliter; h stunde|stunden; ' +
        'std stunde|stunden; min minute|minuten; s sekunde|sekunden; sek sekunde|sekunden; t tonne|tonnen; ha hektar; mb megabyte; gb gigabyte; ' +
        'kw kilowatt; kwh kilowattstunde|kilowattstunden; kmh stundenkilometer; ct cent; jh jahrhundert',
      counted: 'jahr jahre tag tage monat monate woche wochen',
      numbered: 'nummer kapitel seite platz zimmer gleis linie band teil punkt paragraf artikel version',
      ordinalBefore: months,
      pairs: ['euro,cent,und,99', 'dollar,cent,und,99', 'franken,rappen,und,99', 'uhr,minuten minute,und,59'],
    },
  },
  months:
    'jan januar; feb|febr februar; mär|mrz märz; apr april; jun juni; jul juli; aug august; sep|sept september; okt oktober; ' +
    'nov november; dez dezember',
  apostrophe: 'goes',
  fillers: 'äh ähm ähh öh öhm hm hmm mhm eh ehm',
  phrases: `
zb>zum beispiel
z b>zum beispiel
usw>und so weiter
u s w>und so weiter
bzw>beziehungsweise
dh>das heißt
d h>das heißt
ua>unter anderem
u a>unter anderem
zt>zum teil
z t>zum teil
ca>circa
zirka>circa
evtl>eventuell
ggf>gegebenenfalls
inkl>inklusive
max>maximal
mind>mindestens
dr>doktor
prof>professor
fr>frau
hr>herr
str>straße
strasse>straße
st>sankt
vs>versus
km h>stundenkilometer
kilometer pro stunde>stundenkilometer
e mail>email
e mails>emails
t shirt>tshirt
t shirts>tshirts
o k>okay
ok>okay
okey>okay
so dass>sodass
so daß>sodass
auf grund>aufgrund
zu hause>zuhause
nach hause>nachhause
an hand>anhand
mit hilfe>mithilfe
zu gunsten>zugunsten
an stelle>anstelle
`,
  spellings: `
daß>dass
muß>muss
mußte>musste
mußten>mussten
müßte>müsste
läßt>lässt
laß>lass
bißchen>bisschen
wußte>wusste
gewußt>gewusst
fluß>fluss
schluß>schluss
kuß>kuss
schloß>schloss
prozeß>prozess
ißt>isst
vergißt>vergisst
häßlich>hässlich
rußland>russland
photo>foto
photos>fotos
telephon>telefon
phantasie>fantasie
graphik>grafik
biographie>biografie
geographie>geografie
mikrophon>mikrofon
potential>potenzial
delphin>delfin
`,
  examples: {
    letters: ['ＷＥＲ „Große“', 'wer „große“'],
    figures: ['am 3. Mai um 10.30 Uhr, 1.000 €'.toLowerCase(), 'am 3º  mai um 10 uhr 30,  1000 euro '],
    numbers: ['einundzwanzig km und fünf komma drei prozent', '21 kilometer und 5,3 prozent'],
    phrases: ['z b dr meier', 'zum beispiel doktor meier'],
    spellings: ['daß', 'dass'],
  },
  quirks: [
    'A written ordinal has no ending: “3.” is dritte, dritter, dritten and drittes.',
    'ß and ss are two letters; only words that the spelling reform changed are one (daß, dass).',
  ],
}
