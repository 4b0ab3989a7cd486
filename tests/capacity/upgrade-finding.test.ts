import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { capacityFindingSchema, capacityFormatVersion } from '#capacity'

/** As version 0.1.0 wrote it: made of everything that format 1 could hold. */
const older: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/capacity-format-1.json'), 'utf8'),
)

test('a finding of format 1 is read as one of today, without what predicted other machines', () => {
  const finding = capacityFindingSchema.parse(older)
  expect(finding.formatVersion).toBe(capacityFormatVersion)
  const [contender] = finding.contenders
  expect(contender?.capacity?.estimate.requestsPerSecond).toBeCloseTo(6.02, 9)
  expect(contender?.simulation?.reproductions).toHaveLength(2)
  expect(contender?.simulation?.whatIfs.map(({ question }) => question)).toEqual(['half as fast'])
  expect(contender?.interference?.withLongP95Ms).toBe(410)
  expect(finding.host.speedIndex).not.toHaveProperty('allAtOnce')
})

test('a finding of a format that is not known is refused', () => {
  expect(capacityFindingSchema.safeParse({ ...(older as object), formatVersion: 99 }).success).toBe(false)
})
