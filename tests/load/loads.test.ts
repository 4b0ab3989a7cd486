import { expect, test } from 'vitest'
import type { LoadKey } from '#load/loads/load-definition'
import { loadConfig, loadKeys, loadShape, loads } from '#load/loads/registry'

const sharedKeys: Readonly<Record<string, LoadKey>> = loadKeys

test.each(loads.map((load) => [load.kind, load] as const))(
  'a key of a %s load means the same in every load that has it',
  (_, { needs, may }) => {
    for (const [key, own] of Object.entries({ ...needs, ...may })) expect(sharedKeys[key]).toEqual(own)
  },
)

test('a config names the file of a trace, and a document has its entries', () => {
  const configured = { kind: 'trace', trace: 'monday.csv', speed: 2 }
  const entries = [{ endedAtSeconds: 3, audioSeconds: 2 }]
  expect(loadConfig.parse(configured)).toEqual(configured)
  expect(loadShape.safeParse(configured).success).toBe(false)
  expect(loadShape.parse({ kind: 'trace', entries, speed: 2 })).toEqual({ kind: 'trace', entries, speed: 2 })
  expect(loadConfig.safeParse({ kind: 'trace', entries, speed: 2 }).success).toBe(false)
})
