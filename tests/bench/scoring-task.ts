import { distance } from 'fastest-levenshtein'
import { countErrors, editDistance } from '#scoring/alignment/align'
import { errorCount, sumCounts } from '#scoring/counts'
import { findProfile } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'
import { tokeniseWords } from '#scoring/tokens'
import { readLanguagePairs } from '../../scripts/language-pairs.ts'
import { peakBytes } from './peak-bytes.ts'
import { longPair, utterances } from './scoring-corpus.ts'

/** Runs one task in a separate process, so that its memory is its own, and prints what it took. */
const [task = '', wordCount = '0', rate = ''] = process.argv.slice(2)

function longTask(work: (reference: string[], hypothesis: string[]) => number): () => number {
  const { reference, hypothesis } = longPair(Number(wordCount), rate === '' ? null : Number(rate))
  return () => work(reference, hypothesis)
}

/** The plainest dynamic programme: two rows, every cell. Returns the distance. */
function plainDistance(reference: readonly string[], hypothesis: readonly string[]): number {
  const ids = new Map<string, number>()
  const number = (word: string): number => {
    const known = ids.get(word) ?? ids.size
    ids.set(word, known)
    return known
  }
  const rows = Int32Array.from(reference, number)
  const columns = Int32Array.from(hypothesis, number)
  const costs = Int32Array.from({ length: columns.length + 1 }, (_, column) => column)
  for (let row = 0; row < rows.length; row += 1) {
    let diagonal = costs[0] as number
    costs[0] = row + 1
    for (let column = 1; column <= columns.length; column += 1) {
      const above = costs[column] as number
      const pair = diagonal + (rows[row] === columns[column - 1] ? 0 : 1)
      costs[column] = Math.min(pair, above + 1, (costs[column - 1] as number) + 1)
      diagonal = above
    }
  }
  return costs[columns.length] as number
}

/** Each word as one character: 20,000 of them fit below the surrogates. */
function charactersDistance(reference: readonly string[], hypothesis: readonly string[]): number {
  const characters = new Map<string, string>()
  const write = (words: readonly string[]): string =>
    words
      .map((word) => {
        const known = characters.get(word) ?? String.fromCharCode(0x100 + characters.size)
        characters.set(word, known)
        return known
      })
      .join('')
  return distance(write(reference), write(hypothesis))
}

function utteranceTask(work: (reference: string[], hypothesis: string[]) => number): () => number {
  const lines = utterances(100_000)
  return () => {
    let sum = 0
    for (const { reference, hypothesis } of lines) sum += work(reference.split(' '), hypothesis.split(' '))
    return sum
  }
}

function scoreUtterances(): () => number {
  const lines = utterances(100_000)
  return () =>
    errorCount(
      sumCounts(
        lines.map(({ reference, hypothesis }) =>
          countErrors(tokeniseWords(reference), tokeniseWords(hypothesis)),
        ),
      ),
    )
}

function normaliseLines(id: string): () => number {
  const profile = findProfile(id)
  // English words of running text, some of them numbers, contractions and marks.
  const words =
    "the of and to a in that it's was he for on are as with they I at be this have from or one had by but not what all were we when your can said there twenty use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number no way could people my than first water been called who oil now find long down day did get come made may part don't colour 1,000".split(
      ' ',
    )
  const lines = utterances(100_000).map(({ reference }) => {
    const text = reference
      .split(' ')
      .map((word) => words[Number.parseInt(word.slice(1), 36) % words.length] as string)
      .join(' ')
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  })
  return () => lines.reduce((sum, line) => sum + normalise(line, profile).length, 0)
}

/** Lines of about 20 words, made of the pairs of a language: names, figures and marks are more frequent than in speech. */
function languageLines(name: string): () => number {
  const pairs = readLanguagePairs().find((table) => table.name === name)
  if (pairs === undefined) throw new TypeError(`no language ${name}`)
  const texts = [...pairs.equal, ...pairs.different].flatMap(({ one, other }) => [one, other])
  const profile = findProfile(name)
  const lines = Array.from({ length: 100_000 }, (_, at) =>
    Array.from({ length: 6 }, (__, step) => texts[(at * 7 + step * 13) % texts.length]).join(', '),
  )
  return () => lines.reduce((sum, line) => sum + normalise(line, profile).length, 0)
}

const tasks: Readonly<Record<string, () => () => number>> = {
  utterances: scoreUtterances,
  'utterances-plain': () => utteranceTask(plainDistance),
  'utterances-characters': () => utteranceTask(charactersDistance),
  counts: () => longTask((reference, hypothesis) => errorCount(countErrors(reference, hypothesis))),
  distance: () => longTask(editDistance),
  'plain-distance': () => longTask(plainDistance),
  'characters-distance': () => longTask(charactersDistance),
  normalise: () => normaliseLines(wordCount),
  language: () => languageLines(wordCount),
}

const make = tasks[task]
if (make === undefined) throw new TypeError(`no task ${task}`)
const work = make()
const usageBefore = process.cpuUsage()
const startedAtMs = performance.now()
const result = work()
const seconds = (performance.now() - startedAtMs) / 1000
const { user, system } = process.cpuUsage(usageBefore)
const processorSeconds = (user + system) / 1e6
process.stdout.write(JSON.stringify({ seconds, processorSeconds, peakBytes: await peakBytes(), result }))
