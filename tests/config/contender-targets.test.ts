import { describe, expect, test } from 'vitest'
import { readConfig } from '#config/read-config'
import { resolveConfig } from '#config/resolve-config'

const gpu = 'openai:http://gpu:8000/v1'
const nothing = { file: null, flags: {}, env: {} }
const contendersOf = (...contender: string[]) =>
  resolveConfig({ ...nothing, flags: { contender } }).config.contenders

describe('targets of contenders', () => {
  test('a flag names a target before a hash, with an engine and a model or a model alone', () => {
    expect(contendersOf('auto#moonshine:tiny', `${gpu}#large:v3`, 'moonshine:base')).toMatchObject([
      { id: 'tiny', target: 'auto', engine: 'moonshine', model: 'tiny' },
      { id: 'large:v3', target: gpu, engine: null, model: 'large:v3' },
      { id: 'base', target: 'embedded', engine: 'moonshine', model: 'base' },
    ])
  })

  test('contenders of one model get the names of their targets', () => {
    const ids = contendersOf(`${gpu}#large`, 'openai:http://127.0.0.1:9/v1#large', 'auto#x:large').map(
      ({ id }) => id,
    )
    expect(ids).toEqual(['large@gpu:8000', 'large@127.0.0.1:9', 'large@auto'])
  })

  test('a target that all contenders name becomes that of the run', () => {
    const { config, sources } = resolveConfig({
      ...nothing,
      flags: { contender: [`${gpu}#a`, `${gpu}#b`], keyFrom: 'GPU_KEY' },
    })
    expect(config).toMatchObject({ target: gpu, keyFrom: 'GPU_KEY' })
    expect(config.contenders.map(({ id, target }) => [id, target])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
    expect(sources['target']).toBe('flag')
  })

  test('the key of the run goes to no other server than its own', () => {
    const flags = { target: gpu, keyFrom: 'GPU_KEY', contender: ['x:a', 'openai:http://other/v1#b'] }
    const { contenders } = resolveConfig({ ...nothing, flags }).config
    expect(contenders.map(({ keyFrom }) => keyFrom)).toEqual(['GPU_KEY', undefined])
  })

  test('two keys for one target are refused with both names', () => {
    const file = readConfig(
      `contenders:
  - { target: ${gpu}, model: a, keyFrom: ONE }
  - { target: ${gpu}, model: b, keyFrom: TWO }
`,
      'c.yaml',
    )
    expect(() => resolveConfig({ ...nothing, file })).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ what: expect.stringContaining('ONE, TWO') })],
      }),
    )
  })

  test.each([
    { settings: { engines: 'engines.yaml' } },
    { condition: { threads: 2 } },
    { condition: { transport: 'path' } },
  ])('a refusal does not show the password in a target: %j', ({ settings, condition }) => {
    const target = 'openai:http://user:secret@gpu:8000/v1'
    const contenders = [{ engine: 'x', model: 'a', ...condition }]
    const written = JSON.stringify({ ...settings, contenders })
    const resolving = (): unknown =>
      resolveConfig({ ...nothing, file: readConfig(written, 'c.json'), flags: { target } })
    expect(resolving).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ what: expect.stringContaining('openai:http://…@gpu:8000/v1') })],
      }),
    )
  })

  test('a server without a model is refused with the command that lists its models', () => {
    expect(() => contendersOf(gpu)).toThrow(
      expect.objectContaining({
        problems: [expect.objectContaining({ hint: expect.stringContaining(`transcribench doctor ${gpu}`) })],
      }),
    )
    expect(() => contendersOf(`${gpu}?a=1&b=2`)).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({ hint: expect.stringContaining(`transcribench doctor '${gpu}?a=1&b=2'`) }),
        ],
      }),
    )
  })
})
