import { describe, expect, test } from 'vitest'
import { folderGraph, importCycles, longestChain } from '../../scripts/import-cycles.ts'
import {
  largestFolderOfUnlikeFiles,
  measureSizes,
  sizeLimits,
  tooLargeFolders,
} from '../../scripts/large-folders.ts'
import { importGraph, readSources } from '../../scripts/read-imports.ts'

const graphOf = (edges: Readonly<Record<string, readonly string[]>>): Map<string, readonly string[]> =>
  new Map(Object.entries(edges))

describe('import cycles', () => {
  test('reports no cycle where two ways lead to the same file', () => {
    expect(importCycles(graphOf({ top: ['left', 'right'], left: ['end'], right: ['end'], end: [] }))).toEqual(
      [],
    )
  })

  test('names every file of a cycle, and no file that only leads to it or from it', () => {
    const graph = graphOf({ start: ['one'], one: ['two'], two: ['three'], three: ['one', 'end'], end: [] })
    expect(importCycles(graph)).toEqual([['one', 'three', 'two']])
  })

  test('joins cycles that share a file, and separates those that do not', () => {
    const graph = graphOf({ a: ['b'], b: ['a', 'c'], c: ['b', 'd'], d: ['e'], e: ['d'] })
    expect(importCycles(graph)).toEqual([
      ['d', 'e'],
      ['a', 'b', 'c'],
    ])
  })

  test('reports a file that imports itself', () => {
    expect(importCycles(graphOf({ alone: ['alone'] }))).toEqual([['alone']])
  })

  test('resolves relative paths and paths from src', () => {
    const graph = importGraph(readSources())
    expect(graph.get('config/config-file.ts')).toEqual(
      expect.arrayContaining(['config/scoring-file.ts', 'contract/enums.ts']),
    )
    expect([...graph.values()].flat()).toContain('reports/page.ts')
  })
})

test('folders of a module import each other in one direction, but for a folder and one inside of it', () => {
  expect(importCycles(folderGraph(graphOf({ 'a/b/x': ['a/c/y'], 'a/c/y': ['a/b/z'], 'a/b/z': [] })))).toEqual(
    [['a/b', 'a/c']],
  )
  const nested = graphOf({ 'a/b/x': ['a/y'], 'a/y': ['a/b/x'], 'b/c/x': ['a/y'] })
  expect(importCycles(folderGraph(nested))).toEqual([])
  expect(importCycles(folderGraph(importGraph(readSources())))).toEqual([])
})

describe('large folders', () => {
  const filled = (folder: string, count: number): [string, number[]] => [
    folder,
    Array.from(Array(count).keys()),
  ]

  test('reports a folder with more files than the limit, and none at the limit', () => {
    const folders = new Map([
      filled('corpus', largestFolderOfUnlikeFiles + 1),
      filled('load', largestFolderOfUnlikeFiles),
    ])
    expect(tooLargeFolders(folders).map(([folder]) => folder)).toEqual(['corpus'])
  })

  test('allows more files in a folder where each file is one of a kind', () => {
    expect(tooLargeFolders(new Map([filled('cli/commands', 3 * largestFolderOfUnlikeFiles)]))).toEqual([])
  })
})

describe('sizes', () => {
  const files = (count: number, lineCount: number): { path: string; lineCount: number }[] =>
    Array.from({ length: count }, (_, index) => ({ path: `file-${index}.ts`, lineCount }))

  test('reports a file that is too long, and too many files', () => {
    const { files: mostFiles, linesOfFile } = sizeLimits
    expect(measureSizes(files(mostFiles, linesOfFile)).faults).toEqual([])
    expect(measureSizes([...files(2, 10), ...files(1, linesOfFile + 1)])).toMatchObject({
      medianLines: 10,
      longest: { path: 'file-0.ts', lineCount: linesOfFile + 1 },
      faults: [expect.stringContaining('src/file-0.ts')],
    })
    expect(measureSizes(files(mostFiles + 1, 10)).faults).toHaveLength(1)
  })

  test('counts the files on the longest way of imports', () => {
    expect(longestChain(graphOf({ a: ['b', 'c'], b: ['d'], c: [], d: ['e'], e: [] }))).toBe(4)
    expect(longestChain(graphOf({ a: ['a'] }))).toBe(1)
  })
})
