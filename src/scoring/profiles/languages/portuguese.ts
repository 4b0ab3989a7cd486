import type { SpokenLanguage } from '../language-rules/spoken-language.ts'

export const portuguese: SpokenLanguage = {
  id: 'portuguese@1',
  version: 1,
  language: 'pt',
  purpose:
    'Portuguese speech: numbers, dates, times, currencies, units, abbreviations and fillers do not count.',
  numbers: {
    signs: {
      decimal: ',',
      group: '.',
      currencies:
        '€ euro|euros; eur euro|euros; r$ real|reais; us$ dólar|dólares; $ dólar|dólares; £ libra|libras; ¥ iene|ienes; ₹ rupia|rupias',
      percent: 'porcento',
      degrees: 'grau|graus',
      celsius: 'grau celsius|graus celsius',
      minus: 'menos',
      to: 'a',
      and: 'e',
      hour: 'hora|horas',
      timeMarks: 'h',
      fractions: {
        '1/2': 'um meio',
        '1/3': 'um terço',
        '2/3': 'dois terços',
        '1/4': 'um quarto',
        '3/4': 'três quartos',
      },
      forms: [[/n\.?[º°] ?(?=\d)/g, 'número ']],
    },
    words: {
      cardinals:
        'zero=0 um?|uma?=1 dois|duas=2 três=3 quatro=4 cinco=5 seis=6 sete=7 oito=8 nove=9 dez=10 onze=11 doze=12 treze=13 catorze|quatorze=14 quinze=15 ' +
        'dezesseis|dezasseis=16 dezessete|dezassete=17 dezoito=18 dezenove|dezanove=19 vinte=20 trinta=30 quarenta=40 cinquenta|cinqüenta=50 sessenta=60 ' +
        'setenta=70 oitenta=80 noventa=90 cem|cento=100 duzentos|duzentas=200 trezentos|trezentas=300 quatrocentos|quatrocentas=400 ' +
        'quinhentos|quinhentas=500 seiscentos|seiscentas=600 setecentos|setecentas=700 oitocentos|oitocentas=800 novecentos|novecentas=900 ' +
        'mil=1000 milhão~|milhões~=1e6 bilhão~|bilhões~|bilião~|biliões~=1e9',
      ordinals:
        'primeiro=1 segundo?=2 terceiro=3 quarto?=4 quinto=5 sexto=6 sétimo=7 oitavo=8 nono=9 décimo=10 vigésimo=20 trigésimo=30 quadragésimo=40 quinquagésimo=50 sexagésimo=60 setuagésimo|septuagésimo=70 octogésimo=80 nonagésimo=90 centésimo=100',
      feminineOrdinals:
        'primeira=1 segunda?=2 terceira=3 quarta?=4 quinta?=5 sexta?=6 sétima=7 oitava=8 nona=9 décima=10 vigésima=20',
      and: { word: 'e', after: 'both', tensNeedIt: true },
    },
    counted: {
      points: 'vírgula',
      units:
        'km quilômetro|quilômetros; m metro|metros; cm centímetro|centímetros; mm milímetro|milímetros; kg quilograma|quilogramas; g grama|gramas; ' +
        'mg miligrama|miligramas; l litro|litros; ml mililitro|mililitros; h hora|horas; min minuto|minutos; s segundo|segundos; ha hectare|hectares; ' +
        'km/h quilômetro por hora|quilômetros por hora',
      counted: 'por ano anos dia dias mês meses semana semanas vez vezes',
      numbered: 'número capítulo página artigo volume nível linha ponto versão',
      pairs: [
        'euro|euros,cêntimo|cêntimos|centavo|centavos,e,99',
        'real|reais,centavo|centavos,e,99',
        'dólar|dólares,centavo|centavos,e,99',
        'hora|horas,minuto|minutos,e,59',
      ],
    },
  },
  months:
    'jan de janeiro; fev de fevereiro; mar de março; abr de abril; mai de maio; jun de junho; ' +
    'jul de julho; ago de agosto; set de setembro; out de outubro; nov de novembro; dez? de dezembro',
  apostrophe: 'goes',
  fillers: 'hum hmm ahn hã ehm mmm',
  phrases: `
por cento>porcento
sr>senhor
sra>senhora
srta>senhorita
dr>doutor
dra>doutora
d>dom
prof>professor
profa>professora
av>avenida
etc>et cetera
eua>estados unidos
vc>você
vcs>vocês
pág>página
ok>okay
o k>okay
e mail>email
e mails>emails
quilómetro>quilômetro
quilómetros>quilômetros
`,
  spellings: `
1>um
idéia>ideia
idéias>ideias
vôo>voo
lingüística>linguística
freqüente>frequente
tranqüilo>tranquilo
direcção>direção
actual>atual
óptimo>ótimo
prémio>prêmio
económico>econômico
géneros>gêneros
género>gênero
`,
  examples: {
    letters: ['“AÇÃO”', '“ação”'],
    figures: ['às 10h30, 25 %', 'às 10 horas 30, 25 porcento '],
    numbers: ['trinta e cinco vírgula dois km', '35,2 quilômetros'],
    phrases: ['a sra silva', 'a senhora silva'],
    spellings: ['idéia', 'ideia'],
  },
  quirks: [
    'Days of the week are no ordinals: “segunda” and “sexta” are numbers only next to something that is numbered.',
    'Spellings of Portugal and Brazil are one only where a list names them.',
  ],
}
