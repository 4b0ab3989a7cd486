/**
 * Writes `src/service/transcription/spelling-pairs.json` from two collections that are not in the repository:
 *
 *   npm pack american-british-english-translator@0.2.1 && tar -xzf american-british-english-translator-0.2.1.tgz
 *   apt-get download scowl=2020.12.07-2 && dpkg -x scowl_2020.12.07-2_all.deb scowl
 *   node scripts/english-spellings.ts package/data scowl/usr/share/dict/scowl
 *   npx biome check --write src/service/transcription/spelling-pairs.json
 *
 * The translator knows which words are two spellings of one. Pairs grow by endings: who writes colorize and colourize
 * writes colorizing and colourizing. Which English writes which is SCOWL's to say, and what no two Englishes write
 * differently is left out.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The order of the letters in the table's keys. */
const englishes = ['american', 'british', 'canadian', 'australian']

/** SCOWL's larger lists hold the words of word games. */
const largestSize = 70

/** Of the same kind as the translator's, and missing there. */
const further = `skillful/skilful willful/wilful fueled/fuelled equaled/equalled totaled/totalled labeled/labelled
  electrolyze/electrolyse hydrolyze/hydrolyse tranquility/tranquillity tranquilize/tranquillise snowplow/snowplough
  anesthetize/anaesthetise disfavor/disfavour ocher/ochre centering/centring`

/** Two words, two forms of one, or a museum, that the translator takes for two spellings. */
const noPairs: ReadonlySet<string> = new Set(
  `filter/philtre filters/philtres groin/groyne groins/groynes louver/louvre louvers/louvres
  pummel/pummelled snowplow/snowploughs tranquility/tranquilly`.split(/\s+/),
)

const endings: ReadonlySet<string> = new Set(
  [''].concat(
    `s e es ed er ers est or ors ing ings ingly y al ally ation ations ational able ably ment ments ful fully fulness
    less ness ist ists ability`
      .trim()
      .split(/\s+/),
  ),
)

interface Pair {
  readonly first: string
  readonly second: string
}

/** Its other table is this one, the other way about. */
function translatorPairs(folder: string): Pair[] {
  const text = readFileSync(join(folder, 'american_spellings.json'), 'utf8')
  return Object.entries(JSON.parse(text) as Record<string, string>).map(([first, second]) => ({
    first,
    second,
  }))
}

function furtherPairs(): Pair[] {
  return further.split(/\s+/).map((pair) => {
    const [first = '', second = ''] = pair.split('/')
    return { first, second }
  })
}

/** The same two stems with every ending; the stems are what is left of the pair without an ending that both have. */
function grown({ first, second }: Pair): Pair[] {
  return [...endings]
    .filter((ending) => first.endsWith(ending) && second.endsWith(ending))
    .map((ending) => [
      first.slice(0, first.length - ending.length),
      second.slice(0, second.length - ending.length),
    ])
    .filter(([one, other]) => one !== other)
    .flatMap(([one = '', other = '']) =>
      [...endings].map((ending) => ({ first: one + ending, second: other + ending })),
    )
}

/** What each English writes: the words that all share, and its own. Words with capitals or apostrophes are none here. */
function dictionaries(folder: string): ReadonlySet<string>[] {
  const names = readdirSync(folder)
  const wordsOf = (english: string): string[] =>
    names
      .filter((name) => name.startsWith(`${english}-words.`) && Number(name.split('.')[1]) <= largestSize)
      .flatMap((name) => readFileSync(join(folder, name), 'latin1').split('\n'))
      .filter((word) => /^[a-z]+$/.test(word))
  const shared = wordsOf('english')
  if (shared.length === 0) throw new Error(`${folder} holds no lists of SCOWL`)
  return englishes.map((english) => new Set([...shared, ...wordsOf(english)]))
}

/** `abab`: the first is American and Canadian, the second British and Australian; `-` where SCOWL has both or neither. */
function choicesOf({ first, second }: Pair, known: readonly ReadonlySet<string>[]): string {
  return known
    .map((words) => (words.has(first) === words.has(second) ? '-' : words.has(first) ? 'a' : 'b'))
    .join('')
}

function chosenPairs(dataFolder: string, scowlFolder: string): Map<string, string> {
  const known = dictionaries(scowlFolder)
  const seeds = [...translatorPairs(dataFolder), ...furtherPairs()]
  const chosen = new Map<string, string>()
  for (const pair of seeds) {
    const choices = choicesOf(pair, known)
    if (new Set(choices).size > 1) chosen.set(`${pair.first}/${pair.second}`, choices)
  }
  for (const pair of seeds.flatMap(grown)) {
    const choices = choicesOf(pair, known)
    // Endings make words that do not exist, too: some English has to write each of the two, and not the other.
    if (choices.includes('a') && choices.includes('b')) chosen.set(`${pair.first}/${pair.second}`, choices)
  }
  for (const pair of noPairs) chosen.delete(pair)
  return chosen
}

/** A word that some English would rewrite to two others could not be rewritten. */
function ambiguous(chosen: ReadonlyMap<string, string>): string[] {
  return englishes.flatMap((english, at) => {
    const wanted = new Map<string, string>()
    return [...chosen].flatMap(([pair, choices]) => {
      const [first = '', second = ''] = pair.split('/')
      if (choices[at] === '-') return []
      const [from, to] = choices[at] === 'a' ? [second, first] : [first, second]
      const other = wanted.get(from)
      wanted.set(from, to)
      return other === undefined || other === to ? [] : [`${english}: ${from} to ${other} and ${to}`]
    })
  })
}

function render(chosen: ReadonlyMap<string, string>): string {
  const groups = Map.groupBy([...chosen].toSorted(), ([, choices]) => choices)
  const largestFirst = [...groups].toSorted(([, some], [, others]) => others.length - some.length)
  const lines = largestFirst.map(
    ([choices, pairs]) => [choices, filled(pairs.map(([pair]) => pair))] as const,
  )
  return `${JSON.stringify(Object.fromEntries(lines), null, 2)}\n`
}

/** Lines of at most 118 characters. */
function filled(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line === undefined || line.length + word.length + 1 > 118) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

const [dataFolder, scowlFolder] = process.argv.slice(2)
if (dataFolder === undefined || scowlFolder === undefined) {
  throw new Error('usage: node scripts/english-spellings.ts <folder of the translator> <folder of SCOWL>')
}
const chosen = chosenPairs(dataFolder, scowlFolder)
const problems = ambiguous(chosen)
if (problems.length > 0) throw new Error(problems.join('\n'))
const path = join(import.meta.dirname, '../src/service/transcription/spelling-pairs.json')
writeFileSync(path, render(chosen))
process.stdout.write(`${chosen.size} pairs\n`)
