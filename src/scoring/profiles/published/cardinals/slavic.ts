import { type Cardinal, spaced, spellGroups, wordsOf } from './groups.ts'

interface SlavicWords {
  readonly ones: readonly string[]
  readonly tens: readonly string[]
  readonly hundreds: readonly string[]
}

function slavicGroup(number: number, { ones, tens, hundreds }: SlavicWords): string {
  const [hundred, rest] = [Math.floor(number / 100), number % 100]
  const written = hundred === 0 ? '' : (hundreds[hundred] as string)
  if (rest < 20) return spaced(written, rest === 0 ? '' : (ones[rest] as string))
  const unit = rest % 10
  return spaced(written, tens[Math.floor(rest / 10)] as string, unit === 0 ? '' : (ones[unit] as string))
}

const polishWords: SlavicWords = {
  ones: wordsOf(
    'zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście',
  ),
  tens: wordsOf(
    '- - dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt',
  ),
  hundreds: wordsOf('- sto dwieście trzysta czterysta pięćset sześćset siedemset osiemset dziewięćset'),
}
const polishPowers = [
  '',
  'tysiąc tysiące tysięcy',
  ...wordsOf('milion miliard bilion biliard').map((name) => `${name} ${name}y ${name}ów`),
]

/** A single thousand is “tysiąc”, without “jeden” in front. */
export const polish: Cardinal = (digits) =>
  spellGroups(digits, 'zero', (group, power) => {
    if (power === 0) return slavicGroup(group, polishWords)
    const [one = '', few = '', many = ''] = wordsOf(polishPowers[power] as string)
    if (group === 1) return one
    const isFew = group % 10 > 1 && group % 10 < 5 && (group % 100 < 10 || group % 100 > 20)
    return spaced(slavicGroup(group, polishWords), isFew ? few : many)
  })

const russianTeens =
  'пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать'
const russianWords: SlavicWords = {
  ones: wordsOf(`ноль один два три четыре ${russianTeens}`),
  tens: wordsOf('- - двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто'),
  hundreds: wordsOf('- сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот'),
}
const russianThousands: SlavicWords = {
  ...russianWords,
  ones: wordsOf(`ноль одна две три четыре ${russianTeens}`),
}
const russianPowers = [
  '',
  'тысяча тысячи тысяч',
  ...wordsOf('миллион миллиард триллион квадриллион').map((name) => `${name} ${name}а ${name}ов`),
]

/** Thousands are feminine. */
export const russian: Cardinal = (digits) =>
  spellGroups(digits, 'ноль', (group, power) => {
    if (power === 0) return slavicGroup(group, russianWords)
    const [one = '', few = '', many = ''] = wordsOf(russianPowers[power] as string)
    const unit = group % 100 > 10 && group % 100 < 20 ? 0 : group % 10
    const name = unit === 1 ? one : unit > 1 && unit < 5 ? few : many
    return spaced(slavicGroup(group, power === 1 ? russianThousands : russianWords), name)
  })
