/**
 * Prints how long the sentences of the documentation are; exits 1 if they are too long, or if documentation or screens contain
 * idiom. With paths as arguments, only these pages are read.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findIdiom, readSentences } from './read-prose.ts'

const root = join(import.meta.dirname, '..')
const limits = { averageWords: 20, words: 35 }

const given = process.argv.slice(2)
/** Files whose sentences are counted, generated ones too. */
const pages = ['README.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'corpora/**/*.md']
/** Files that must not contain idiom. */
const idiomFree = [
  ...pages,
  'CHANGELOG.md',
  'SECURITY.md',
  'action.yml',
  'configs/*.yaml',
  'docs/schemas/*.json',
  // What the screens say.
  'tests/reports/golden/*',
]
const read = (patterns: readonly string[]): { readonly path: string; readonly text: string }[] =>
  (given.length > 0 ? given : globSync([...patterns], { cwd: root }))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const sentences = read(pages).flatMap(({ path, text }) =>
  readSentences(text).map((sentence) => ({ path, ...sentence })),
)
// Cells are short; they would hide long sentences in the average.
const running = sentences.filter(({ isInTable }) => !isInTable)
const average = running.reduce((sum, { wordCount }) => sum + wordCount, 0) / Math.max(1, running.length)
const [longest] = sentences.toSorted((left, right) => right.wordCount - left.wordCount)

const isWhole = given.length === 0

const problems = [
  ...sentences
    .filter((sentence) => sentence.wordCount > limits.words)
    .map(
      ({ path, line, wordCount, text }) =>
        `${path}:${line}: a sentence of ${wordCount} words, at most ${limits.words}: ${text}`,
    ),
  ...(average <= limits.averageWords
    ? []
    : [`the average sentence has ${average.toFixed(1)} words, at most ${limits.averageWords}`]),
  ...read(idiomFree).flatMap(({ path, text }) =>
    findIdiom(text).map(({ line, word }) => `${path}:${line}: "${word}": use a technical term`),
  ),
  ...(sentences.length > (isWhole ? 100 : 0)
    ? []
    : ['hardly any sentences were read: look at the list of pages']),
]
const summary = [
  `sentences: ${running.length}, on average ${average.toFixed(1)} words; cells of tables: ${sentences.length - running.length}`,
  `longest: ${longest?.wordCount} words, ${longest?.path}:${longest?.line}`,
]
process.stdout.write(`${[...problems, ...summary].join('\n')}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
