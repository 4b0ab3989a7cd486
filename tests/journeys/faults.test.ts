import { afterAll, beforeAll, describe, test } from 'vitest'
import { expectRow } from './expect-fault-row.ts'
import { quickRows, serviceKilled } from './fault-rows.ts'
import { faultGround, faultWorld, type Ground } from './fault-world.ts'
import { type ServedGround, servedContender, servedGround } from './served-ground.ts'

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

describe('a run whose service is killed and started again on another port with another token', () => {
  let ground: ServedGround
  beforeAll(async () => {
    ground = await servedGround()
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  test.for([
    { name: 'gives the Modes back that the dead one kept, and goes on there', isCleaned: false },
    { name: 'finds the Modes that the dead one kept cleaned up, and goes on there', isCleaned: true },
  ])('$name', async ({ isCleaned }) => {
    await using world = await faultWorld(ground, {
      target: ground.service.discoveryPath,
      contenders: [
        servedContender,
        { id: 'patched', mode: 'Mine', settings: { removeTrailingPeriod: true } },
      ],
    })
    await expectRow(world, { ...serviceKilled(ground), isCleaned })
  })
})
