import { type Random, seededRandom } from '#prelude'
import { errorCount } from '#scoring/counts'
import { findProfile } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'
import { scorePair } from '#scoring/score-utterance'

/** A number phrase: how it sounds, and texts that a writer may make of it. */
export interface NumberPhrase {
  readonly kind: string
  /** What a listener hears: words, with a comma where the pause alone parts two numbers. */
  readonly sound: string
  /** Texts that can be read in no other way. */
  readonly sure: readonly string[]
  /** Figures that can be read in this way and in others: 1984. */
  readonly open: readonly string[]
}

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = '0 0 twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

/** A whole number in words. */
function cardinal(value: number, and = ''): string {
  if (value < 20) return ones[value] as string
  if (value < 100) {
    const ten = tens[Math.floor(value / 10)] as string
    return value % 10 === 0 ? ten : `${ten} ${ones[value % 10]}`
  }
  for (const [scale, name] of [
    [1e9, 'billion'],
    [1e6, 'million'],
    [1e3, 'thousand'],
    [100, 'hundred'],
  ] as const) {
    if (value < scale) continue
    const rest = value % scale
    const before = `${cardinal(Math.floor(value / scale), and)} ${name}`
    return rest === 0 ? before : `${before} ${rest < 100 ? and : ''}${cardinal(rest, and)}`
  }
  return ''
}

const hyphenated = (words: string): string =>
  words.replace(
    /\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety) (one|two|three|four|five|six|seven|eight|nine)\b/g,
    '$1-$2',
  )
const grouped = (value: number): string => value.toLocaleString('en-US')
const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

function wholeWords(value: number): string[] {
  const [plain, withAnd] = [cardinal(value), cardinal(value, 'and ')]
  const article =
    plain.startsWith('one hundred') || plain.startsWith('one thousand') ? [plain.replace('one', 'a')] : []
  return unique([plain, withAnd, hyphenated(plain), hyphenated(withAnd), ...article])
}

const makers: Readonly<Record<string, (random: Random) => Omit<NumberPhrase, 'kind'>>> = {
  whole(random) {
    const value = random.below([100, 1000, 10_000, 1_000_000, 2_000_000_000][random.below(5)] as number)
    const isShort = value < 100
    const figures = [String(value)]
    return {
      sound: cardinal(value),
      sure: [...wholeWords(value), ...(isShort ? figures : value >= 10_000 ? [grouped(value)] : [])],
      // Sixty-two hundred is written 6,200 too.
      open: isShort ? [] : [...figures, grouped(value)],
    }
  },
  digits(random) {
    const digits = Array.from({ length: 2 + random.below(6) }, () => random.below(10))
    const words = digits.map((digit) => ones[digit])
    const figures = digits.join('')
    return {
      sound: words.join(' '),
      sure: [
        words.join(' '),
        ...(digits[0] === 0 ? [] : [words.join(' ').replaceAll('zero', 'oh')]),
        digits.join(' '),
      ],
      open: digits.length > 2 ? [figures] : [],
    }
  },
  pairs(random) {
    const [first, second] = [10 + random.below(90), 10 + random.below(90)]
    const words = `${cardinal(first)} ${cardinal(second)}`
    return first % 10 === 0 && second < 20
      ? { sound: words, sure: [words], open: [`${first}${second}`] }
      : { sound: words, sure: [words, hyphenated(words)], open: [`${first}${second}`] }
  },
  list(random) {
    const values = Array.from({ length: 2 + random.below(3) }, () => random.below(100))
    const words = values.map((value) => cardinal(value))
    return {
      // A pause is heard where the words would be one number without it: twenty, five.
      sound: words.join(', ').replace(/(?<!ty), |, (?=zero|ten|\w+teen|eleven|twelve|\w+ty)/g, ' '),
      sure: [words.join(', '), values.join(', '), words.map(hyphenated).join('; '), values.join('. ')],
      open: [],
    }
  },
  hundreds(random) {
    const value = (11 + random.below(89)) * 100 + (random.below(2) === 0 ? 0 : 1 + random.below(99))
    if (Math.floor(value / 100) % 10 === 0) return makers['whole']?.(random) as Omit<NumberPhrase, 'kind'>
    const rest = value % 100
    const words = `${cardinal(Math.floor(value / 100))} hundred${rest === 0 ? '' : ` ${cardinal(rest)}`}`
    return { sound: words, sure: [words, hyphenated(words)], open: [String(value), grouped(value)] }
  },
  decimals(random) {
    const whole = random.below(120)
    const digits = Array.from({ length: 1 + random.below(4) }, () => random.below(10))
    const words = `${cardinal(whole)} point ${digits.map((digit) => ones[digit]).join(' ')}`
    return { sound: words, sure: [words, hyphenated(words)], open: [`${whole}.${digits.join('')}`] }
  },
  halves(random) {
    const whole = 1 + random.below(98)
    const words = `${cardinal(whole)} and a half`
    return {
      sound: words,
      sure: [words, `${whole} 1/2`, `${whole}½`, hyphenated(words)],
      open: [`${whole}.5`],
    }
  },
  millions(random) {
    const [whole, part] = [1 + random.below(98), 1 + random.below(9)]
    const scale = ['million', 'billion'][random.below(2)] as string
    const words = `${cardinal(whole)} point ${ones[part]} ${scale}`
    return { sound: words, sure: [words, hyphenated(words)], open: [`${whole}.${part} ${scale}`] }
  },
  ordinals(random) {
    const value = 1 + random.below(99)
    const irregular: Readonly<Record<string, string>> = {
      one: 'first',
      two: 'second',
      three: 'third',
      five: 'fifth',
      eight: 'eighth',
      nine: 'ninth',
      twelve: 'twelfth',
    }
    const words = cardinal(value).replace(
      /[a-z]+$/,
      (last) => irregular[last] ?? (last.endsWith('y') ? last.replace(/y$/, 'ieth') : `${last}th`),
    )
    const isTeen = value % 100 > 10 && value % 100 < 14
    const ending = (isTeen ? undefined : ['th', 'st', 'nd', 'rd'][value % 10]) ?? 'th'
    return { sound: words, sure: [words, words.replace(' ', '-'), `${value}${ending}`], open: [] }
  },
  money(random) {
    const [whole, cents] = [2 + random.below(2000), random.below(3) === 0 ? 0 : 10 + random.below(90)]
    const words = `${cardinal(whole)} dollars${cents === 0 ? '' : ` and ${cardinal(cents)} cents`}`
    const sum = (figures: string): string => `$${figures}${cents === 0 ? '' : `.${cents}`}`
    return {
      sound: words,
      sure: [words, hyphenated(words), sum(String(whole)), sum(grouped(whole))],
      open: [],
    }
  },
  percent(random) {
    const value = random.below(101)
    const words = `${cardinal(value)} percent`
    return {
      sound: words,
      sure: [words, `${value}%`, `${value} %`, `${cardinal(value)} per cent`, `${value} percent`],
      open: [],
    }
  },
  times(random) {
    const [hour, minute] = [1 + random.below(12), 10 + random.below(50)]
    const words = `${cardinal(hour)} ${cardinal(minute)}`
    return { sound: words, sure: [words, hyphenated(words), `${hour}:${minute}`], open: [] }
  },
  ranges(random) {
    const from = random.below(80)
    const to = from + 1 + random.below(19)
    const words = `${cardinal(from)} to ${cardinal(to)}`
    return {
      sound: words,
      sure: [words, hyphenated(words), `${from} to ${to}`],
      open: from === 1 ? [] : [`${from}-${to}`, `${from}–${to}`],
    }
  },
  minus(random) {
    const value = 1 + random.below(99)
    const words = `minus ${cardinal(value)}`
    return { sound: words, sure: [words, hyphenated(words), `-${value}`], open: [] }
  },
}

