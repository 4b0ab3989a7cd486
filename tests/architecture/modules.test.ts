import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSources, type SourceFile } from '../../scripts/read-imports.ts'

/** The modules in their order, and which of the modules before them each may use: whole, or a single file of one. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  prelude: [],
  installation: ['prelude'],
  contract: ['prelude'],
  audio: ['prelude'],
  scoring: ['prelude'],
  statistics: ['prelude'],
  rates: ['prelude', 'scoring', 'statistics'],
  load: ['prelude'],
  capacity: ['prelude', 'statistics', 'load'],
  conformance: ['prelude', 'contract'],
  providers: ['prelude'],
  transcripts: ['prelude', 'scoring'],
  corpus: ['prelude', 'installation', 'audio', 'scoring', 'transcripts'],
  journal: ['prelude', 'contract', 'load', 'scoring/shapes'],
  client: ['prelude', 'contract', 'load', 'providers'],
  telemetry: ['prelude', 'load', 'journal'],
  service: ['prelude', 'installation', 'contract', 'audio', 'corpus', 'telemetry', 'providers'],
  config: ['prelude', 'contract', 'scoring', 'load', 'providers'],
  run: [
    'prelude',
    'contract',
    'load',
    'capacity',
    'conformance',
    'corpus',
    'journal',
    'client',
    'telemetry',
    'config',
  ],
  analysis: ['prelude', 'contract', 'scoring', 'statistics', 'rates', 'load', 'capacity', 'journal'],
  reports: [
    'prelude',
    'contract',
    'conformance',
    'scoring',
    'statistics',
    'rates',
    'capacity',
    'journal',
    'analysis',
  ],
  page: ['prelude', 'scoring', 'statistics', 'analysis', 'capacity', 'reports/page'],
  review: ['prelude', 'reports'],
  session: [
    'prelude',
    'installation',
    'contract',
    'audio',
    'scoring',
    'rates',
    'load',
    'capacity',
    'conformance',
    'providers',
    'corpus',
    'journal',
    'client',
    'service',
    'telemetry',
    'config',
    'run',
    'analysis',
    'reports',
    'review',
  ],
  fleet: ['prelude', 'installation', 'statistics', 'load', 'corpus', 'journal', 'config', 'session'],
  cli: [
    'prelude',
    'installation',
    'contract',
    'scoring',
    'rates',
    'load',
    'capacity',
    'providers',
    'conformance',
    'corpus',
    'transcripts',
    'journal',
    'client',
    'service',
    'telemetry',
    'config',
    'run',
    'analysis',
    'reports',
    'review',
    'session',
    'fleet',
  ],
}

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
  'run',
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

/** Every breach of the rules in these files, one sentence each. */
function breaches(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [...importBreaches(file), ...purityBreaches(file)])
}

function importBreaches({ path, imports }: SourceFile): string[] {
  const module = moduleOf(path)
  return imports.flatMap((target) => {
    if (target.startsWith('#')) {
      if (module === 'index.ts') return []
      const entry = target.slice(1)
      const allowed = mayImport[module]?.some((name) => name === entry || name === moduleOf(entry)) ?? false
      return allowed ? [] : [`${path} imports ${target}, which ${module} may not use`]
    }
    if (!target.startsWith('.')) return []
    const reached = join(path, '..', target)
    return moduleOf(reached) === module || module === 'index.ts'
      ? []
      : [`${path} reaches into another module: ${target}`]
  })
}

function purityBreaches({ path, code, imports }: SourceFile): string[] {
  if (!pureModules.includes(moduleOf(path)) || impureFiles.includes(path)) return []
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
    const modules = new Set(files.map((file) => moduleOf(file.path)))
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
        expect(order.indexOf(other.split('/')[0] ?? ''), `${module} uses ${other}`).toBeLessThan(
          order.indexOf(module),
        )
    }
  })

  test('the run neither scores nor reports, and neither of client and service imports the other', () => {
    expect(mayImport['run']).not.toContain('scoring')
    expect(mayImport['run']).not.toContain('analysis')
    expect(mayImport['client']).not.toContain('service')
    expect(mayImport['service']).not.toContain('client')
  })

  test.each([
    ['a forbidden module', fileWith('run', '', '#scoring/counts')],
    ['a deep import', fileWith('run', '', '../client/connection.ts')],
    ['a file system in a pure module', fileWith('scoring', '', 'node:fs/promises')],
    ['the clock in a pure module', fileWith('analysis', 'const now = Date.now()')],
    ['the terminal in a pure module', fileWith('reports', 'console.log(1)')],
  ])('the check finds %s', (_what, file) => {
    expect(breaches([file])).toHaveLength(1)
  })
})
