import { type Cardinal, groupsOf, spaced, wordsOf } from './groups.ts'

const germanOnes = wordsOf(
  'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
)
const germanTens = wordsOf('- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig')
const germanPowers = wordsOf('- - Million Milliarde Billion Billiarde')

function germanGroup(number: number, one: string): string {
  if (number >= 100) {
    const rest = number % 100
    return `${germanGroup(Math.floor(number / 100), 'ein')}hundert${rest === 0 ? '' : germanGroup(rest, 'eins')}`
  }
  if (number === 1) return one
  if (number < 20) return germanOnes[number] as string
  const ten = germanTens[Math.floor(number / 10)] as string
  return number % 10 === 0 ? ten : `${germanGroup(number % 10, 'ein')}und${ten}`
}

/** One word below a million; the names of higher powers begin with a capital. */
export const german: Cardinal = (digits) => {
  const groups = groupsOf(digits)
  const thousands = groups.at(-2) ?? 0
  const ones = groups.at(-1) as number
  const low =
    (thousands === 0 ? '' : `${germanGroup(thousands, 'ein')}tausend`) +
    (ones === 0 ? '' : germanGroup(ones, 'eins'))
  const high = groups.slice(0, -2).map((group, at) => {
    const power = germanPowers[groups.length - 1 - at] as string
    if (group === 0) return ''
    return group === 1
      ? `eine ${power}`
      : `${germanGroup(group, 'eins')} ${power}${power.endsWith('e') ? 'n' : 'en'}`
  })
  return spaced(...high, low) || 'null'
}

const dutchOnes = wordsOf(
  'nul één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
)
const dutchTens = wordsOf('- - twintig dertig veertig vijftig zestig zeventig tachtig negentig')
const dutchPowers = wordsOf('- - miljoen miljard biljoen biljard')

function dutchGroup(number: number): string {
  if (number >= 100) {
    const hundreds = Math.floor(number / 100)
    const rest = number % 100
    return `${hundreds === 1 ? '' : dutchOnes[hundreds]}honderd${rest === 0 ? '' : dutchGroup(rest)}`
  }
  if (number < 20) return dutchOnes[number] as string
  const ten = dutchTens[Math.floor(number / 10)] as string
  const unit = number % 10
  if (unit === 0) return ten
  const one = unit === 1 ? 'een' : (dutchOnes[unit] as string)
  return `${one}${one.endsWith('e') ? 'ën' : 'en'}${ten}`
}

export const dutch: Cardinal = (digits) => {
  const groups = groupsOf(digits)
  const thousands = groups.at(-2) ?? 0
  const ones = groups.at(-1) as number
  const low =
    (thousands === 0 ? '' : `${thousands === 1 ? '' : dutchGroup(thousands)}duizend`) +
    (ones === 0 ? '' : dutchGroup(ones))
  const high = groups.slice(0, -2).map((group, at) => {
    const power = dutchPowers[groups.length - 1 - at] as string
    return group === 0 ? '' : `${group === 1 ? 'een' : dutchGroup(group)} ${power}`
  })
  return spaced(...high, low) || 'nul'
}
