import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '')
const pages = tracked.filter((path) => path.endsWith('.md') && !path.includes('fixtures/'))

/** Paths of this repository that a page names, in links and in code. */
function namedPaths(text: string): string[] {
  const inCode = [...text.matchAll(/`((?:src|tests|docs|scripts|corpora|configs)\/[\w./-]+)`/g)].map(
    (match) => match[1] ?? '',
  )
  return inCode.filter((path) => !path.includes('…'))
}

function linkedPaths(page: string, text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map((match) =>
    join(page, '..', match[1] ?? ''),
  )
}

describe('the documentation', () => {
  test('there are pages, and they name paths', () => {
    expect(pages.length).toBeGreaterThan(5)
    expect(
      pages.flatMap((page) => namedPaths(readFileSync(join(root, page), 'utf8'))).length,
    ).toBeGreaterThan(5)
  })

  test.each(pages)('every path that %s names is there', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const missing = [...namedPaths(text), ...linkedPaths(page, text)].filter(
      (path) => !existsSync(join(root, path)),
    )
    expect(missing.filter((path) => !path.startsWith('corpora/quick/audio'))).toEqual([])
  })

  test('each of the 26 classical mistakes of measuring is held off by a test that is named', () => {
    const text = readFileSync(join(root, 'docs/decisions/measuring.md'), 'utf8')
    const [, table = ''] = text.split('## Classical mistakes')
    const rows = table.split('\n').filter((line) => /^\| (?!mistake|-)/.test(line))
    expect(rows).toHaveLength(26)
    for (const row of rows) expect(row).toMatch(/`tests\/[\w/-]+\.(test|validate)\.ts`/)
  })

  test('each line of the threat model is held by a test of that name', () => {
    const [, model = ''] = readFileSync(join(root, 'SECURITY.md'), 'utf8').split('## Threat model')
    const rows = model.split('\n').filter((line) => /^\| (?!who |-)/.test(line))
    expect(rows.length).toBeGreaterThan(15)
    for (const row of rows) {
      const [, path = '', name = ''] = /`(tests\/[\w/-]+\.test\.ts)`: (.+) \|$/.exec(row) ?? []
      expect(
        existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8').includes(`'${name}'`),
        row,
      ).toBe(true)
    }
  })
})
