import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSources, type SourceFile } from '../../scripts/read-imports.ts'

/** The rooms in their order, and which of the rooms before them each may use. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  prelude: [],
  installation: [],
  yaml: [],
  contract: ['prelude'],
  languages: ['prelude'],
  audio: ['prelude'],
  scoring: ['prelude'],
  statistics: ['prelude'],
  rates: ['prelude', 'languages', 'scoring', 'scoring/shapes', 'statistics'],
  load: ['prelude'],
  capacity: ['prelude', 'yaml', 'statistics', 'load'],
  conformance: ['prelude', 'contract'],
  transcripts: ['prelude', 'scoring'],
  corpus: ['prelude', 'contract', 'languages', 'audio', 'scoring', 'transcripts'],
  journal: ['prelude', 'contract', 'load'],
  client: ['prelude', 'contract', 'load'],
  telemetry: ['prelude', 'load', 'journal'],
  service: ['prelude', 'yaml', 'contract', 'audio', 'corpus', 'telemetry'],
  config: ['prelude', 'yaml', 'contract', 'languages', 'scoring', 'load'],
  run: [
    'prelude',
    'contract',
    'languages',
    'load',
    'capacity',
    'conformance',
    'corpus',
    'journal',
    'client',
    'telemetry',
    'config',
  ],
  analysis: [
    'prelude',
    'contract',
    'scoring',
    'scoring/shapes',
    'statistics',
    'rates',
    'load',
    'capacity',
    'journal',
  ],
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
  cli: [
    'prelude',
    'installation',
    'contract',
    'languages',
    'scoring',
    'rates',
    'load',
    'capacity',
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
    'reports/text-score',
    'review',
    'session',
  ],
}

/** Rooms that know nothing of files, sockets, processes and the clock; and the files that are the exception. */
const silentRooms = [
  'prelude',
  'contract',
  'conformance',
  'languages',
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
const worldly =
  /^node:(fs|net|http|https|tls|dgram|dns|child_process|cluster|worker_threads|os|process|readline|perf_hooks|sqlite)/
const worldlyFiles = ['load/clock.ts']
const worldlyGlobals =
  /\b(process|console|performance|fetch)\s*[.(]|\b(setTimeout|setInterval)\b|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/

/** The first folder. */
function roomOf(path: string): string {
  return path.split('/')[0] ?? ''
}

/** Every breach of the rules in these files, one sentence each. */
function breaches(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [...importBreaches(file), ...silenceBreaches(file)])
}

function importBreaches({ path, imports }: SourceFile): string[] {
  const room = roomOf(path)
  return imports.flatMap((target) => {
    if (target.startsWith('#')) {
      if (room === 'index.ts') return []
      const allowed = mayImport[room]?.includes(target.slice(1)) ?? false
      return allowed ? [] : [`${path} imports ${target}, which ${room} may not use`]
    }
    if (!target.startsWith('.')) return []
    const reached = join(path, '..', target)
    return roomOf(reached) === room || room === 'index.ts'
      ? []
      : [`${path} reaches into another room: ${target}`]
  })
}

function silenceBreaches({ path, code, imports }: SourceFile): string[] {
  if (!silentRooms.includes(roomOf(path)) || worldlyFiles.includes(path)) return []
  const touched = imports
    .filter((target) => worldly.test(target))
    .map((target) => `${path} imports ${target}`)
  const used = worldlyGlobals.exec(code)
  return used === null ? touched : [...touched, `${path} uses ${used[0]}`]
}

const fileWith = (room: string, code: string, ...imports: string[]): SourceFile => ({
  path: `${room}/example.ts`,
  code,
  lineCount: 1,
  imports,
})

describe('the house', () => {
  const files = readSources()

  test('every folder of src is a room with a place in the order', () => {
    const rooms = new Set(files.map((file) => roomOf(file.path)))
    rooms.delete('index.ts')
    expect([...rooms].sort()).toEqual(Object.keys(mayImport).sort())
  })

  test('every room has been read, imports and all', () => {
    expect(files.length).toBeGreaterThan(60)
    expect(files.flatMap((file) => file.imports).length).toBeGreaterThan(200)
  })

  test('rooms use each other in one direction, through their doors, and the silent rooms are silent', () => {
    expect(breaches(files)).toEqual([])
  })

  test('the table itself never points to a room that comes later', () => {
    const order = Object.keys(mayImport)
    for (const [room, allowed] of Object.entries(mayImport)) {
      for (const other of allowed)
        expect(order.indexOf(other.split('/')[0] ?? ''), `${room} uses ${other}`).toBeLessThan(
          order.indexOf(room),
        )
    }
  })

  test('whoever records does not judge, and client and service never meet', () => {
    expect(mayImport['run']).not.toContain('scoring')
    expect(mayImport['run']).not.toContain('analysis')
    expect(mayImport['client']).not.toContain('service')
    expect(mayImport['service']).not.toContain('client')
  })

  test.each([
    ['a forbidden room', fileWith('run', '', '#scoring')],
    ['a deep import', fileWith('run', '', '../client/connection.ts')],
    ['a file system in a silent room', fileWith('scoring', '', 'node:fs/promises')],
    ['the clock in a silent room', fileWith('analysis', 'const now = Date.now()')],
    ['the terminal in a silent room', fileWith('reports', 'console.log(1)')],
  ])('%s is noticed', (_what, file) => {
    expect(breaches([file])).toHaveLength(1)
  })
})
