import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { configKeys } from '#config/config-file'
import { readConfig } from '#config/read-config'
import { resolveConfig } from '#config/resolve-config'
import { cloudPrices } from '#providers/providers'

const folder = new URL('../../configs/', import.meta.url)
const nothing = { file: null, flags: {}, env: {} }

test('quick.yaml writes out the defaults, no more and no less', async () => {
  const text = await readFile(new URL('quick.yaml', folder), 'utf8')
  const file = readConfig(text, 'configs/quick.yaml')
  expect(resolveConfig({ ...nothing, file }).config).toEqual(resolveConfig(nothing).config)
  expect(text.startsWith('# yaml-language-server: $schema=./config.schema.json\n')).toBe(true)
  for (const key of Object.keys(configKeys)) {
    if (key !== 'exclude' && key !== 'skipUnready') expect(text).toMatch(new RegExp(`^(# )?${key}:`, 'm'))
  }
})

test('the lines of quick.yaml that are commented out are right as well', async () => {
  const text = await readFile(new URL('quick.yaml', folder), 'utf8')
  const opened = text
    .replaceAll(/^# (sample|timeout|thresholds|margins)/gm, '$1')
    .replaceAll(/^# {3}- /gm, '  - ')
    .replaceAll(/^( +)# (id|settings| {2}punctuation)/gm, '$1$2')
  expect(opened).not.toBe(text)
  expect(readConfig(opened, 'configs/quick.yaml')).toMatchObject({
    sample: 20,
    timeout: '90s',
    thresholds: ['wer <= 8%', 'latency.p95 <= 2s'],
    contenders: [{}, { id: 'base', settings: { punctuation: false } }],
  })
})

test('local-vs-cloud.yaml has no price without its source and date, and a cap on what may be billed', async () => {
  const text = await readFile(new URL('local-vs-cloud.yaml', folder), 'utf8')
  const file = readConfig(text, 'configs/local-vs-cloud.yaml')
  const { config } = resolveConfig({ ...nothing, file })
  expect(config.maxBilledMinutes).toBe(10)
  const priced = config.contenders.filter(({ usdPerMinute }) => usdPerMinute !== null)
  // Its prices are those of the providers' data, which have sources and dates.
  expect(cloudPrices.flatMap(({ models }) => models)).toContain('gpt-transcribe')
  for (const { priceSource, priceDate } of priced) {
    expect(priceSource).toMatch(/^https:/)
    expect(priceDate).not.toBeNull()
  }
  expect(text).not.toMatch(/key: *\S{20}/)
})

test('every key of the schema is described, and the defaults are those of the quick run', async () => {
  const { properties } = JSON.parse(await readFile(new URL('config.schema.json', folder), 'utf8')) as {
    properties: Record<string, { description?: string; default?: unknown }>
  }
  expect(Object.keys(properties)).toEqual(['$schema', ...Object.keys(configKeys)])
  for (const [key, { description }] of Object.entries(properties)) expect(description, key).toBeTruthy()
  expect(properties['rounds']?.default).toBe(resolveConfig(nothing).config.rounds)
})
