import { z } from 'zod'

const text: z.ZodString = z.string()
const words = z.array(z.string().min(1))
const forms = z.union([z.string().min(1), z.array(z.string().min(1)).min(2)])
const table = z.record(z.string().min(1), z.string())
const flag = z.literal('true')
const rewrite = z.strictObject({
  pattern: text.describe(
    'Regular expression of JavaScript, for text in small letters. `@{months}` is any word of that list.',
  ),
  to: text.describe('What is written instead; `$1` is the first group of the pattern.'),
})
const rewrites = z.array(rewrite)
const example = z.tuple([text, text])

const valued = z.strictObject({
  value: z.string().regex(/^\d+$/),
  words: words.optional().describe('They are this number wherever they are.'),
  ambiguous: words
    .optional()
    .describe('They are another word too, as an article: a number only next to something that is counted.'),
  multipliers: words
    .optional()
    .describe('They multiply the number before them, and are none alone: million.'),
  oblique: words
    .optional()
    .describe('Its other forms, which are heard: pięciu. A written figure may be said in any of them.'),
  gendered: words
    .optional()
    .describe(
      'Forms of another gender, which are heard too, but not before another part of the number or a decimal: две.',
    ),
  stems: words.optional().describe('Each takes every one of `ordinalEndings`.'),
})
const values = z.array(valued)

const numberWords = z.strictObject({
  cardinals: values.describe('Words for numbers, one value a line.'),
  ordinals: values.optional().describe('The same for third, fourth: they become `3º`.'),
  ordinalEndings: words.optional().describe('Endings that stems of ordinals take.'),
  feminineOrdinals: values.optional().describe('Ordinals whose gender is heard: they become `3ª`.'),
  compounds: z
    .strictObject({ linkers: words })
    .optional()
    .describe('Numbers are written as one word, with these syllables between their parts: einundzwanzig.'),
  isInverted: z
    .enum(['always', 'too'])
    .optional()
    .describe('Ones are said before twenty; `too`: besides the other order.'),
  countsMyriads: flag.optional().describe('Larger numbers are counted in ten thousands.'),
  joinsTens: flag
    .optional()
    .describe('Ones are written joined to their tens, so that two words are two numbers.'),
  tenTakesOnes: flag.optional().describe('Ten and one is eleven, as twenty and one is twenty-one.'),
  joinedByHyphen: flag
    .optional()
    .describe('Number words are written with hyphens, which end no number: vingt-cinq.'),
  isVigesimal: flag.optional().describe('Sixty and ten is seventy, and four twenties are eighty.'),
  and: z
    .strictObject({
      word: text,
      after: z.enum(['tens', 'hundreds', 'both']).optional(),
      tensNeedIt: flag.optional(),
    })
    .optional()
    .describe('A word between parts, where it can be, and whether ones follow tens only after it.'),
  hundredsAreWords: flag
    .optional()
    .describe('200 to 900 are words, so that a hundred multiplies none: сім сто is seven and a hundred.'),
  hearsForms: z
    .enum(['true', 'written'])
    .optional()
    .describe(
      'Two forms of a number are two texts, of ordinals too: piąty, piąta. A written figure may be said in any; with `written` only as its ending says: 5’e.',
    ),
  ordinalAfter: words
    .optional()
    .describe(
      'Words after which a written figure may be said as an ordinal too: o 9 is o dziewiątej. Needs `hearsForms`.',
    ),
  saysYearsInPairs: flag.optional().describe('Nineteen eighty four is a year.'),
})

