/**
 * Prints how long the sentences of the documentation are; exits 1 if they are too long, if documentation or code contain
 * idiom, or if the name of a test is no sentence. With paths as arguments, only these pages are read.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findIdiom, findIdiomInCode, readSentences } from './read-prose.ts'
import { faultOfTestName, readTestNames } from './read-test-names.ts'

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
]
const code = ['src/**/*.{ts,tsx}']
/** Words that are data in a file. */
const data: Readonly<Record<string, readonly string[]>> = {
  'src/scoring/profiles/languages/english-forms.ts': ['tell'],
  // Flags and fields of older formats.
  'src/capacity/document/upgrade-finding.ts': ['bears', 'beside'],
}

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
const sources = isWhole ? read(code) : []
const tests = (isWhole ? read(['tests/**/*.{test,validate}.ts']) : []).flatMap(({ path, text }) =>
  readTestNames(text).map((test) => ({ path, ...test })),
)

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
  ...sources.flatMap(({ path, text }) =>
    findIdiomInCode(text, data[path] ?? []).map(
      ({ line, word }) => `${path}:${line}: "${word}": use a technical term`,
    ),
  ),
  ...tests.flatMap(({ path, line, names }) => {
    const [idiom] = findIdiom(names.at(-1) ?? '')
    const fault = idiom === undefined ? faultOfTestName({ names }) : `has "${idiom.word}"`
    return fault === null ? [] : [`${path}:${line}: the name of a test ${fault}: ${names.join(' > ')}`]
  }),
  ...(sentences.length > (isWhole ? 100 : 0) && (!isWhole || tests.length > 1000)
    ? []
    : ['hardly any sentences or tests were read: look at the lists of files']),
]
const summary = [
  `names of tests: ${tests.length}; files of code: ${sources.length}`,
  `sentences: ${running.length}, on average ${average.toFixed(1)} words; cells of tables: ${sentences.length - running.length}`,
  `longest: ${longest?.wordCount} words, ${longest?.path}:${longest?.line}`,
]
process.stdout.write(`${[...problems, ...summary].join('\n')}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
