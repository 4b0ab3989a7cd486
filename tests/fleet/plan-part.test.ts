import { describe, expect, test } from 'vitest'
import { closedSchedule } from '#load/loads/closed'
import { planRequests } from '#run/plan/order'
import { cutPlan } from '../../src/run/plan/measure-plan.ts'
import { runCli } from '../journeys/run-cli.ts'
import { writeToneCorpus } from '../journeys/tone-corpus.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const utterances = Array.from({ length: 10 }, (_, index) => ({ id: `u${index}`, audioSeconds: 2 }))
const shape = {
  utterances,
  schedule: closedSchedule(2),
  wantedSeconds: null,
  rounds: 4,
  warmupRequests: 2,
  seed: 7,
}
const options = { contenderCount: 2, audioSecondsOf: () => 2, maxAudioSeconds: 50, isByBlock: false }

describe('a plan that is cut', () => {
  const requests = planRequests({ ...shape, contenderIds: ['a', 'b'], minTurns: 8 })
  const measured = requests.filter(({ phase }) => phase === 'measure')

  test('has all of its measured requests in its parts, in their order, and the warm-up in each', () => {
    const parts = cutPlan(requests, options)
    expect(parts.length).toBeGreaterThan(1)
    const keyOf = ({ contenderId, utteranceId, round }: (typeof requests)[number]): string =>
      `${contenderId} ${utteranceId} ${round}`
    const own = parts.flatMap((part) => part.requests.filter(({ phase }) => phase === 'measure'))
    expect(own.map(keyOf)).toEqual(measured.map(keyOf))
    for (const part of parts) {
      expect(part.requests.map(({ index }) => index)).toEqual(part.requests.map((_, place) => place))
      expect(part.requests.filter(({ phase }) => phase === 'warmup')).toHaveLength(4)
      expect(Math.min(...part.requests.map(({ block }) => block))).toBe(-1)
      expect(part.requests.find(({ phase }) => phase === 'measure')?.block).toBe(0)
    }
  })

  test('keeps pairs of turns together, and no part has more audio than it may unless one pair has', () => {
    for (const { requests: own, firstTurn } of cutPlan(requests, options)) {
      expect(firstTurn % 2).toBe(0)
      expect(2 * own.filter(({ phase }) => phase === 'measure').length).toBeLessThanOrEqual(50)
    }
    const parts = cutPlan(requests, { ...options, maxAudioSeconds: 1 })
    expect(parts.map(({ firstTurn }) => firstTurn)).toEqual(parts.map((_, place) => 2 * place))
  })

  test('has a part for each block where hosts start together', () => {
    const parts = cutPlan(requests, { ...options, isByBlock: true })
    expect(parts).toHaveLength(1 + Math.max(...requests.map(({ block }) => block)))
    expect(parts.map(({ firstTurn }) => firstTurn)).toEqual(parts.map((_, block) => Math.floor(block / 2)))
  })

  test('may have any number of requests in one block', () => {
    const [request] = measured
    if (request === undefined) throw new TypeError('the plan has a measured request')
    const long = Array.from({ length: 200_000 }, (_, index) => ({ ...request, index }))
    const parts = cutPlan(long, { ...options, isByBlock: true })
    expect(parts.map((part) => part.requests.length)).toEqual([200_000])
  })
})

test('a plan of one contender has as many turns as are asked for, with the same requests', () => {
  const whole = planRequests({ ...shape, contenderIds: ['a'] })
  const cut = planRequests({ ...shape, contenderIds: ['a'], minTurns: 6 })
  expect(new Set(cut.map(({ block }) => block)).size).toBe(7)
  expect(cut.map(({ utteranceId }) => utteranceId)).toEqual(whole.map(({ utteranceId }) => utteranceId))
})

test.each([
  ['replicate without hosts', '--mode replicate', 'replicate needs the names of the hosts'],
  ['a shard with hosts', '--mode shard --hosts a', 'a shard has no fixed hosts: any agent takes its blocks'],
  ['a shard under an open load', '--mode shard --rate 2/s --duration 5s', 'a shard needs a closed load'],
])('%s is refused before the queue is asked', async (_, flags, message) => {
  await using home = await temporaryFolder()
  const corpus = await writeToneCorpus(home.path, { one: 'one', two: 'two' })
  const given = [
    '--corpus',
    corpus,
    '--queue',
    'redis://127.0.0.1:1',
    '--contender',
    'scripted:good',
    '--json',
  ]
  const env = { TRANSCRIBENCH_FLEET_KEY: 'a'.repeat(64) }
  const { code, stdout } = await runCli(['fleet', 'run', ...given, ...flags.split(' ')], {
    cwd: home.path,
    env,
  })
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'FLEET_MODE_UNFIT', message } })
})
