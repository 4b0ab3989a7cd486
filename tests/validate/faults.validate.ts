import { afterAll, beforeAll, describe, test } from 'vitest'
import { seededRandom } from '#prelude'
import { expectRow } from '../journeys/expect-fault-row.ts'
import { killedAfter, slowRows, timeToItsEnd } from '../journeys/fault-rows.ts'
import { faultGround, faultWorld, type Ground } from '../journeys/fault-world.ts'

let ground: Ground
beforeAll(async () => {
  ground = await faultGround()
})
afterAll(() => ground[Symbol.asyncDispose]())

describe('a run that meets', () => {
  for (const row of slowRows) {
    test(row.name, async () => {
      await using world = await faultWorld(ground)
      await expectRow(world, row)
    })
  }
})

const killCount = 50
const seed = 20_261_121

test(`a run that is killed at ${killCount} random moments loses nothing, repeats nothing and leaves no Mode`, async () => {
  const random = seededRandom(seed)
  let wholeMs = await (async () => {
    await using world = await faultWorld(ground)
    return await timeToItsEnd(world)
  })()
  const moments = { duringTheRun: 0, afterTheRun: 0 }
  while (moments.duringTheRun < killCount) {
    await using world = await faultWorld(ground)
    const isKilledAgain = moments.duringTheRun % 2 === 1
    const row = killedAfter(random.unit() * wholeMs, isKilledAgain ? random.unit() * wholeMs : null)
    const code = await row.happens(world)
    const { record } = await world.recorded()
    if (record.status === 'finished') {
      moments.afterTheRun += 1
      // The machine has become faster than when the time was taken.
      wholeMs *= 0.97
    } else moments.duringTheRun += 1
    const ended = { ...row, exit: code, status: record.status, happens: async () => code }
    await expectRow(world, ended)
  }
  process.stdout.write(`kills (seed ${seed}): ${JSON.stringify(moments)}\n`)
})