const signs = z.strictObject({
  decimal: z.enum([',', '.']).describe('Mark before decimals.'),
  group: z.enum([',', '.', "'"]).optional().describe('Mark between thousands.'),
  currencies: z
    .record(z.string(), forms)
    .describe('Sign or abbreviation, and its word: forms in the order of the plural rules of CLDR.'),
  percent: forms.describe('What is said for %.'),
  degrees: forms.describe('What is said for °.'),
  celsius: forms.describe('What is said for °C.'),
  minus: text.describe('What is said for − before a number.'),
  to: text.describe('What is said between the ends of a range; after a slash it may be left out: /до.'),
  and: text.describe('What is said for &.'),
  plus: text.optional().describe('What is said for +; default: plus.'),
  at: text.optional().describe('What is said for @ in an address.'),
  dot: text.optional().describe('What is said for a full stop in an address and in a version: 2.0.'),
  addressMarks: z
    .partialRecord(z.enum(['_', '-', '/']), words)
    .optional()
    .describe('What may be said for these marks in an address: underscore.'),
  said: z
    .record(z.string(), words)
    .optional()
    .describe(
      'What may be said for further signs: = × ÷ < > ≥ ≤ ≠ √ ± § # _ ~ ² ³ ^, and x, : or / between figures.',
    ),
  halves: words
    .optional()
    .describe('What may be said for the decimal 5: dos y media. `1=anderhalf` is said for all of 1,5.'),
  hour: forms.optional().describe('Word between hours and minutes, where one is said.'),
  hourIsOptional: flag.optional().describe('That word may be left out.'),
  partAnd: words
    .optional()
    .describe('What may be said between hours and minutes, a sum and its cents: nueve y treinta.'),
  quarterHours: z
    .partialRecord(z.enum(['15', '30']), words)
    .optional()
    .describe('What may be said for 15 and 30 minutes: nueve y media.'),
  clock: z
    .record(z.string().regex(/^(?:\d\d|any)$/), words)
    .optional()
    .describe(
      'What may be said for a time with these minutes, or any. # is the hour, of twelve, and + is the next hour. With * for the minutes, # is the hour as written.',
    ),
  metre: forms
    .optional()
    .describe('The word for metres: 1,80 m is one metre eighty, as a price with cents is.'),
  timeMarks: text.optional().describe('Marks between hours and minutes besides the colon.'),
  ordinals: z
    .array(text)
    .optional()
    .describe('Patterns that make a figure an ordinal; their first group is the figure.'),
  feminineOrdinals: z.array(text).optional().describe('The same for those whose gender is heard.'),
  monthNames: words
    .optional()
    .describe('Twelve, which may be said for a month in figures: of 3.5.2020 it is maja.'),
  datesAreOrdinal: flag
    .optional()
    .describe('Days and months in figures are ordinals: 3.5. is third of the fifth.'),
  romans: z
    .array(z.strictObject({ pattern: text, ordinalsTo: z.string().regex(/^\d+$/).optional() }))
    .optional()
    .describe(
      'Where Roman numerals are read: capitals, as the first group of a pattern that may match either case. Up to `ordinalsTo` they are ordinals.',
    ),
  fractions: table
    .optional()
    .describe(
      'Fractions in figures, and what is said; a slash is between words of which any may be said, and before one that may be left out.',
    ),
  forms: rewrites
    .optional()
    .describe(
      'Further written forms, before all other signs are read. Between two words, or before one that may be left out, ꞏ is what a slash is in other fields.',
    ),
})

const counted = z.strictObject({
  points: words.optional().describe('Words between a number and its decimals.'),
  decimalParts: z
    .record(z.string(), z.enum(['1', '2', '3']))
    .optional()
    .describe(
      'Words for tenths, hundredths, thousandths after decimals that are said as one number: 1, 2, 3.',
    ),
  units: z
    .record(z.string(), forms)
    .describe(
      'Abbreviation after a number, and its word: forms in the order of the plural rules of CLDR. A slash is between two words of which either may be said: kilogramo/kilo.',
    ),
  nouns: words.optional().describe('Further words before which an ambiguous word is a number.'),
  numbered: words.optional().describe('Words after which an ambiguous word is a number: page, chapter.'),
  ordinalBefore: words.optional().describe('Words before which a figure is an ordinal: months.'),
  perhapsOrdinalBefore: words
    .optional()
    .describe(
      'Words before which a figure may be an ordinal: 21 год is двадцать один год, and двадцать первый год.',
    ),
  pairs: z
    .array(z.strictObject({ whole: words, between: words, part: words, largest: text }))
    .optional()
    .describe('Sums and times of two parts: euros and up to 99 cents, hours and up to 59 minutes.'),
})

