import type { Alignment, AlignmentRule } from '#scoring/alignment/align'
import type { ErrorCounts } from '#scoring/shapes'

/** A path as a row of letters: = hit, S substitution, D deletion, I insertion. */
export type Operations = string

const letters = { hit: '=', substitution: 'S', deletion: 'D', insertion: 'I' } as const

export function operationsOf({ steps }: Alignment): Operations {
  return steps.map(({ kind }) => letters[kind]).join('')
}

/** The path of a rule by its definition. */
export function oracle(
  reference: readonly string[],
  hypothesis: readonly string[],
  rule: AlignmentRule,
): Operations {
  if (rule === 'canonical') return canonicalOracle(reference, hypothesis)
  return rule === 'jiwer' ? jiwerOracle(reference, hypothesis) : forwardOracle(reference, hypothesis, rule)
}

const edit = 2 ** 20

/** All costs to the end by the plainest dynamic programme: edits · 2²⁰ + substitutions. */
function costsToGo(reference: readonly string[], hypothesis: readonly string[]): Float64Array[] {
  const height = reference.length
  const width = hypothesis.length
  const costs = Array.from({ length: height + 1 }, () => new Float64Array(width + 1))
  const at = (row: number, column: number): number => costs[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = height; row >= 0; row -= 1) {
    for (let column = width; column >= 0; column -= 1) {
      if (row === height && column === width) continue
      const pair = reference[row] === hypothesis[column] ? 0 : edit + 1
      const cost = Math.min(
        at(row + 1, column + 1) + pair,
        at(row + 1, column) + edit,
        at(row, column + 1) + edit,
      )
      ;(costs[row] as Float64Array)[column] = cost
    }
  }
  return costs
}

/** The canonical path by its definition: fewest edits, then most hits, then pairs as far left as they go. */
export function canonicalOracle(reference: readonly string[], hypothesis: readonly string[]): Operations {
  const costs = costsToGo(reference, hypothesis)
  const at = (row: number, column: number): number => costs[row]?.[column] ?? Number.POSITIVE_INFINITY
  let operations = ''
  let row = 0
  let column = 0
  while (row < reference.length || column < hypothesis.length) {
    const here = at(row, column)
    const isHit = row < reference.length && reference[row] === hypothesis[column]
    if (here === at(row + 1, column + 1) + (isHit ? 0 : edit + 1)) {
      operations += isHit ? '=' : 'S'
      row += 1
      column += 1
    } else if (here === at(row + 1, column) + edit) {
      operations += 'D'
      row += 1
    } else {
      operations += 'I'
      column += 1
    }
  }
  return operations
}

/** Edit distances between all beginnings. */
function distances(reference: readonly string[], hypothesis: readonly string[]): Int32Array[] {
  const rows: Int32Array[] = []
  for (let row = 0; row <= reference.length; row += 1) {
    const current = new Int32Array(hypothesis.length + 1)
    const above = rows[row - 1]
    for (let column = 0; column <= hypothesis.length; column += 1) {
      if (above === undefined || column === 0) current[column] = row + column
      else {
        const differs = reference[row - 1] === hypothesis[column - 1] ? 0 : 1
        current[column] = Math.min(
          (above[column - 1] as number) + differs,
          (above[column] as number) + 1,
          (current[column - 1] as number) + 1,
        )
      }
    }
    rows.push(current)
  }
  return rows
}

/** jiwer's path by its published rule, on the full matrix between what both sides begin and end with. */
function jiwerOracle(reference: readonly string[], hypothesis: readonly string[]): Operations {
  let start = 0
  while (start < Math.min(reference.length, hypothesis.length) && reference[start] === hypothesis[start])
    start += 1
  let end = 0
  while (
    end < Math.min(reference.length, hypothesis.length) - start &&
    reference.at(-1 - end) === hypothesis.at(-1 - end)
  ) {
    end += 1
  }
  const a = reference.slice(start, reference.length - end)
  const b = hypothesis.slice(start, hypothesis.length - end)
  const matrix = distances(a, b)
  const at = (row: number, column: number): number => matrix[row]?.[column] as number
  let operations = ''
  let row = a.length
  let column = b.length
  while (row > 0 && column > 0) {
    if (at(row, column) === at(row - 1, column) + 1) {
      operations = `D${operations}`
      row -= 1
    } else if (column > 1 && at(row, column - 1) === at(row - 1, column - 1) - 1) {
      operations = `I${operations}`
      column -= 1
    } else {
      operations = (a[row - 1] === b[column - 1] ? '=' : 'S') + operations
      row -= 1
      column -= 1
    }
  }
  return '='.repeat(start) + 'D'.repeat(row) + 'I'.repeat(column) + operations + '='.repeat(end)
}

/** Kaldi's and sclite's paths by their forward rules: costs of a gap and a substitution, and which of equals. */
function forwardOracle(
  reference: readonly string[],
  hypothesis: readonly string[],
  rule: 'kaldi' | 'sclite',
): Operations {
  const gap = rule === 'kaldi' ? 1 : 3
  const substitution = rule === 'kaldi' ? 1 : 4
  const width = hypothesis.length + 1
  const costs = new Float64Array((reference.length + 1) * width)
  const ways: string[] = new Array(costs.length).fill('')
  for (let row = 0; row <= reference.length; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const here = row * width + column
      if (here === 0) continue
      const deletion = row === 0 ? Number.POSITIVE_INFINITY : (costs[here - width] as number) + gap
      const insertion = column === 0 ? Number.POSITIVE_INFINITY : (costs[here - 1] as number) + gap
      const isHit = reference[row - 1] === hypothesis[column - 1]
      const before =
        row === 0 || column === 0 ? Number.POSITIVE_INFINITY : (costs[here - width - 1] as number)
      const pair = before + (isHit ? 0 : substitution)
      const pairs =
        rule === 'kaldi' ? pair < Math.min(deletion, insertion) : pair <= deletion && pair <= insertion
      ways[here] = pairs ? (isHit ? '=' : 'S') : deletion < insertion ? 'D' : 'I'
      costs[here] = pairs ? pair : Math.min(deletion, insertion)
    }
  }
  let operations = ''
  let row = reference.length
  let column = hypothesis.length
  while (row > 0 || column > 0) {
    const way = ways[row * width + column] as string
    operations = way + operations
    if (way !== 'I') row -= 1
    if (way !== 'D') column -= 1
  }
  return operations
}

/** How often each operation occurs. */
export function countOperations(operations: Operations): ErrorCounts {
  const count = (letter: string): number => operations.split(letter).length - 1
  return { hits: count('='), substitutions: count('S'), deletions: count('D'), insertions: count('I') }
}
