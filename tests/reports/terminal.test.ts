import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { drawAlignedWords } from '#reports/layout/aligned-words'
import { layTable } from '#reports/layout/table'
import { foreign, measureWidth, pad, paint, paragraph } from '#reports/layout/terminal'
import { ascii, coloured, narrow, wide } from './measured.ts'

describe('a terminal', () => {
  test('measures wide characters as two columns, marks as none', () => {
    expect(measureWidth('你好')).toBe(4)
    expect(measureWidth('e\u0301')).toBe(1)
    expect(pad('你好', 6)).toBe('你好  ')
  })

  test('measures every character of ours as the library of terminal widths does', () => {
    const codes = Array.from({ length: 0x3000 }, (_, code) => code)
    const wrong = codes.filter((code) => {
      const character = String.fromCodePoint(code)
      return measureWidth(character) !== stringWidth(character)
    })
    expect(wrong).toEqual([])
  })

  test('gets colour only where it has colour', () => {
    expect(paint('✓', 'good', wide)).toBe('✓')
    expect(paint('✓', 'good', coloured)).toBe('\u001b[32m✓\u001b[39m')
  })

  test('gets signs in ASCII where it has nothing else, and texts as they are', () => {
    expect(paragraph('3 × “你好” – done…', '', ascii)).toBe('3 x "你好" - done...')
  })

  test('is not steered by a text that came from outside', () => {
    expect(foreign('\u001b[2J\u001b[31mred\u001b[0m\u202etxet\u0007')).toBe('red txet ')
  })

  test('breaks a paragraph at blanks under its indent', () => {
    const lines = paragraph('word '.repeat(30).trim(), '    ', narrow).split('\n')
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines) {
      expect(line.startsWith('    word')).toBe(true)
      expect(measureWidth(line)).toBeLessThanOrEqual(60)
    }
  })
})

describe('a table', () => {
  const columns = [
    { header: 'name', align: 'left', dropOrder: 0, cell: (row: readonly string[]) => row[0] ?? '' },
    { header: 'first', align: 'right', dropOrder: 1, cell: (row: readonly string[]) => row[1] ?? '' },
    { header: 'second', align: 'right', dropOrder: 2, cell: (row: readonly string[]) => row[2] ?? '' },
    { header: 'third', align: 'right', dropOrder: 2, cell: (row: readonly string[]) => row[3] ?? '' },
  ] as const
  const rows = [
    ['日本語', '1', '22', '333'],
    ['english', '4,444', '5', '6'],
  ]

  test('aligns columns by what is seen', () => {
    expect(layTable(columns, rows, wide).lines).toEqual([
      '  name     first  second  third',
      '  日本語       1      22    333',
      '  english  4,444       5      6',
    ])
  })

  test('is as wide as its widest cell, however many rows it has', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => [String(index)])
    expect(layTable(columns.slice(0, 1), [...many, ['the widest one']], wide).lines).toHaveLength(200_002)
  })

  test('leaves out the most dispensable columns, together, where it is too narrow, and says which', () => {
    const { lines, leftOut } = layTable(columns, rows, { ...wide, width: 20 })
    expect(leftOut).toEqual(['second', 'third'])
    expect(lines[0]).toBe('  name     first')
    expect(layTable(columns, rows, { ...wide, width: 3 }).leftOut).toEqual(['first', 'second', 'third'])
  })
})

test('a drawing of words that is cut counts what is left, in the singular too', () => {
  const runWords = Array.from({ length: 7 }, () => ({
    kind: 'substitution' as const,
    reference: 'x'.repeat(40),
    hypothesis: 'y'.repeat(40),
  }))
  expect(drawAlignedWords({ baseWords: null, runWords }, '', narrow).at(-1)).toMatch(/ 1 more word; /)
})
