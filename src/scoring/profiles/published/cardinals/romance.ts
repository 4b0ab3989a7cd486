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

/** “Quatre-vingts” and “deux cents” lose their s before “mille”, and nowhere else. */
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

/** What is said for a part of six digits and the name of its power: one term for its thousands, one for its rest. */
function portugueseTerms(thousands: number, rest: number, power: number): readonly string[] {
  const isOne = thousands === 0 && rest === 1
  const name = [[], isOne ? ['milhão'] : ['milhões'], isOne ? ['bilião'] : ['biliões']][power] ?? []
  const term = (group: readonly string[], ...names: readonly string[]): string =>
    spaced(group.join(' e '), ...names)
  const count = portugueseGroup(thousands === 1 ? 0 : thousands)
  return [
    ...(thousands === 0 ? [] : [term(count, 'mil', ...(rest === 0 ? name : []))]),
    ...(rest === 0 ? [] : [term(portugueseGroup(rest), ...name)]),
  ]
}

/**
 * European Portuguese. “E” joins two terms unless the second begins with hundreds and goes on behind them: “mil e duzentos”, but
 * “mil duzentos e um”. A last “mil” is no going on: “um milhão e duzentos mil”. As the published program has it, a name that
 * lost its “e” once has none anywhere in the number.
 */
export const portuguese: Cardinal = (digits) => {
  const terms: readonly string[] = spellMillions(digits, ({ thousands, rest }, power) =>
    portugueseTerms(thousands, rest, power),
  ).flat()
  const nameOf = (term: string): string => term.slice(term.lastIndexOf(' ') + 1)
  const goesOn = (behind: readonly string[]): boolean => {
    const [first = '', ...others] = behind.join(' ').split(' ')
    return portugueseHundreds.includes(first) && others.length > 0 && others.join(' ') !== 'mil'
  }
  const bare = new Set(terms.filter((_, at) => goesOn(terms.slice(at + 1))).map(nameOf))
  const written = terms.reduceRight(
    (behind, term) => `${term} ${bare.has(nameOf(term)) ? '' : 'e '}${behind}`,
    '',
  )
  return written.replace(/ (?:e )?$/, '') || 'zero'
}

const italianOnes = wordsOf(
  'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
)
const italianTens = wordsOf('- - venti trenta quaranta cinquanta sessanta settanta ottanta novanta')
const italianPowers = wordsOf('- - milione miliardo bilione biliardo')

/** One word while it is put together. */
interface ItalianWord {
  readonly text: string
  /** How often a part was put in front of it. */
  readonly joints: number
}

function joined(front: string, { text, joints }: ItalianWord): ItalianWord {
  return { text: front + text, joints: joints + 1 }
}

/** Below a thousand. A vowel goes before “otto”, and that of tens before “uno” too; “ventiuno” keeps it, and “diciotto” after hundreds loses one. */
function italianGroup(number: number): ItalianWord {
  const [hundreds, rest] = [Math.floor(number / 100), number % 100]
  if (hundreds > 0) {
    const front = `${hundreds === 1 ? '' : italianOnes[hundreds]}cento`
    if (rest === 0) return { text: front, joints: 0 }
    const behind = italianGroup(rest)
    const text = behind.text.replace('diciotto', 'dicotto')
    return joined(text.startsWith('o') ? front.slice(0, -1) : front, { ...behind, text })
  }
  if (number < 20) return { text: italianOnes[number] as string, joints: 0 }
  const [ten, unit] = [italianTens[Math.floor(number / 10)] as string, number % 10]
  if (unit === 0) return { text: ten, joints: 0 }
  const isElided = unit === 8 || (unit === 1 && ten !== 'venti')
  return joined(isElided ? ten.slice(0, -1) : ten, { text: italianOnes[unit] as string, joints: 0 })
}

/** The published program accents “tre” at the end of a longer word after an odd number of joints, not after an even one. */
function accented({ text, joints }: ItalianWord): string {
  return joints % 2 === 1 && text !== 'tre' ? text.replace(/(?<=.)tre$/, 'tré') : text
}

export const italian: Cardinal = (digits) =>
  italianWords(groupsOf(digits))
    .map((word) => accented(word))
    .join(' ')

function italianWords(groups: readonly number[]): readonly ItalianWord[] {
  const [first = 0, ...others] = groups
  if (others.length === 0) return [italianGroup(first)]
  if (first === 0) return italianWords(others)
  const behind = others.every((group) => group === 0) ? [] : italianWords(others)
  if (others.length === 1) {
    const front = first === 1 ? 'mille' : `${italianGroup(first).text}mila`
    const [word] = behind
    return [word === undefined ? { text: front, joints: 0 } : joined(front, word)]
  }
  const power = italianPowers[others.length] as string
  const isList = behind.some(({ text }) => text === 'e')
  const name = `${first === 1 ? power : `${power.slice(0, -1)}i`}${isList ? ',' : ''}`
  const count = first === 1 ? { text: 'un', joints: 0 } : italianGroup(first)
  const plain = (text: string): ItalianWord => ({ text, joints: 0 })
  const joint = behind.length === 0 || isList ? [] : [plain('e')]
  return [count, plain(name), ...joint, ...behind].map((word) => joined('', word))
}
