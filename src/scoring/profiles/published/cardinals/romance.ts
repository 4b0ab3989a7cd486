import { type Cardinal, groupsOf, spaced, spellGroups, spellMillions, wordsOf } from './groups.ts'

const frenchOnes = wordsOf(
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
)
const frenchTens = wordsOf('- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt')
const frenchPowers = wordsOf('- mille million milliard billion billiard')

function frenchBelowHundred(number: number): string {
  if (number < 20) return frenchOnes[number] as string
  const ten = Math.floor(number / 10)
  const name = frenchTens[ten] as string
  const rest = number - (ten === 7 || ten === 9 ? ten - 1 : ten) * 10
  if (rest === 0) return ten === 8 ? `${name}s` : name
  if (rest % 10 === 1 && ten < 8) return `${name} et ${frenchOnes[rest]}`
  return `${name}-${frenchOnes[rest]}`
}

function frenchGroup(number: number): string {
  const [hundreds, rest] = [Math.floor(number / 100), number % 100]
  if (hundreds === 0) return frenchBelowHundred(rest)
  if (rest === 0) return hundreds === 1 ? 'cent' : `${frenchOnes[hundreds]} cents`
  return spaced(hundreds === 1 ? '' : (frenchOnes[hundreds] as string), 'cent', frenchBelowHundred(rest))
}

/** Of “quatre-vingts” and “deux cents” the s goes before “mille”, and nowhere else. */
export const french: Cardinal = (digits) =>
  spellGroups(digits, 'zéro', (group, power) => {
    if (power === 0) return frenchGroup(group)
    if (power === 1) {
      return group === 1 ? 'mille' : `${frenchGroup(group).replace(/(vingt|cent)s$/, '$1')} mille`
    }
    return `${frenchGroup(group)} ${frenchPowers[power]}${group === 1 ? '' : 's'}`
  })

const spanishOnes = wordsOf(
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve ' +
    'veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve',
)
const spanishTens = wordsOf('- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa')
const spanishHundreds = wordsOf(
  '- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos',
)

function spanishGroup(number: number): string {
  if (number === 0) return ''
  if (number === 100) return 'cien'
  const [hundreds, rest] = [Math.floor(number / 100), number % 100]
  if (hundreds > 0) return spaced(spanishHundreds[hundreds] as string, spanishGroup(rest))
  if (rest < 30) return spanishOnes[rest] as string
  const ten = spanishTens[Math.floor(rest / 10)] as string
  return rest % 10 === 0 ? ten : `${ten} y ${spanishOnes[rest % 10]}`
}

/** “Uno” stays whole: “veintiuno mil”. A thousand millions have no separate name. */
export const spanish: Cardinal = (digits) =>
  spaced(
    ...spellMillions(digits, ({ thousands, rest }, power) => {
      const mil = thousands === 0 ? '' : thousands === 1 ? 'mil' : `${spanishGroup(thousands)} mil`
      if (power === 0) return spaced(mil, spanishGroup(rest))
      const name = power === 1 ? 'mill' : 'bill'
      return thousands === 0 && rest === 1 ? `un ${name}ón` : spaced(mil, spanishGroup(rest), `${name}ones`)
    }),
  ) || 'cero'

const portugueseOnes = wordsOf(
  'zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete dezoito dezanove',
)
const portugueseTens = wordsOf('- - vinte trinta quarenta cinquenta sessenta setenta oitenta noventa')
const portugueseHundreds = wordsOf(
  '- cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos',
)

function portugueseGroup(number: number): readonly string[] {
  if (number === 0) return []
  if (number === 100) return ['cem']
  const [hundreds, rest] = [Math.floor(number / 100), number % 100]
  if (hundreds > 0) return [portugueseHundreds[hundreds] as string, ...portugueseGroup(rest)]
  if (rest < 20) return [portugueseOnes[rest] as string]
  const unit = rest % 10
  return [
    portugueseTens[Math.floor(rest / 10)] as string,
    ...(unit === 0 ? [] : [portugueseOnes[unit] as string]),
  ]
}

const beforeHundreds = ['mil', 'milhão', 'milhões', 'mil milhões', 'bilião', 'biliões', 'mil biliões']

/** European Portuguese. Every “e” after such a word goes, where hundreds and more follow one of them. */
export const portuguese: Cardinal = (digits) => {
  const parts = spellMillions(digits, ({ thousands, rest }, power) => {
    const mil =
      thousands === 0 ? [] : thousands === 1 ? ['mil'] : [`${portugueseGroup(thousands).join(' e ')} mil`]
    const count = [...mil, ...portugueseGroup(rest)].join(' e ')
    if (power === 0) return count
    const isOne = thousands === 0 && rest === 1
    const name = power === 1 ? (isOne ? 'milhão' : 'milhões') : isOne ? 'bilião' : 'biliões'
    return `${count} ${name}`
  })
  let written = parts.join(' e ') || 'zero'
  for (const word of beforeHundreds) {
    if (new RegExp(`${word} e \\w*entos? (?=.*e)`).test(written)) {
      written = written.replaceAll(`${word} e`, word)
    }
  }
  return written
}

const italianOnes = wordsOf(
  'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
)
const italianTens = wordsOf('- - venti trenta quaranta cinquanta sessanta settanta ottanta novanta')
const italianPowers = wordsOf('- - milione miliardo bilione biliardo')

/** Vowels that meet: ventiotto is ventotto. */
function contracted(text: string): string {
  return text.replaceAll('oo', 'o').replaceAll('ao', 'o').replaceAll('io', 'o').replaceAll('au', 'u')
}

/** A word that ends in “tre” gets an accent, and one that has it loses it: so the accent depends on the depth of the parts. */
function accented(text: string): string {
  return text
    .split(' ')
    .map((word) => {
      const bare = word.replaceAll('tré', 'tre')
      return word.endsWith('tre') && word.length > 3 ? `${bare.slice(0, -3)}tré` : bare
    })
    .join(' ')
}

function italianGroup(number: number): string {
  if (number < 20) return accented(italianOnes[number] as string)
  const isHundreds = number >= 100
  const rest = isHundreds ? number % 100 : number % 10
  const hundreds = Math.floor(number / 100)
  const first = isHundreds
    ? `${hundreds === 1 ? '' : italianOnes[hundreds]}cento`
    : (italianTens[Math.floor(number / 10)] as string)
  const second = isHundreds ? italianGroup(rest) : (italianOnes[rest] as string)
  return accented(contracted(first + (rest === 0 ? '' : second)))
}

export const italian: Cardinal = (digits) => italianGroups(groupsOf(digits))

function italianGroups(groups: readonly number[]): string {
  const [first = 0, ...others] = groups
  if (others.length === 0) return italianGroup(first)
  if (first === 0) return italianGroups(others)
  const isWhole = others.every((group) => group === 0)
  const rest = isWhole ? '' : italianGroups(others)
  if (others.length === 1) return accented((first === 1 ? 'mille' : `${italianGroup(first)}mila`) + rest)
  const power = italianPowers[others.length] as string
  const count = first === 1 ? `un ${power}` : `${italianGroup(first)} ${power.slice(0, -1)}i`
  return accented(count + (isWhole ? '' : rest.includes(' e ') ? `, ${rest}` : ` e ${rest}`))
}
