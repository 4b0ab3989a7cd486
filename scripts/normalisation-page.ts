import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCount } from '#scoring/counts'
import { findProfile } from '#scoring/profiles/index'
import type { Profile, StageSettings } from '#scoring/profiles/profile'
import { scorePair } from '#scoring/score-utterance'
import { markdownTable } from './markdown-table.ts'

const pairs = z.strictObject({
  equal: z.array(z.strictObject({ class: z.string(), one: z.string(), other: z.string() })),
  different: z.array(z.strictObject({ one: z.string(), other: z.string(), why: z.string() })),
  third: z.array(
    z.strictObject({ class: z.string(), one: z.string(), other: z.string(), same: z.boolean() }),
  ),
})

const shown: readonly Profile[] = [
  'english@3',
  'english@2',
  'whisper-english',
  'leaderboard-english',
  'basic',
  'whisper-basic',
].map(findProfile)

/** Which writings of the same speech each profile equates, and which different speech none of them should. */
export function renderNormalisationPage(): string {
  const path = join(import.meta.dirname, '../tests/scoring/fixtures/english-pairs.json')
  const { equal, different, third } = pairs.parse(JSON.parse(readFileSync(path, 'utf8')))
  const equates = (
    { one, other }: { readonly one: string; readonly other: string },
    profile: Profile,
  ): boolean => errors(one, other, profile) === 0
  const ids = shown.map(({ id }) => `\`${id}\``)
  const counts = (all: typeof different | typeof equal): string[] =>
    shown.map((profile) => `**${all.filter((pair) => equates(pair, profile)).length}**`)
  const marks = (pair: { readonly one: string; readonly other: string }): string[] =>
    shown.map((profile) => (equates(pair, profile) ? '=' : ''))
  return [
    head,
    ...markdownTable(
      ['', 'one writing', 'another', ...ids],
      [
        ...equal.map((pair) => [pair.class, pair.one, pair.other, ...marks(pair)]),
        [`**of ${equal.length}**`, '', '', ...counts(equal)],
      ],
    ),
    thirdHead,
    ...markdownTable(
      ['', 'one text', 'another', 'same speech', 'errors of `english@2`', 'errors of `english@3`'],
      third.map(({ class: kind, one, other, same }) => [
        kind,
        one,
        other,
        same ? 'yes' : 'no',
        String(errors(one, other, findProfile('english@2'))),
        String(errors(one, other, findProfile('english@3'))),
      ]),
    ),
    corporaSection,
    wordsHead,
    ...markdownTable(['table', 'in `english@2` alone', 'in `english@3` alone'], tableDifferences()),
    differentHead,
    ...markdownTable(
      ['one text', 'another', ...ids, 'why they differ'],
      [
        ...different.map((pair) => [pair.one, pair.other, ...marks(pair), pair.why]),
        [`**of ${different.length}**`, '', ...counts(different), ''],
      ],
    ),
    '',
  ].join('\n')
}

function errors(reference: string, hypothesis: string, profile: Profile): number {
  return errorCount(scorePair({ reference, hypothesis }, profile).words)
}

/** What is in a table of one version alone, for every table of their stages. */
function tableDifferences(): string[][] {
  const second = tablesOf(findProfile('english@2'))
  const third = tablesOf(findProfile('english@3'))
  const onlyIn = (tables: Tables, others: Tables, table: string): string => {
    const entries = [...(tables.get(table) ?? [])].filter((entry) => others.get(table)?.has(entry) !== true)
    return entries.length === 0 ? '' : `\`${entries.join(', ')}\``
  }
  return [...new Set([...third.keys(), ...second.keys()])]
    .map((table) => [table, onlyIn(second, third, table), onlyIn(third, second, table)])
    .filter(([, gone, added]) => gone !== '' || added !== '')
}

/** The entries of a table by its name. */
type Tables = ReadonlyMap<string, ReadonlySet<string>>

function tablesOf({ stages }: Profile): Tables {
  const entries = stages
    .filter(({ name }) => name !== 'written forms')
    .flatMap(({ name, settings = null }) => entriesOf(name, settings))
  const tables = Map.groupBy(entries, ({ table }) => table)
  return new Map([...tables].map(([table, all]) => [table, new Set(all.map(({ entry }) => entry))]))
}

interface TableEntry {
  readonly table: string
  readonly entry: string
}

