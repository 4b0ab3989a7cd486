import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const french: SpokenLanguage = {
  id: 'french@1',
  version: 1,
  language: 'fr',
  purpose:
    'French speech: numbers, dates, times, currencies, units, abbreviations, elisions and fillers do not count.',
  letters: {
    folds: [
      ['œ', 'oe'],
      ['æ', 'ae'],
    ],
  },
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies:
        '€ euro|euros; eur euro|euros; $ dollar|dollars; £ livre|livres; ¥ yen|yens; ₹ roupie|roupies',
      percent: 'pourcent',
      degrees: 'degré|degrés',
      celsius: 'degré celsius|degrés celsius',
      minus: 'moins',
      to: 'à',
      and: 'et',
      hour: 'heure|heures',
      timeMarks: 'h',
      ordinals: [/(?<!\d)(\d+)(?:er|e|ème|eme|ième)(?!\p{L})/gu],
      feminineOrdinals: [/(?<!\d)(1)(?:re|ère|ere)(?!\p{L})/gu],
      fractions: {
        '1/2': 'un demi',
        '1/3': 'un tiers',
        '2/3': 'deux tiers',
        '1/4': 'un quart',
        '3/4': 'trois quarts',
      },
      forms: [
        [/sept\.(?<=(?<!\p{L})(?:le|du|au) (?:[12]?\d|3[01]) sept\.)(?!\p{L})/gu, 'septembre'],
        [/(?<=\d) ?h(?:eures?)? ?(?=[0-5]\d(?!\d))/g, 'h'],
        [/n[°º] ?(?=\d)/g, 'numéro '],
      ],
    },
    words: {
      cardinals:
        'zéro=0 un?|une?=1 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12 treize=13 quatorze=14 quinze=15 ' +
        'seize=16 dixsept=17 dixhuit=18 dixneuf=19 vingt|vingts=20 trente=30 quarante=40 cinquante=50 soixante=60 septante=70 huitante|octante=80 nonante=90 ' +
        'cent|cents=100 mille=1000 million~|millions~=1e6 milliard~|milliards~=1e9 billion~|billions~=1e12',
      ordinals:
        'premier=1 deuxième=2 troisième=3 quatrième=4 cinquième=5 sixième=6 septième=7 huitième=8 neuvième=9 dixième=10 onzième=11 douzième=12 ' +
        'treizième=13 quatorzième=14 quinzième=15 seizième=16 dixseptième=17 dixhuitième=18 dixneuvième=19 vingtième=20 unième=1 ' +
        'trentième=30 quarantième=40 cinquantième=50 soixantième=60 centième=100 millième=1000',
      feminineOrdinals: 'première=1',
      isVigesimal: true,
      and: { word: 'et', after: 'tens' },
    },
    counted: {
      points: 'virgule',
      units:
        'km kilomètre|kilomètres; m mètre|mètres; cm centimètre|centimètres; mm millimètre|millimètres; kg kilogramme|kilogrammes; g gramme|grammes; ' +
        'mg milligramme|milligrammes; l litre|litres; ml millilitre|millilitres; h heure|heures; min minute|minutes; mn minute|minutes; s seconde|secondes; ' +
        'ha hectare|hectares; go gigaoctet|gigaoctets; mo mégaoctet|mégaoctets; kw kilowatt|kilowatts; ' +
        'km/h kilomètre heure|kilomètres heure',
      counted: 'pour an ans année années jour jours mois semaine semaines fois',
      numbered: 'numéro chapitre page article tome niveau ligne point version',
      pairs: [
        'euro|euros,centime|centimes|cent|cents,et,99',
        'dollar|dollars,cent|cents,et,99',
        'heure|heures,minute|minutes,et,59',
      ],
    },
  },
  months:
    'janv|jan janvier; févr|fév février; avr avril; juil|juill juillet; sep|sept? septembre; oct octobre; nov novembre; ' +
    'déc décembre',
  apostrophe: 'parts',
  fillers: 'euh heu hum hmm hm mmh',
  phrases: `
kilomètre par heure>kilomètre heure
kilomètre à l heure>kilomètre heure
pour cent>pourcent
pourcents>pourcent
dix sept>dixsept
dix huit>dixhuit
dix neuf>dixneuf
dix septième>dixseptième
dix huitième>dixhuitième
dix neuvième>dixneuvième
mr>monsieur
mme>madame
mmes>mesdames
mlle>mademoiselle
dr>docteur
pr>professeur
st>saint
ste>sainte
av>avenue
bd>boulevard
blvd>boulevard
etc>et cetera
etcetera>et cetera
cad>c est à dire
c à d>c est à dire
svp>s il vous plaît
stp>s il te plaît
kilomètres par heure>kilomètres heure
kilomètres à l heure>kilomètres heure
ok>okay
o k>okay
e mail>email
e mails>emails
mél>email
week end>weekend
week ends>weekends
porte monnaie>portemonnaie
`,
  spellings: `
1>un
beep>bip
beeps>bips
clé>clef
clés>clefs
paiement>payement
cuillère>cuiller
évènement>événement
évènements>événements
août>aout
connaître>connaitre
maître>maitre
plaît>plait
île>ile
coût>cout
coûts>couts
goût>gout
oignon>ognon
oignons>ognons
`,
  examples: {
    letters: ['L’ŒUVRE', "l'oeuvre"],
    figures: ['le 1er mai à 10h30', 'le 1º  mai à 10 heures 30'],
    numbers: ['quatre vingt dixsept virgule cinq', '97,5'],
    phrases: ['mme martin', 'madame martin'],
    spellings: ['évènement', 'événement'],
  },
  quirks: [
    '“une” is the number one only next to something that is counted, because it is an article too; “un” is the figure 1 everywhere.',
    'Spellings of before and after 1990 are one (coût, cout), as they sound alike; gender and number are heard and stay.',
  ],
}
