import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages }: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'),
)

/** Where Node looks for a package that the package at `path` depends on, nearest folder first. */
function candidatePaths(path: string, name: string): string[] {
  const parents = path.split('/node_modules/')
  return parents
    .map((_, index) => {
      const parent = parents.slice(0, parents.length - index).join('/node_modules/')
      return parent === '' ? `node_modules/${name}` : `${parent}/node_modules/${name}`
    })
    .concat(`node_modules/${name}`)
}

test('the lock file holds the native packages of every platform, so that `npm ci` accepts it', () => {
  const optional = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ path, name })),
  )
  expect(optional.length).toBeGreaterThan(20)
  const missing = optional.filter(({ path, name }) =>
    candidatePaths(path, name).every((candidate) => packages[candidate] === undefined),
  )
  expect(missing).toEqual([])
})

test('the lock file has a hash for every package and names no registry', () => {
  const installed = Object.entries(packages).filter(([path]) => path !== '')
  expect(installed.length).toBeGreaterThan(100)
  expect(installed.filter(([, { integrity }]) => integrity === undefined)).toEqual([])
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