/** Words, and `from>to`. Patterns are left out: the pairs of texts show them. */
function entriesOf(table: string, settings: StageSettings): TableEntry[] {
  if (typeof settings === 'string') {
    if (/^(?:\{"|\[\[")/.test(settings)) return entriesOf(table, JSON.parse(settings) as StageSettings)
    if (/[\\^[]/.test(settings)) return []
    return settings.split(settings.includes('\n') ? '\n' : /[ |]/).map((entry) => ({ table, entry }))
  }
  if (typeof settings !== 'object' || settings === null) return []
  if (Array.isArray(settings)) return settings.flatMap((each) => entriesOf(table, each))
  return Object.entries(settings).flatMap(([word, said]): TableEntry[] => {
    if (typeof said !== 'string' || said.includes('\n')) return entriesOf(`${table}, ${word}`, said)
    // A possessive has the spelling of its word.
    if (word.endsWith("'s") && said.endsWith("'s")) return []
    return /[\\^[]/.test(said) ? [] : [{ table, entry: `${word}>${[...new Set(said.split('|'))].join('/')}` }]
  })
}

const head = `# What each English profile equates

This page is generated by \`npm run accept\` from \`tests/scoring/fixtures/english-pairs.json\`. An \`=\` means that one
text has no errors against the other. \`english@3\` is the default for English. \`transcribench explain <profile> "some text"\` shows a text after every stage.

## The same speech, written differently

These are 66 pairs that speech engineers do not count as recognition errors: the same words were said, and only the style of
writing differs.
`

const thirdHead = `
## What \`english@3\` changes against \`english@2\`

- Every number is read for itself. A comma, full stop, colon, dash or another word ends it, and so does a word that cannot go on with it:
  five five is not fifty-five. A comma after thousand or million before a further hundred may be one number: four thousand, three hundred.
- A figure can be said in several ways: 1984 is nineteen eighty-four, one nine eight four, or one thousand nine hundred and eighty-four. The
  figure is taken as the other text says it, in the way with the fewest errors. Two texts in words that are said differently are different.
- A figure with a comma is said as a whole: 1,984. A time and a list of digits are said in parts: 10:30, 1, 2, 3.
- In a text without any marks, twenty five may be twenty and five. The other text decides.
- A hyphen or dash between two figures is “to”, in sums of money too, and between 9am and 5pm. In a score it may be silent: 3-2, 50-50.
- Words in brackets were said, except descriptions of sounds and times of lines. Descriptions may also be in braces or between asterisks: *laughs*.
- ER, UM and UH in capitals among small letters are names. × ÷ ± > < ≥ ≤ ≠ ≈ = √ + # / _ ^ ~ ² and ³ are read ($20/hour, ~5 is about five),
  and x between figures (2x4). Other signs of mathematics and currencies stay, because they were said. In 5 - 3 = 2, the dash is minus.
  @ before a name is “at”.
- A day that was written next to its month may be five, fifth or the fifth: May 5. “May five” and “May fifth” in words are different.
- Mm after ten, and um or µm directly after a figure, are units; after a number word, um is one only before a measure: ten um thick.
  “10, um, people” and ten um people have a filler. E.g. may be for example, and i.e. that is.
- A title that is also a word (gen, rev, hon, rep, sen, gov, pres, col, maj, ald) is one only with a full stop or before a name with a capital.
- Tranquilly, Louvre, aeroplane, aluminium, flautist and behove are no other spellings of tranquility, louver, airplane, aluminum,
  flutist and behoove. A possessive has the spelling of its word: neighbour’s. Skilful, kerb, whisky and others have two spellings.
- A unit before a noun may be singular: 5 km run. K, M or B after a figure is thousand, million or billion, or the letter: 50k, 204B.
- Decimals may be said with point or as a part: .5, point five; 2.5, two and a half; 1.5 million, a million and a half. A nought after
  the point may be oh: version 2.0. A version may be said with a point or dot between its numbers: 1.2.3.
- 1/3 may be a third, 1/2 half or half a, $1 a dollar, and $1.50 a dollar fifty. $1999 may be nineteen ninety-nine dollars, and so may $19.99.
- £3.50 is three pounds and fifty pence. The sign of a currency counts after letters and before a space: CA$5, $ 12.
- 10:00 may be ten o’clock, ten, or ten hundred (hours). 0800 may be oh eight hundred. 10 000 may be ten thousand.
- A telephone number is read group by group, and two figures may be one number or two digits: +44 20. A date is read figure by figure:
  7/4/2021. In 24/7 the stroke is silent, and in 2/3rds the ending is.
- 5 ft 10 in and 5' 10" are feet and inches. 5p may be five pence. Ph.D.s are PhDs.
- He’s and he’d before a participle may be has and had. He’s won is he has won. Nothing’s may be nothing is.
- Roman numerals after chapter, part and similar words, and after names, are numbers: Chapter IV, Henry the eighth; so are
  those before century. “A I” and seven more pairs of letters may be initialisms. 16:9 may be sixteen to nine, or by nine.
- The full stops and signs of an e-mail address, an address of the web or a file name are spoken words: john dot smith at example dot
  com, example dot com slash maps, dot net.
- Hwy, Rd, Ln and sq km are highway, road, lane and square kilometers. Sr before a figure is no senior: SR-71.

Analyses that look at one text alone, as keywords do, use one form for each figure: 1984 for all its readings.
The table has one row for each decision. \`tests/scoring/fixtures/english-speech.txt\` has more than 1,500 further pairs of these kinds.
`

const corporaSection = `
### Two corpora by both versions

All utterances whose counts differ, in runs of 2026-11-30 with the models named:

| corpus | model | errors by \`english@2\` | errors by \`english@3\` | what differs |
|---|---|---|---|---|
| \`prompts\`, 329 utterances | moonshine-tiny | 149 of 2,103 words | 148 of 2,103 words | “Press 1 for”, heard as “Press one-four.”: 1 error, not 2, since one-four is no 14 |
| \`prompts\`, 329 utterances | moonshine-base | 107 of 2,103 words | 106 of 2,103 words | the same, heard as “Press one, four.” |
| \`quick\`, 10 utterances | moonshine-tiny | 3 of 91 words | 3 of 92 words | “five five” in the reference is two words |
| \`quick\`, 10 utterances | moonshine-base | 4 of 91 words | 4 of 92 words | the same |`

const wordsHead = `
### Words that differ

The tables of the two versions differ in these words, by the name of the stage and of the table in the code. \`>\` is between what is
written and what is read. \`openBefore\` lists words before which an ending has two meanings.
`

const differentHead = `
## Different speech

A listener notices these differences, or a reader understands another sentence. A profile that equates them hides errors.
Words that sound alike and differ in meaning (its and it's, there and their) are different here: choosing between them is part
of recognition. Joined and separate writing is equal only where a list names the word, because re-sign and co-op are other words
than resign and coop.
`
