import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { answering } from '../../src/fleet/coordinator/answer-asks.ts'
import { blockId } from '../../src/fleet/coordinator/fleet-blocks.ts'
import { readFleetFile } from '../../src/fleet/coordinator/fleet-executor.ts'
import { askQueue, type BlockResult, jobPlace } from '../../src/fleet/queue/messages.ts'
import { seal, unseal } from '../../src/fleet/queue/seal.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const address = { fleet: 'f', key: 'k'.repeat(32) }
const hosts = ['a', 'b']

let nowMs: number
let counted: Map<string, BlockResult>
let kept: (readonly [number, number])[]
beforeEach(() => {
  nowMs = 1_000_000
  counted = new Map()
  kept = []
})

/** The answers of a coordinator to hosts that are ready for part 0. */
function coordinator(starts: ReadonlyMap<number, number>) {
  const answer = answering({
    broker: { address, nowMs: async () => nowMs },
    run: 'run',
    hosts,
    blocks: new Map(),
    store: { addStart: async (part: number, startAtMs: number) => void kept.push([part, startAtMs]) },
    counted,
    starts,
    failed: new Map(),
    silent: new Set(),
  } as unknown as Parameters<typeof answering>[0])
  let count = 0
  return async (host: string): Promise<unknown> => {
    count += 1
    const id = `ready-${count}`
    const place = jobPlace(askQueue('run'), id)
    const data = seal({ part: 0, host }, address, { place, expiresAtMs: nowMs })
    const answered = await answer({ id, name: 'ready', data } as Parameters<typeof answer>[0])
    return unseal(answered, address, { place: `${place}/answer`, nowMs })
  }
}

test.each(['{', '{}', '{"config":{}}'])(
  'the file %s of a run that is to be resumed is reported as damaged',
  async (text) => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'fleet.json'), text)
    await expect(readFleetFile(folder.path)).rejects.toMatchObject({
      code: 'FLEET_RUN_UNKNOWN',
      message: expect.stringContaining('is damaged'),
    })
  },
)

describe('a part of an open load', () => {
  test('starts once for all hosts, also for those that ask at the same moment and later', async () => {
    const ready = coordinator(new Map())
    expect(await ready('a')).toEqual({ startAtMs: null })
    const answers = await Promise.all(['b', 'a', 'b'].map(ready))
    const [first] = answers
    expect(first).toEqual({ startAtMs: expect.any(Number) })
    expect(answers).toEqual([first, first, first])
    nowMs += 5000
    expect(await ready('b')).toEqual(first)
    expect(kept).toHaveLength(1)
  })

  test('whose start gave no result before the run was resumed starts anew when all hosts are ready', async () => {
    const ready = coordinator(new Map([[0, nowMs - 60_000]]))
    expect(await ready('a')).toEqual({ startAtMs: null })
    expect(await ready('b')).toEqual({ startAtMs: expect.any(Number) })
    expect(kept).toEqual([[0, expect.any(Number)]])
    expect(kept[0]?.[1]).toBeGreaterThan(nowMs)
  })

  test('keeps the start from which a host has brought a result', async () => {
    counted.set(blockId(0, 'a'), {} as BlockResult)
    const startAtMs = nowMs - 60_000
    const ready = coordinator(new Map([[0, startAtMs]]))
    expect(await ready('b')).toEqual({ startAtMs })
    expect(kept).toEqual([])
  })
})