const unspacedNumbers = z.strictObject({
  words: numberWords,
  hasSpaces: flag.optional().describe('Spaces are written between words, in more than one way.'),
  runs: text
    .optional()
    .describe('Pattern of where numbers are looked for; default: wherever their words follow one another.'),
  exceptBefore: table
    .optional()
    .describe('Words that are no number before a text: a part of per cent is no hundred.'),
  digits: table.optional().describe('Characters that are read out one by one, and their figures.'),
  writesFigures: flag
    .optional()
    .describe(
      'These characters write a figure, which may be said as a whole: 三四五 is 345, however it is said.',
    ),
  afterDigits: text.optional().describe('What follows two digits that are read out: 年.'),
  point: text.optional().describe('Between a number and its decimals.'),
  notAfterPoint: text.optional().describe('What follows minutes, so that the point before them is none: 分.'),
  signs: z.record(z.string(), text).describe('Signs at a number; `#` is where the number is said: 百分之#.'),
  said: table.optional().describe('What is said for further signs: = × ÷ < > ≥ ≤ ≠ √ ± § # _ ~ ² ³ ^ & +.'),
  units: z.record(z.string(), text).describe('Abbreviations after a number, in the same form.'),
  forms: rewrites.describe('Further written forms, before numbers are read.'),
  finalForms: rewrites.optional().describe('Written forms once numbers are figures.'),
  small: words.optional().describe('What nought to ten are written as.'),
})

/** The data of a language as a person writes it: a file `<name>.yaml`, in which every value is text. */
export const languageSchema = z.strictObject({
  purpose: text.describe('One sentence for `transcribench explain`.'),
  spaces: z
    .enum(['none', 'free'])
    .optional()
    .describe(
      '`none`: no spaces between words; `free`: in more than one way. The character rate then leads, without spaces.',
    ),
  lists: z
    .record(z.string(), words)
    .optional()
    .describe('Lists of words that other fields refer to: `@{months}`.'),
  letters: z
    .strictObject({
      locale: text.optional().describe('For small letters where they differ from the usual ones: Turkish.'),
      drops: text.optional().describe('Pattern of marks that are not read.'),
      joined: table.optional().describe('Combinations with a joiner, before joiners go.'),
      rewrites: rewrites.optional().describe('Orders and combinations that are read alike.'),
      folds: table.optional().describe('Letters and texts that become another one.'),
      characters: z
        .enum(['simplified', 'hiragana'])
        .optional()
        .describe('A rule in code: traditional characters become simplified ones, or katakana hiragana.'),
    })
    .optional(),
  numbers: z.strictObject({ signs, words: numberWords, counted }).optional(),
  unspacedNumbers: unspacedNumbers
    .optional()
    .describe('Instead of `numbers` where numbers are not separate words.'),
  months: z
    .array(z.strictObject({ name: text, short: words.optional(), ambiguous: words.optional() }))
    .optional()
    .describe(
      'Abbreviations of months next to a day or a year; ambiguous ones are words too, and need both.',
    ),
  apostrophe: z
    .enum(['parts', 'belongs', 'goes'])
    .describe("Whether it parts words (l'homme), belongs to one (п'ять), or is not written at all."),
  fillers: words.optional().describe('Words that only fill a pause.'),
  phrases: table
    .optional()
    .describe('Abbreviations and phrases before numbers are read, and what is said; without marks.'),
  spellings: table.optional().describe('Words with several spellings, after all else.'),
  loose: z
    .strictObject({
      purpose: text,
      rewrites,
      mergesCompounds: flag.optional().describe('Compounds may be written in several words.'),
      example,
      quirks: z.array(text),
    })
    .optional()
    .describe('A second profile on request, `<name>-loose`, which hides more.'),
  examples: z
    .record(z.string(), example)
    .describe('A text before and after each kind of stage, for `transcribench explain`.'),
  quirks: z.array(text).optional().describe('Known limits, for the documentation.'),
})

export type LanguageFile = z.infer<typeof languageSchema>

/** How the letters of a language become one form of each. */
export type LetterForms = NonNullable<LanguageFile['letters']>
/** How a language writes figures with marks, and what it says for them. */
export type FigureSigns = z.infer<typeof signs>
/** How a language says numbers. */
export type NumberWords = z.infer<typeof numberWords>
/** What comes next to numbers. */
export type CountedWords = z.infer<typeof counted>
/** How a language without spaces writes and says numbers. */
export type UnspacedNumbers = z.infer<typeof unspacedNumbers>
