import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const italian: SpokenLanguage = {
  id: 'italian@1',
  version: 1,
  language: 'it',
  purpose:
    'Italian speech: numbers, dates, times, currencies, units, abbreviations, elisions and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies: '€ euro; eur euro; $ dollaro|dollari; £ sterlina|sterline; ¥ yen; ₹ rupia|rupie',
      percent: 'percento',
      degrees: 'grado|gradi',
      celsius: 'grado celsius|gradi celsius',
      minus: 'meno',
      to: 'a',
      and: 'e',
      hour: null,
      timeMarks: '.',
      ordinals: [/(?<!\d)(\d+)°(?! ?c(?!\p{L}))(?= \p{L})/gu],
      fractions: {
        '1/2': 'un mezzo',
        '1/3': 'un terzo',
        '2/3': 'due terzi',
        '1/4': 'un quarto',
        '3/4': 'tre quarti',
      },
      forms: [[/n\.?[º°] ?(?=\d)/g, 'numero ']],
    },
    words: {
      cardinals:
        'zero=0 uno?|un?|una?=1 due=2 tre|tré=3 quattro=4 cinque=5 sei?=6 sette=7 otto=8 nove=9 dieci=10 undici=11 dodici=12 tredici=13 quattordici=14 quindici=15 ' +
        'sedici=16 diciassette=17 diciotto=18 diciannove=19 venti|vent=20 trenta|trent=30 quaranta|quarant=40 cinquanta|cinquant=50 ' +
        'sessanta|sessant=60 settanta|settant=70 ottanta|ottant=80 novanta|novant=90 cento|cent=100 mille=1000 mila~=1000 ' +
        'milione~|milioni~=1e6 miliardo~|miliardi~=1e9',
      ordinals:
        'primo=1 secondo?=2 terzo=3 quarto?=4 quinto=5 sesto=6 settimo=7 ottavo=8 nono=9 decimo=10 undicesimo=11 dodicesimo=12 tredicesimo=13 ' +
        'quattordicesimo=14 quindicesimo=15 sedicesimo=16 diciassettesimo=17 diciottesimo=18 diciannovesimo=19 ventesimo=20 unesimo=1 ' +
        'duesimo=2 treesimo=3 quattresimo=4 cinquesimo=5 seiesimo|seesimo=6 settesimo=7 ottesimo=8 novesimo=9 trentesimo=30 quarantesimo=40 ' +
        'cinquantesimo=50 sessantesimo=60 settantesimo=70 ottantesimo=80 novantesimo=90 centesimo=100 millesimo=1000',
      feminineOrdinals:
        'prima?=1 seconda?=2 terza=3 quarta=4 quinta=5 sesta=6 settima=7 ottava=8 nona=9 decima=10 undicesima=11 dodicesima=12 ventesima=20',
      compounds: { linkers: [] },
      joinsTens: true,
      and: { word: 'e', after: 'hundreds' },
    },
    counted: {
      points: 'virgola',
      units:
        'km chilometro|chilometri; m metro|metri; cm centimetro|centimetri; mm millimetro|millimetri; kg chilogrammo|chilogrammi; g grammo|grammi; ' +
        'mg milligrammo|milligrammi; l litro|litri; ml millilitro|millilitri; h ora|ore; min minuto|minuti; s secondo|secondi; sec secondo|secondi; ' +
        'ha ettaro|ettari; mld miliardo|miliardi; ' +
        'km/h chilometro orario|chilometri orari',
      counted: 'per anno anni giorno giorni mese mesi settimana settimane volta volte',
      numbered: 'numero capitolo pagina articolo volume livello linea punto versione ore alle',
      pairs: [
        'euro,centesimo|centesimi,e,99',
        'dollaro|dollari,centesimo|centesimi,e,99',
        'ora|ore,minuto|minuti,e,59',
      ],
    },
  },
  months:
    'gen|genn gennaio; feb|febbr febbraio; mar marzo; apr aprile; mag maggio; giu giugno; lug luglio; ago agosto; ' +
    'set?|sett settembre; ott ottobre; nov novembre; dic dicembre',
  apostrophe: 'parts',
  fillers: 'ehm eh uhm mmm hmm mh',
  phrases: `
km all ora>km/h
km l ora>km/h
chilometro all ora>chilometro orario
chilometro l ora>chilometro orario
ventitrè>ventitré
per cento>percento
sig>signor
sigra>signora
sig ra>signora
dott>dottor
dr>dottor
dottssa>dottoressa
dott ssa>dottoressa
prof>professor
profssa>professoressa
ecc>eccetera
etc>eccetera
es>esempio
pag>pagina
pagg>pagine
tel>telefono
ing>ingegner
avv>avvocato
chilometri all ora>chilometri orari
chilometri l ora>chilometri orari
ok>okay
o k>okay
e mail>email
e mails>emails
`,
  spellings: `
1>uno
menù>menu
perchè>perché
poichè>poiché
affinchè>affinché
benchè>benché
finchè>finché
nè>né
sè>sé
obbiettivo>obiettivo
obbiettivi>obiettivi
`,
  examples: {
    letters: ['PERCHÉ “Sì”', 'perché “sì”'],
    figures: ['il 25 % di 1.000 €', 'il 25 percento  di  1000 euro '],
    numbers: ['ventuno virgola cinque km', '21,5 chilometri'],
    phrases: ['la dott ssa rossi', 'la dottoressa rossi'],
    spellings: ['perchè', 'perché'],
  },
  quirks: [
    '“un”, “uno”, “una”, “sei” (you are), “secondo”, “prima” and “quarto” are numbers only next to something that is counted or numbered.',
  ],
}
