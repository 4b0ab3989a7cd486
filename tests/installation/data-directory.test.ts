import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { dataDirectory, homeDirectory } from '#installation/installation'
import { defaultModelsDir } from '#service/settings'

describe('the data directory', () => {
  test.each([
    ['linux', { HOME: '/home/a' }, '/home/a/.local/share/transcribench'],
    ['linux', { HOME: '/home/a', XDG_DATA_HOME: '/data' }, '/data/transcribench'],
    ['linux', { HOME: '/home/a', XDG_DATA_HOME: 'relative' }, '/home/a/.local/share/transcribench'],
    [
      'darwin',
      { HOME: '/Users/a', XDG_DATA_HOME: '/data' },
      '/Users/a/Library/Application Support/transcribench',
    ],
    ['win32', { HOME: '/c/a', LOCALAPPDATA: '/c/a/Local' }, '/c/a/Local/transcribench'],
  ] as const)('on %s with %o is %s', (platform, env, expected) => {
    expect(dataDirectory(env, platform)).toBe(expected)
    expect(defaultModelsDir(env, platform)).toBe(join(expected, 'models'))
  })
})

test('an empty HOME is none: the home folder is the one that the system knows', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('HOME', '')
  expect(homeDirectory({ HOME: '' })).toBe(userInfo().homedir)
  expect(homeDirectory({})).toBe(userInfo().homedir)
})
