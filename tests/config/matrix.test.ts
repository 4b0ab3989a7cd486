import { describe, expect, test } from 'vitest'
import { readConfig } from '#config/read-config'
import { resolveConfig } from '#config/resolve-config'
import { BenchError } from '#prelude'

function resolved(matrix: unknown, more: object = {}) {
  const file = readConfig(JSON.stringify({ matrix, ...more }), 'm.json')
  return resolveConfig({ file, flags: {}, env: {} })
}

function problemsOf(matrix: unknown, more: object = {}): string {
  try {
    resolved(matrix, more)
  } catch (error) {
    if (!(error instanceof BenchError)) throw error
    return [error.message, ...error.problems.map(({ where, what }) => `${where}: ${what}`)].join('\n')
  }
  throw new Error('nothing was refused')
}

const models = ['moonshine:moonshine-tiny', 'moonshine:moonshine-base']

describe('a matrix', () => {
  test('makes a contender of every combination, with a name that says which', () => {
    const { config, sources } = resolved({ model: models, threads: [1, 2, 4], concurrency: [1, 3] })
    expect(config.contenders.map(({ id }) => id)).toEqual(
      ['moonshine-tiny', 'moonshine-base'].flatMap((model) =>
        [1, 2, 4].flatMap((threads) => [1, 3].map((count) => `${model} t${threads} c${count}`)),
      ),
    )
    expect(config.contenders[3]).toMatchObject({ engine: 'moonshine', threads: 2, concurrency: 3 })
    // Turns are as long as the largest load needs.
    expect(config.load).toEqual({ kind: 'closed', concurrency: 3 })
    expect(sources['contenders']).toBe('file')
  })

  test('multiplies the contenders of the config where it names no models, and those of several targets', () => {
    const contenders = [
      { mode: 'Notes', target: 'auto' },
      { engine: 'moonshine', model: 'moonshine-tiny' },
    ]
    const { config } = resolved({ transport: ['path', 'base64'] }, { contenders })
    expect(config.contenders.map(({ id, transport }) => [id, transport])).toEqual([
      ['Notes path', 'path'],
      ['Notes base64', 'base64'],
      ['moonshine-tiny path', 'path'],
      ['moonshine-tiny base64', 'base64'],
    ])
    const mixed = resolved({ model: [...models, 'deepgram#nova-3'], concurrency: [1, 2] }).config
    expect(mixed.contenders.map(({ id, target }) => `${id} ${target}`)).toContain('nova-3 c2 deepgram')
  })

  test('is refused where it multiplies beyond the limit, with the product', () => {
    const counts = Array.from({ length: 7 }, (_, index) => index + 1)
    expect(problemsOf({ model: models, threads: counts, concurrency: [1, 2, 3, 4] })).toContain(
      '2 × 7 × 4 = 56 contenders, and 48 are the most',
    )
  })

  test('is refused with every dimension that means nothing where it is', () => {
    expect(problemsOf({ model: models, concurrency: [1, 2] }, { load: { rate: '2/s' } })).toContain(
      'load keeps no number of requests in flight',
    )
    expect(problemsOf({ threads: [1, 2] }, { target: 'auto' })).toContain(
      'threads are those of the built-in service, and its target is auto',
    )
    expect(problemsOf({ model: ['deepgram#nova-3'], transport: ['path', 'base64'] })).toContain(
      'deepgram takes forms only',
    )
    expect(problemsOf({ model: ['whisper-1'] })).toContain('needs "engine" too')
    expect(problemsOf({ threads: [2, 2] })).toContain('matrix.threads: names 2 twice')
    expect(problemsOf({ model: ['moonshine:base', 'whisper:base'] })).toContain(
      'a second contender is called "base"',
    )
    expect(problemsOf({ model: models }, { contenders: [{ mode: 'Notes' }] })).toContain('take their place')
  })
})
