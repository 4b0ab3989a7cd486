import { expect, test } from 'vitest'
import { resolveConfig } from '#config/resolve-config'
import { namedRun } from '../../src/cli/load-config.ts'

const nameOf = (
  flags: Readonly<Record<string, unknown>>,
  path?: string,
  file: { readonly name?: string } = {},
): string =>
  namedRun(resolveConfig({ file: path === undefined ? null : file, flags, env: {} }), path, '/home/me').config
    .name

test.each([
  ['the quick run', {}, undefined, {}, 'quick'],
  ['a corpus by its name', { corpus: 'meetings' }, undefined, {}, 'meetings'],
  ['a corpus by its folder', { corpus: 'data/calls' }, undefined, {}, 'calls'],
  ['a manifest in a folder', { corpus: 'data/calls/manifest.jsonl' }, undefined, {}, 'calls'],
  ['a manifest in the working folder', { corpus: 'manifest.csv' }, undefined, {}, 'me'],
  ['a manifest with a name', { corpus: 'data/monday calls.jsonl' }, undefined, {}, 'monday-calls'],
  ['a config file', { corpus: 'meetings' }, 'configs/nightly.yaml', {}, 'nightly'],
  [
    'a config of the usual name: the corpus',
    { corpus: 'meetings' },
    'a/transcribench.config.yaml',
    {},
    'meetings',
  ],
  ['a config that names itself', {}, 'configs/nightly.yaml', { name: 'mine' }, 'mine'],
  ['the flag', { name: 'today', corpus: 'meetings' }, 'configs/nightly.yaml', { name: 'mine' }, 'today'],
  ['a path without a letter', { corpus: './---.jsonl' }, undefined, {}, 'quick'],
])('a run is called after %s', (_, flags, path, file, name) => {
  expect(nameOf(flags, path, file)).toBe(name)
})
