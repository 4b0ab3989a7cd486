import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Vectors {
  readonly student: readonly { t: number; degrees: number; cumulative: number }[]
  readonly studentQuantile: readonly { probability: number; degrees: number; t: number }[]
  readonly mannWhitney: readonly {
    a: number[]
    b: number[]
    u: number
    p: number
    method: 'exact' | 'normal'
  }[]
  readonly wilcoxon: readonly { differences: number[]; p: number }[]
  readonly theilSen: readonly {
    x: number[]
    y: number[]
    slope: number
    intercept: number
    low: number
    high: number
  }[]
  readonly welch: readonly { a: number[]; b: number[]; p: number }[]
  readonly meanInterval: readonly { values: number[]; low: number; high: number }[]
  readonly multiplicity: { p: number[]; holm: number[]; benjaminiHochberg: number[] }
  readonly sign: readonly { oneWay: number; otherWay: number; p: number }[]
}

const fixtures = join(import.meta.dirname, 'fixtures')

/** What SciPy makes of the same data: see `fixtures/README.md`. */
export const vectors: Vectors = JSON.parse(readFileSync(join(fixtures, 'vectors.json'), 'utf8'))

/** The words of a trn file by utterance id. */
export function readTrn(name: string): ReadonlyMap<string, readonly string[]> {
  const lines = readFileSync(join(fixtures, `${name}.trn`), 'utf8')
    .trim()
    .split('\n')
  return new Map(
    lines.map((line) => {
      const [, words = '', id = ''] = /^(.*) \((.*)\)$/.exec(line) ?? []
      return [id, words.split(' ')]
    }),
  )
}
