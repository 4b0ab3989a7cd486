import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Evaluation } from '#analysis/documents/evaluation'
import { runCli } from '../journeys/run-cli.ts'
import {
  answersOf,
  commonFlags,
  endAgents,
  expectMeasured,
  type FleetWorld,
  fleetWorld,
  newestRun,
  plainAnswers,
  runIn,
  shardFlags,
} from './fleet-world.ts'

const slowWorld = (): Promise<FleetWorld> => fleetWorld({ delayMs: 60 })

// Each waits half a minute until the queue takes a block from an agent that is silent.
describe.concurrent('a run that is stopped, and whose agent is killed after it goes on', () => {
  test('keeps the blocks that it had collected, and another agent is given the lost one: none is lost or counted twice', async () => {
    await using world = await slowWorld()
    const killed = world.startAgent('a')
    const first = world.startFleetRun([...shardFlags, '--block', '12s'])
    await first.said(/\(1 of \d+ blocks\)/)
    first.process.kill('SIGKILL')
    const resume = ['--resume', runIn((await first.ended).stderr)]
    const second = world.startFleetRun(resume)
    await second.said(/were collected before/)
    const third = await world.runFleet(resume)
    expect(third).toMatchObject({ code: 2, stderr: expect.stringContaining('RUN_ALIVE') })
    await killed.said(/(?:measuring part[\s\S]*){3}/)
    await sleep(300)
    killed.process.kill('SIGKILL')
    await killed.ended
    const other = world.startAgent('b')
    const { code, stderr } = await second.ended
    expectMeasured({ code, stderr })
    expect(stderr).toMatch(/of which \d+ were collected before/)
    const found = await newestRun(world.folder)
    expect(answersOf(found)).toEqual(plainAnswers)
    expect(found.record.hosts?.at(-1)?.name).toBe('b')
    expect(stderr).toMatch(/a fell silent while it measured part \d+; another agent is given it/)
    expect(found.record.hostFaults).toEqual([
      { host: 'a', part: expect.any(Number), kind: 'silent', reason: null },
    ])
    other.process.kill('SIGTERM')
    await other.ended
  })
})

describe.concurrent('an agent that is frozen until another process has measured its block', () => {
  test('has its copy reported and not counted, because the other was complete first', async () => {
    await using world = await slowWorld()
    const { process: service } = world.service
    // No answer comes before the agent is frozen.
    service.kill('SIGSTOP')
    const frozen = world.startAgent('a')
    // The host that is not there yet keeps the run going.
    const run = world.startFleetRun([...commonFlags, '--hosts', 'a,c', '--block', '1h'])
    await frozen.said(/measuring part/)
    frozen.process.kill('SIGSTOP')
    service.kill('SIGCONT')
    const other = world.startAgent('a')
    await run.said(/part 0 on a: 48 answered \(1 of 2 blocks\)/)
    frozen.process.kill('SIGCONT')
    await run.said(/part 0 on a: measured once more, does not count/)
    const late = world.startAgent('c')
    const { code, stderr } = await run.ended
    expectMeasured({ code, stderr })
    await frozen.said(/not needed: another copy was complete first/)
    const found = await newestRun(world.folder)
    expect(answersOf(found)).toEqual(plainAnswers.flatMap((line) => [line, line]))
    const further = found.record.hosts?.map(({ name, further: own }) => [name, own])
    expect(further).toEqual([
      ['a', [{ part: 0, answeredCount: 48 }]],
      ['c', undefined],
    ])
    const { stdout } = await runCli(['report', 'latest', '--format', 'json'], { cwd: world.folder })
    const { findings } = JSON.parse(stdout) as Pick<Evaluation, 'findings'>
    const repeated = findings.find((finding) => finding.code === 'BLOCKS_REPEATED')
    expect(repeated?.message).toContain(
      '1 block of the fleet was measured once more and does not count: part 0 on a',
    )
    await endAgents(frozen, other, late)
  })
})