/** Number phrases, always the same for a seed. */
export function* numberPhrases(seed: number, count: number): Generator<NumberPhrase> {
  const random = seededRandom(seed)
  const kinds = Object.entries(makers)
  for (let index = 0; index < count; index += 1) {
    const [kind, make] = kinds[random.below(kinds.length)] as (typeof kinds)[number]
    yield { kind, ...make(random) }
  }
}

export interface PhraseFindings {
  /** Texts of phrases that sound different, without an error between them. */
  readonly hidden: readonly string[]
  /** Texts of one phrase, with errors between them. */
  readonly falseDifferences: readonly string[]
  readonly comparedCount: number
}

/** Every text of a phrase against its first one, and against the phrases with the same digits that sound different. */
export function comparePhrases(phrases: Iterable<NumberPhrase>, id = 'english'): PhraseFindings {
  const profile = findProfile(id)
  // With a mark, so that the text is not one that may have lost its marks.
  const inSentence = (text: string): string => `Well, they wrote ${text} on it.`
  const errors = (one: string, other: string): number =>
    errorCount(scorePair({ reference: inSentence(one), hypothesis: inSentence(other) }, profile).words)
  const bySound = new Map<string, NumberPhrase>()
  for (const phrase of phrases) if (!bySound.has(phrase.sound)) bySound.set(phrase.sound, phrase)
  const hidden: string[] = []
  const falseDifferences: string[] = []
  let comparedCount = 0
  const byDigits = new Map<string, NumberPhrase[]>()
  for (const phrase of bySound.values()) {
    const [first = '', ...others] = phrase.sure
    for (const other of [...others, ...phrase.open]) {
      comparedCount += 1
      if (errors(first, other) + errors(other, first) > 0)
        falseDifferences.push(`${phrase.kind}: “${first}” and “${other}”`)
    }
    const digits = normalise(first, profile).replace(/\D/g, '').replace(/^0+/, '')
    const alike = byDigits.get(digits) ?? []
    for (const other of alike) {
      for (const one of phrase.sure) {
        for (const text of other.sure) {
          comparedCount += 1
          if (errors(one, text) === 0) hidden.push(`“${one}” (${phrase.kind}) and “${text}” (${other.kind})`)
        }
      }
    }
    byDigits.set(digits, [...alike, phrase])
  }
  return { hidden, falseDifferences, comparedCount }
}
