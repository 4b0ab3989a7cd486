import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const spanish: SpokenLanguage = {
  id: 'spanish@1',
  version: 1,
  language: 'es',
  purpose:
    'Spanish speech: numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies:
        '€ euro|euros; eur euro|euros; us$ dólar|dólares; $ dólar|dólares; £ libra|libras; ¥ yen|yenes; ₹ rupia|rupias',
      percent: 'porciento',
      degrees: 'grado|grados',
      celsius: 'grado celsius|grados celsius',
      minus: 'menos',
      to: 'a',
      and: 'y',
      hour: null,
      timeMarks: 'h',
      ordinals: [/(?<!\d)(\d+)\.?(?:er|ro|do|to|mo|vo|no)(?!\p{L})/gu],
      feminineOrdinals: [/(?<!\d)(\d+)\.?(?:ra|da|ta|ma|va|na)(?!\p{L})/gu],
      fractions: {
        '1/2': 'un medio',
        '1/3': 'un tercio',
        '2/3': 'dos tercios',
        '1/4': 'un cuarto',
        '3/4': 'tres cuartos',
      },
      forms: [
        [/(?<=\d)[:.]([0-5]\d) ?(?:h|hs|hrs|horas)(?![\p{L}])/gu, ':$1'],
        [/n\.?[º°] ?(?=\d)/g, 'número '],
      ],
    },
    words: {
      cardinals:
        'cero=0 uno=1 un?|una?=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 doce=12 trece=13 catorce=14 quince=15 ' +
        'dieciséis|dieciseis=16 diecisiete=17 dieciocho=18 diecinueve=19 veinte=20 veintiuno|veintiún|veintiuna=21 veintidós|veintidos=22 ' +
        'veintitrés|veintitres=23 veinticuatro=24 veinticinco=25 veintiséis|veintiseis=26 veintisiete=27 veintiocho=28 veintinueve=29 treinta=30 ' +
        'cuarenta=40 cincuenta=50 sesenta=60 setenta=70 ochenta=80 noventa=90 cien|ciento=100 doscientos|doscientas=200 trescientos|trescientas=300 ' +
        'cuatrocientos|cuatrocientas=400 quinientos|quinientas=500 seiscientos|seiscientas=600 setecientos|setecientas=700 ' +
        'ochocientos|ochocientas=800 novecientos|novecientas=900 mil=1000 millón~|millones~=1e6 billón~|billones~=1e12',
      ordinals:
        'primero|primer=1 segundo?=2 tercero|tercer=3 cuarto?=4 quinto=5 sexto=6 séptimo=7 octavo=8 noveno=9 décimo=10 undécimo=11 ' +
        'duodécimo=12 vigésimo=20 trigésimo=30 cuadragésimo=40 quincuagésimo=50 sexagésimo=60 septuagésimo=70 octogésimo=80 nonagésimo=90 centésimo=100',
      feminineOrdinals:
        'primera=1 segunda=2 tercera=3 cuarta=4 quinta=5 sexta=6 séptima=7 octava=8 novena=9 décima=10 undécima=11 duodécima=12 vigésima=20',
      and: { word: 'y', after: 'tens', tensNeedIt: true },
    },
    counted: {
      points: 'coma',
      units:
        'km kilómetro|kilómetros; m metro|metros; cm centímetro|centímetros; mm milímetro|milímetros; kg kilogramo|kilogramos; g gramo|gramos; ' +
        'mg miligramo|miligramos; l litro|litros; ml mililitro|mililitros; h hora|horas; min minuto|minutos; s segundo|segundos; seg segundo|segundos; ' +
        'ha hectárea|hectáreas; gb gigabyte|gigabytes; mb megabyte|megabytes; ' +
        'km/h kilómetro por hora|kilómetros por hora',
      counted: 'por año años día días mes meses semana semanas',
      numbered: 'número capítulo página artículo tomo nivel línea punto versión las',
      pairs: [
        'euro|euros,céntimo|céntimos,con|y,99',
        'dólar|dólares,centavo|centavos,con|y,99',
        'peso|pesos,centavo|centavos,con|y,99',
        'hora|horas,minuto|minutos,y|con,59',
      ],
    },
  },
  months:
    'ene de enero; feb de febrero; mar de marzo; abr de abril; may de mayo; jun de junio; ' +
    'jul de julio; ago de agosto; sep|sept|set de septiembre; oct de octubre; nov de noviembre; dic de diciembre',
  apostrophe: 'goes',
  fillers: 'eh ehm em mmm mm hmm',
  phrases: `
por ciento>porciento
sr>señor
sra>señora
srta>señorita
sres>señores
dr>doctor
dra>doctora
d>don
dña>doña
ud>usted
uds>ustedes
vd>usted
vds>ustedes
eeuu>estados unidos
ee uu>estados unidos
etc>etcétera
av>avenida
avda>avenida
pág>página
págs>páginas
prof>profesor
ok>okay
o k>okay
okey>okay
p ej>por ejemplo
p m>pm
a m>am
e mail>email
e mails>emails
`,
  spellings: `
sólo>solo
éste>este
ésta>esta
éstos>estos
éstas>estas
ése>ese
ésa>esa
guión>guion
período>periodo
períodos>periodos
septiembre>setiembre
obscuro>oscuro
obscura>oscura
substancia>sustancia
substancias>sustancias
psicología>sicología
`,
  examples: {
    letters: ['¿QUÉ “Año”?', '¿qué “año”?'],
    figures: ['el 3.er piso, 25 %', 'el 3º  piso, 25 porciento '],
    numbers: ['treinta y cinco coma dos km', '35,2 kilómetros'],
    phrases: ['la sra lópez', 'la señora lópez'],
    spellings: ['sólo', 'solo'],
  },
  quirks: [
    '“un”, “una”, “segundo” and “cuarto” are numbers only next to something that is counted or numbered.',
    'veintiún and veintiuno are one number, as both are 21 in figures; so are doscientos and doscientas.',
  ],
}
