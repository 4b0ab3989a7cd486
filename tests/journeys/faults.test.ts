import { afterAll, beforeAll, describe, test } from 'vitest'
import { expectRow } from './expect-fault-row.ts'
import { quickRows } from './fault-rows.ts'
import { faultGround, faultWorld, type Ground } from './fault-world.ts'

describe('a run that meets', () => {
  let ground: Ground
  beforeAll(async () => {
    ground = await faultGround()
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  for (const row of quickRows) {
    test(row.name, async ({ skip }) => {
      if (typeof row.skip === 'string') skip(row.skip)
      await using world = await faultWorld(ground)
      await expectRow(world, row)
    })
  }
})
