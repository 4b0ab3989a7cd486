/** Prints the import cycles of files and folders, the largest folder and the sizes of src; exits 1 on a cycle, and on what is too large. */
import { dirname } from 'node:path'
import { folderGraph, importCycles, longestChain } from './import-cycles.ts'
import { largestFolderOfUnlikeFiles, measureSizes, sizeLimits, tooLargeFolders } from './large-folders.ts'
import { importGraph, readSources } from './read-imports.ts'

const files = readSources()
const graph = importGraph(files)
const cycles = importCycles(graph)

const cycleLines = cycles.flatMap((cycle) => [
  `import cycle of ${cycle.length} files, types included:`,
  ...cycle.map((path) => {
    const targets = new Set(graph.get(path)?.filter((target) => cycle.includes(target)))
    return `  src/${path} imports ${[...targets].join(', ')}`
  }),
])
const folderCycles = importCycles(folderGraph(graph))
const advice = 'Move what these files share, types too, to a file that both import.'
const folders = Map.groupBy(files, ({ path }) => dirname(path))
const tooLarge = tooLargeFolders(folders)
const [largest = ['', []]] = [...folders].sort(([, left], [, right]) => right.length - left.length)
const { medianLines, longest, faults } = measureSizes(files)
const chain = longestChain(graph)
if (chain > sizeLimits.chain)
  faults.push(`a chain of ${chain} imports, more than ${sizeLimits.chain}. Move a type to where it is made.`)
const occurrences = (pattern: RegExp): number =>
  files.reduce((sum, { code }) => sum + [...code.matchAll(pattern)].length, 0)
const lineCount = files.reduce((sum, file) => sum + file.lineCount, 0)
const lines = [
  ...cycleLines,
  ...(cycles.length === 0 ? [] : [advice]),
  ...tooLarge.map(
    ([folder, { length }]) =>
      `src/${folder}: ${length} files, more than ${largestFolderOfUnlikeFiles}. Divide it by subject.`,
  ),
  ...faults,
  ...folderCycles.map(
    (cycle) => `folders that import each other: ${cycle.map((folder) => `src/${folder}`).join(', ')}`,
  ),
  `import cycles: ${cycles.length} of files, ${folderCycles.length} of folders of a module`,
  `longest chain of imports: ${chain} files`,
  `largest folder: src/${largest[0]}, ${largest[1].length} files`,
  `longest file: src/${longest.path}, ${longest.lineCount} lines`,
  `functions that are named …Of: ${occurrences(/function\*? [a-z]\w*Of\b/gi)}`,
  `spreads of undefined: ${occurrences(/\.\.\.\([^()]* === undefined \? \{\} :/g)}`,
  `src: ${files.length} files, ${lineCount} lines, median ${medianLines}`,
]
process.stdout.write(`${lines.join('\n')}\n`)
process.exitCode = cycles.length + folderCycles.length + tooLarge.length + faults.length === 0 ? 0 : 1
