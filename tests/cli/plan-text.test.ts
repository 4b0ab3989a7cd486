import { expect, test } from 'vitest'
import { plannedCostLines, renderPlan } from '../../src/cli/plan-text.ts'

const wide = { width: 100, color: false, unicode: true }

test('a plan says what will happen, and names any language that a manifest may', async () => {
  const plan = {
    contenderIds: ['tiny', 'base'],
    options: [],
    skipped: [{ id: 'large', reason: 'not installed' }],
    utteranceCount: 24,
    sampledFrom: null,
    rounds: 1,
    turnCount: 8,
    measuredCount: 48,
    warmupCount: 4,
    timesFormat: null,
    timedCount: 0,
    corpusName: 'demo',
    audioSeconds: 188,
    language: 'en',
    writtenLanguage: null,
    profileId: 'english',
    seed: 1,
    load: {
      schedule: 'closed, 1 in flight',
      endsByItself: false,
      offered: null,
      audioSeconds: 1504,
      atLeastSeconds: null,
      firstMoments: [],
      before: { seconds: 29.6, runId: '2026-11-20T21-04-10Z-main', isSameCorpus: true },
    },
    targets: [
      {
        description: 'the built-in service on 127.0.0.1:52114',
        serviceVersion: '0.1.0',
        transport: 'path',
        contenderIds: ['tiny', 'base'],
        machine: 'this machine',
        roundTripMs: null,
      },
    ],
    reused: null,
    paces: [],
    costs: [],
    warnings: ['the discovery file is old; start the service again'],
  }
  await expect(renderPlan(plan, wide)).toMatchFileSnapshot('../reports/golden/plan.txt')
  expect(renderPlan({ ...plan, turnCount: 1 }, wide)).toContain('one contender after the other')
  expect(renderPlan({ ...plan, sampledFrom: 436 }, wide)).toContain(
    'demo · a sample of 24 of 436 utterances, balanced by length · 3 min 8 s of English',
  )
  const unmeasured = { ...plan, load: { ...plan.load, before: null } }
  expect(renderPlan(unmeasured, wide)).toContain('at 10 times real time, which the warm-up corrects')
  expect(renderPlan({ ...unmeasured, warmupCount: 0 }, wide)).not.toContain('which the warm-up corrects')
  for (const [language, name] of [
    ['de-x-formal', 'German'],
    ['en-u-nu-latn', 'English'],
    ['de-CH-1996', 'Swiss High German (German orthography of 1996)'],
  ] as const)
    expect(renderPlan({ ...plan, language }, wide)).toContain(`3 min 8 s of ${name} ·`)
})

test('a plan says what billed contenders cost before anything is sent, and from when an own machine is cheaper', async () => {
  const ownMachine = { usdPerDay: 0.62, cheaperFromAudioHoursPerDay: 1.72 }
  const priced = {
    minutes: 6.3,
    usd: 0.0378,
    usdPerAudioHour: 0.36,
    source: 'https://a.example',
    date: '2026-11-21',
    ownMachine,
  }
  const unknown = { usd: null, usdPerAudioHour: null, source: null, date: null, ownMachine: null }
  const costs = [
    { contenderId: 'whisper-1', ...priced },
    { contenderId: 'nova-3', minutes: 6.3, ...unknown },
  ]
  expect(plannedCostLines(costs)).toEqual([
    'whisper-1: 6.3 minutes of audio, about 0.04 USD (0.36 USD an hour of audio; https://a.example, 2026-11-21)',
    'a machine of your own at 0.62 USD a day is cheaper from 1.7 hours of audio a day, not counting its energy for decoding',
    'nova-3: 6.3 minutes of audio, billed at an unknown price: usdPerMinute in the config, or --prices',
    'together about 0.04 USD, without the unknown prices',
  ])
})
