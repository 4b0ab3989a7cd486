import { expect, test } from 'vitest'
import { tooOldFor } from '../../src/cli/node-version.js'

test.each(['v22.19.0', 'v22.20.1', 'v24.0.0', 'v100.1.0'])('Node %s is new enough', (version) => {
  expect(tooOldFor(version, '/bin/node', '/a/transcribench')).toBeNull()
})

test.each(['v20.20.2', 'v22.18.9', 'v9.99.99'])(
  'Node %s is refused with the version that is needed',
  (version) => {
    const complaint = tooOldFor(version, '/bin/node', '/a/transcribench')
    expect(complaint).toContain('transcribench needs Node 22.19 or newer')
    expect(complaint).toContain(`this is Node ${version.slice(1)} (/bin/node)`)
    expect(complaint).toContain('npx --package=node@24 -- node /a/transcribench <arguments>')
  },
)
