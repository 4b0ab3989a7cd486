import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readSources, type SourceFile } from '../../scripts/read-imports.ts'

/** Of each module, in their order, which of those before it it may use: see the file. */
const mayImport: Readonly<Record<string, readonly string[]>> = parse(
  readFileSync(join(import.meta.dirname, 'modules.yaml'), 'utf8'),
)

/** Modules that touch no files, sockets, processes or clock; and the files that are exceptions. */
const pureModules = [
  'prelude',
  'contract',
  'conformance',
  'providers',
  'audio',
  'scoring',
  'statistics',
  'rates',
  'load',
  'capacity',
  'config',
  'run/execute',
  'analysis',
  'reports',
]
const outsideImports =
  /^node:(fs|net|http|https|tls|dgram|dns|child_process|cluster|worker_threads|os|process|readline|perf_hooks|sqlite)/
const impureFiles = ['load/clock.ts', 'scoring/profiles/languages/read-language.ts']
const outsideGlobals =
  /(?<!\/\/)\b(process|console|performance|fetch)\s*[.(]|\b(setTimeout|setInterval)\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/

/** The first folder. */
function moduleOf(path: string): string {
  return path.split('/')[0] ?? ''
}

/** The folder of the table that a file is in: a module, or a folder of one that stands for itself. */
function placeOf(path: string): string {
  const [module = '', folder = ''] = path.split('/')
  return `${module}/${folder}` in mayImport ? `${module}/${folder}` : module
}

/** Every breach of the rules in these files, one sentence each. */
function breaches(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [...importBreaches(file), ...purityBreaches(file)])
}

function importBreaches({ path, imports }: SourceFile): string[] {
  if (path === 'index.ts') return []
  const place = placeOf(path)
  return imports.flatMap((target) => {
    if (!/^[#.]/.test(target)) return []
    const reached = target.startsWith('#') ? target.slice(1) : join(path, '..', target)
    if (target.startsWith('.') && moduleOf(reached) !== moduleOf(path)) {
      return [`${path} reaches into another module: ${target}`]
    }
    const isOwn = target.startsWith('.') && placeOf(reached) === place
    const isAllowed = isOwn || mayImport[place]?.some((name) => name === reached || name === placeOf(reached))
    return isAllowed ? [] : [`${path} imports ${target}, which ${place} may not use`]
  })
}

function purityBreaches({ path, code, imports }: SourceFile): string[] {
  if (!pureModules.includes(placeOf(path)) || impureFiles.includes(path)) return []
  const touched = imports
    .filter((target) => outsideImports.test(target))
    .map((target) => `${path} imports ${target}`)
  const used = outsideGlobals.exec(code)
  return used === null ? touched : [...touched, `${path} uses ${used[0]}`]
}

const fileWith = (module: string, code: string, ...imports: string[]): SourceFile => ({
  path: `${module}/example.ts`,
  code,
  lineCount: 1,
  imports,
})

describe('the modules of src', () => {
  const files = readSources()

  test('every folder of src has a place in the order of modules', () => {
    const modules = new Set(files.map((file) => placeOf(file.path)))
    modules.delete('index.ts')
    expect([...modules].sort()).toEqual(Object.keys(mayImport).sort())
  })

  test('every module was read with its imports', () => {
    expect(files.length).toBeGreaterThan(60)
    expect(files.flatMap((file) => file.imports).length).toBeGreaterThan(200)
  })

  test('modules import each other in one direction, by their names, and the pure ones touch nothing outside', () => {
    expect(breaches(files)).toEqual([])
  })

  test('the table itself never points to a module that comes later', () => {
    const order = Object.keys(mayImport)
    for (const [module, allowed] of Object.entries(mayImport)) {
      for (const other of allowed)
        expect(order.indexOf(placeOf(other)), `${module} uses ${other}`).toBeLessThan(order.indexOf(module))
    }
  })

  test('what sends neither scores nor reports, and neither of client and service imports the other', () => {
    expect(mayImport['run/execute']).not.toContain('scoring')
    expect(mayImport['run/execute']).not.toContain('analysis')
    expect(mayImport['client']).not.toContain('service')
    expect(mayImport['service']).not.toContain('client')
  })

  test.each([
    ['a forbidden module', fileWith('client', '', '#scoring/counts')],
    ['a deep import', fileWith('run', '', '../client/connection.ts')],
    ['an import of a later folder of one module', fileWith('run/execute', '', '../segment.ts')],
    ['a file system in a pure module', fileWith('scoring', '', 'node:fs/promises')],
    ['the clock in a pure module', fileWith('analysis', 'const now = Date.now()')],
    ['the terminal in a pure module', fileWith('reports', 'console.log(1)')],
  ])('the check finds %s', (_what, file) => {
    expect(breaches([file])).toHaveLength(1)
  })
})
