import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordedConfig } from '#config/bench-config'
import { type ConfigFile, configKeys, defaults } from '#config/config-file'
import { contenderKeys } from '#config/contender-file'
import { anyThreshold } from '#config/faults'
import { listFlags, nameVariable, settings } from '#config/flags'
import { readConfig } from '#config/read-config'
import { givenFields, resolveConfig } from '#config/resolve-config'
import { BenchError, type Problem } from '#prelude'

const nothing = { file: null, flags: {}, env: {} }

function problemsOf(layers: Partial<Parameters<typeof resolveConfig>[0]>): readonly Problem[] {
  try {
    resolveConfig({ ...nothing, ...layers })
  } catch (error) {
    if (error instanceof BenchError) return error.problems
    throw error
  }
  return []
}

// The rest is in configs/quick.yaml, which `shipped-files.test.ts` compares.
test('without anything said, what is not written out in the config of the quick run is off', () => {
  const { config, sources } = resolveConfig(nothing)
  expect(config).toMatchObject({
    sample: null,
    requestTimeoutSeconds: null,
    stage: null,
    platform: null,
    engines: null,
    keyFrom: null,
    reuseSeconds: null,
    exclude: [],
    skipUnready: false,
    thresholds: [],
    margins: [],
    retries: { codes: [], most: 2, backOffSeconds: 1, budget: 0.1 },
    scoring: {
      fillers: [],
      replacements: [],
      equivalences: [],
      vocabulary: [],
      noSpeech: [{ code: 'TRANSCRIPTION_FAILED', message: 'no speech' }],
    },
  })
  expect(new Set(Object.values(sources))).toEqual(new Set(['default']))
})

test('flags override the environment, the environment the file, the file the defaults', () => {
  const file: ConfigFile = {
    target: 'auto',
    corpus: 'meetings',
    rounds: 3,
    results: 'a',
    load: { concurrency: 2 },
  }
  const { config, sources } = resolveConfig({
    file,
    env: {
      TRANSCRIBENCH_TARGET: '127.0.0.1:39201',
      TRANSCRIBENCH_CORPUS: 'calls',
      TRANSCRIBENCH_RESULTS: '',
    },
    flags: { target: 'embedded', rounds: '5' },
  })
  expect(config).toMatchObject({
    target: 'embedded',
    corpus: 'calls',
    rounds: 5,
    results: 'a',
    load: { kind: 'closed', concurrency: 2 },
    seed: 1,
  })
  expect(sources).toMatchObject({
    target: 'flag',
    corpus: 'environment',
    rounds: 'flag',
    results: 'file',
    'load.concurrency': 'file',
    'load.kind': 'default',
    seed: 'default',
  })
})

/** Flags of loads other than the closed one, which exclude --concurrency, and one that excludes another target. */
const excluded = ['load', 'rate', 'duration', 'burstiness', 'trace', 'speed', 'users', 'pause', 'engines']

test('every flag sets what it says, and is the source of it', () => {
  const flags = {
    name: 'nightly',
    target: 'auto',
    corpus: 'meetings',
    workload: 'post-process',
    exclude: ['a,b', ' c '],
    sample: '30',
    contender: ['moonshine:moonshine-tiny', 'ollama:whisper:large'],
    skipUnready: true,
    parallel: true,
    concurrency: '4',
    rounds: '2',
    warmup: '0',
    maxWarmup: '0',
    timeout: '2min',
    rateLimit: 'wait',
    retry: ['RATE_LIMITED,TIMEOUT', 'HTTP_503'],
    transport: 'path',
    stage: true,
    platform: 'windows-legacy',
    keyFrom: 'SERVER_KEY',
    maxBilledMinutes: '2.5',
    reuse: '7d',
    profile: 'verbatim',
    threshold: ['wer <= 8%', 'failures <= 1%'],
    seed: '42',
    results: 'elsewhere',
  }
  expect(Object.keys(flags).sort()).toEqual(
    listFlags()
      .map(({ attribute }) => attribute)
      .filter((attribute) => !excluded.includes(attribute))
      .sort(),
  )
  const { config, sources } = resolveConfig({ ...nothing, flags })
  expect(config).toMatchObject({
    name: 'nightly',
    workload: 'post-process',
    exclude: ['a', 'b', 'c'],
    sample: 30,
    contenders: [
      { id: 'moonshine-tiny', engine: 'moonshine', model: 'moonshine-tiny', language: null },
      { id: 'whisper:large', engine: 'ollama', model: 'whisper:large' },
    ],
    skipUnready: true,
    stage: 'auto',
    platform: 'windows-legacy',
    keyFrom: 'SERVER_KEY',
    maxBilledMinutes: 2.5,
    reuseSeconds: 604_800,
    load: { concurrency: 4 },
    warmupRequests: 0,
    maxWarmupRequests: 0,
    requestTimeoutSeconds: 120,
    retries: { codes: ['RATE_LIMITED', 'TIMEOUT', 'HTTP_503'] },
    rateLimit: 'wait',
    scoring: { profile: 'verbatim' },
    thresholds: ['wer <= 8%', 'failures <= 1%'],
    seed: 42,
  })
  const set = new Set(
    listFlags()
      .filter(({ attribute }) => attribute in flags)
      .map(({ keyPath }) => keyPath),
  )
  for (const [keyPath, source] of Object.entries(sources)) {
    expect(source, keyPath).toBe(set.has(keyPath) ? 'flag' : 'default')
  }
})

test.each<[Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
  [
    { timeout: '2min', reuse: '7d' },
    { requestTimeoutSeconds: 120, reuseSeconds: 604_800 },
  ],
  [
    { retry: ['HTTP_503'], profile: 'english' },
    { 'retries.codes': ['HTTP_503'], 'scoring.profile': 'english' },
  ],
  [
    { rate: '5/s', duration: '2min' },
    { 'load.rate': { requestsPerSecond: 5 }, 'load.forSeconds': 120 },
  ],
  [
    { users: '3', pause: '2s' },
    { 'load.users': 3, 'load.pauses.meanSeconds': 2 },
  ],
])('what is typed is found in the resolved config: %j', (flags, fields) => {
  expect(Object.fromEntries(givenFields(resolveConfig({ ...nothing, flags })))).toEqual(fields)
})

test('every setting has a field in the resolved config', () => {
  const loads = [
    { kind: 'gamma', rate: '5/s', burstiness: 2, duration: '9s' },
    { kind: 'ramp', from: '1/s', to: '5/s', duration: '9s', intervals: 'even' },
    { steps: ['5/s for 9s'] },
    { trace: 'day.csv', speed: 2 },
    { users: 2, pause: '2s', intervals: 'even' },
    { concurrency: 4 },
  ] as const
  const unset = { ...defaults, retries: { ...defaults.retries }, parallel: true } as const
  const rest = {
    sample: 2,
    timeout: '9s',
    stage: 'auto',
    platform: 'linux',
    keyFrom: 'KEY',
    reuse: '7d',
  } as const
  const found = loads.flatMap((load) => {
    const resolved = resolveConfig({ ...nothing, file: { ...unset, ...rest, load } })
    const given = givenFields(resolved)
    expect([...given].filter(([, value]) => value === undefined)).toEqual([])
    return Object.keys(resolved.sources).filter((keyPath) => resolved.sources[keyPath] === 'file')
  })
  const others = ['engines', 'matrix.model', 'matrix.threads', 'matrix.concurrency', 'matrix.transport']
  expect(new Set([...found, ...others])).toEqual(new Set(settings.keys()))
})

test('a variable of a flag that can be repeated may hold a list', () => {
  const contenders = (TRANSCRIBENCH_CONTENDER: string) =>
    resolveConfig({ ...nothing, env: { TRANSCRIBENCH_CONTENDER } }).config.contenders
  expect(contenders('[a:one, "b:two"]')).toMatchObject([
    { engine: 'a', model: 'one' },
    { engine: 'b', model: 'two' },
  ])
  expect(contenders('a:one')).toMatchObject([{ engine: 'a', model: 'one' }])
  expect(contenders('[::1]:80#a:one')).toMatchObject([{ engine: 'a', model: 'one' }])
  const env = { TRANSCRIBENCH_THRESHOLD: '[wer < 1%, latency.p95 < 2s]' }
  expect(resolveConfig({ ...nothing, env }).config.thresholds).toEqual(['wer < 1%', 'latency.p95 < 2s'])
})

test('what is wrong with flags and environment is reported all at once, by their names', () => {
  const problems = problemsOf({
    flags: {
      rounds: 'many',
      concurrency: '-1',
      timeout: '5',
      contender: ['moonshine', 'a:b', 'c:b'],
      transport: 'pat',
      json: true,
    },
    env: { TRANSCRIBENCH_TARGET: ' ' },
  })
  expect(problems.map(({ where, what }) => `${where} ${what}`)).toEqual([
    'TRANSCRIBENCH_TARGET target must be "embedded", "auto", the path of a local-api.json, an address such as http://127.0.0.1:39201, a provider such as deepgram, or openai:http://127.0.0.1:8000/v1, not " "',
    '--contender the contender "moonshine" needs "engine" too',
    '--contender a second contender is called "b"',
    '--concurrency load.concurrency must be a whole number, 1 or more, not -1',
    '--rounds rounds must be a whole number, 1 or more, not "many"',
    '--timeout timeout must be a time with its unit, not "5"',
    '--transport transport must be "auto", "path", "base64" or "multipart", not "pat"',
  ])
  expect(problems.at(-1)?.hint).toBe('did you mean "path"?')
})

test('a load that makes no sense is reported with what else is wrong, unless one of the values of the load is', () => {
  const wherever = (flags: Readonly<Record<string, unknown>>): readonly (string | null)[] =>
    problemsOf({ flags }).map(({ where }) => where)
  expect(wherever({ rate: '0/s', rounds: 'many' })).toEqual(['--rounds', '--rate'])
  expect(wherever({ load: 'poisson', rounds: 'many' })).toEqual(['--rounds', '--load'])
  expect(wherever({ load: 'trace', speed: '2', rounds: 'many' })).toEqual(['--rounds', 'load'])
  expect(wherever({ load: 'poisson', rate: '2', rounds: 'many' })).toEqual(['--rate', '--rounds'])
})

test('thresholds on the command line are checked too', () => {
  const checkThreshold = () => ({ what: 'is not a threshold', hint: 'write it as "wer <= 8%"' })
  expect(problemsOf({ flags: { threshold: ['fast'] }, checkThreshold })).toEqual([
    { where: '--threshold', what: '"fast" is not a threshold', hint: 'write it as "wer <= 8%"' },
  ])
})

test('a named Mode gives its name, and a contender has no language that the file does not give', () => {
  const file: ConfigFile = {
    contenders: [
      { mode: 'Notizen' },
      { id: 'notes', mode: 'Notes', language: 'en', settings: { punctuation: false } },
      { engine: 'moonshine', model: 'moonshine-tiny' },
    ],
  }
  const unset = { engine: null, model: null, language: null, mode: null, settings: {} }
  const unpriced = { usdPerMinute: null, priceSource: null, priceDate: null }
  expect(resolveConfig({ ...nothing, file }).config.contenders).toEqual([
    { ...unset, ...unpriced, id: 'Notizen', mode: 'Notizen' },
    { ...unset, ...unpriced, id: 'notes', mode: 'Notes', language: 'en', settings: { punctuation: false } },
    { ...unset, ...unpriced, id: 'moonshine-tiny', engine: 'moonshine', model: 'moonshine-tiny' },
  ])
})

test('a list of the file is known to be from the file', () => {
  const contenders = [{ engine: 'any', model: 'whisper-1' }]
  const { sources } = resolveConfig({ ...nothing, file: { contenders, exclude: ['a'] } })
  expect(sources).toMatchObject({ contenders: 'file', exclude: 'file', thresholds: 'default' })
})

test('a sample is gone through once, where nothing else is asked', () => {
  const { config, sources, values } = resolveConfig({ ...nothing, flags: { sample: '20' } })
  expect(config).toMatchObject({ sample: 20, rounds: 1 })
  expect({ from: sources['rounds'], written: values['rounds'] }).toEqual({ from: 'default', written: 1 })
  expect(resolveConfig({ ...nothing, flags: { sample: '20', rounds: '3' } }).config.rounds).toBe(3)
  expect(resolveConfig({ ...nothing, file: { sample: 20, rounds: 4 } }).config.rounds).toBe(4)
})

test.each(['constructor', 'toString'])(
  'an option is no field of a request because every object of JavaScript has %s',
  (name) => {
    const layers = { ...nothing, flags: { target: 'openai:http://h/v1', contender: [`any:tiny?${name}=a`] } }
    expect(resolveConfig(layers).config.contenders[0]?.options).toEqual(Object.fromEntries([[name, 'a']]))
  },
)

test('a sample is of one utterance at least', () => {
  expect(problemsOf({ flags: { sample: '0' } })).toMatchObject([{ where: '--sample' }])
})

test.each([
  ['90s', 90],
  ['1500ms', 1.5],
  ['2min', 120],
  ['0.3h', 1080],
])('a time-out of %s is %d seconds', (timeout, seconds) => {
  expect(resolveConfig({ ...nothing, file: { timeout } }).config.requestTimeoutSeconds).toBe(seconds)
})

test('flags are listed with what a help text needs', () => {
  const rows = listFlags()
  expect(rows.find(({ keyPath }) => keyPath === 'target')).toEqual({
    keyPath: 'target',
    syntax: '--target <target>',
    attribute: 'target',
    description: expect.stringContaining('embedded'),
    standard: 'embedded',
    isRepeatable: false,
    environment: 'TRANSCRIBENCH_TARGET',
    fileEnding: null,
  })
  expect(rows.filter(({ isRepeatable }) => isRepeatable).map(({ attribute }) => attribute)).toEqual([
    'exclude',
    'contender',
    'retry',
    'threshold',
  ])
  expect(new Set(rows.map(({ attribute }) => attribute)).size).toBe(rows.length)
})

test('refuses to wait for rate limits under a load that sends at its moments', () => {
  const flags = { rate: '2/s', rateLimit: 'wait' }
  expect(() => resolveConfig({ ...nothing, flags })).toThrowError('the config cannot be used: one problem')
  expect(() => resolveConfig({ ...nothing, flags, path: 'a.yaml' })).toThrowError(
    'the config (a.yaml) cannot',
  )
  expect(resolveConfig({ ...nothing, flags: { rate: '2/s', rateLimit: 'fail' } }).config.rateLimit).toBe(
    'fail',
  )
})

test('settings that do not fit together are reported all at once', () => {
  const file: ConfigFile = {
    ...{ engines: 'engines.yaml', rateLimit: 'wait', load: { rate: '2/s' } },
    contenders: [
      { target: 'deepgram', model: 'nova-3', keyFrom: 'ONE', threads: 2 },
      { target: 'deepgram', model: 'nova-2', keyFrom: 'OTHER', options: { smart: true } },
    ],
  }
  expect(problemsOf({ file }).map(({ where, what }) => `${where}: ${what}`)).toEqual([
    'contenders: deepgram has one key, and its contenders name several: ONE, OTHER',
    expect.stringMatching(/^nova-2: deepgram has no option "smart"/),
    expect.stringMatching(/^nova-3: threads are those of the built-in service/),
    expect.stringMatching(/^rateLimit: a poisson load sends when it is due/),
    expect.stringMatching(/^engines: only the built-in service/),
  ])
})

test('takes an engines file for the built-in service only, and says where it belongs otherwise', () => {
  const flags = { engines: 'my engines.yaml' }
  expect(resolveConfig({ ...nothing, flags }).config.engines).toBe('my engines.yaml')
  const problem = expect.objectContaining({
    hint: expect.stringContaining("serve --engines 'my engines.yaml'"),
  })
  expect(() => resolveConfig({ ...nothing, flags: { ...flags, target: 'auto' } })).toThrowError(
    expect.objectContaining({ problems: [problem] }),
  )
})

const texts = [
  ...[
    '',
    '8000',
    'true',
    'auto',
    'embedded',
    'openai:http://h/v1',
    'tiny',
    'any:tiny',
    '2s',
    '5/s',
    'constant',
  ],
  ...[
    'wer <= 8%',
    'constructor',
    `$${'{HELD}'}`,
    `$${'{UNHELD:-3}'}`,
    'any:tiny?constructor=1',
    '[a',
    '{a: 1}',
    '1',
  ],
]
const text = fc.constantFrom(...texts)
/** Values that people leave blank or write in another type, and right ones. */
const slip = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, 8000, 1, 0, true, [], {}, ['a'], [null], { toString: 1 }, { rate: '5/s' }),
)
const someOf = <Value>(keys: readonly string[], value: fc.Arbitrary<Value>, maxKeys: number) =>
  fc.dictionary(fc.constantFrom(...keys), value, { maxKeys })

test('whatever a config, the flags and the environment hold, they are refused with problems or a valid config', () => {
  const rows = listFlags()
  const alike = fc.constantFrom(
    {},
    { engine: 'any', model: 'tiny' },
    { target: 'openai:http://h/v1', model: 'a' },
  )
  const contender = fc
    .tuple(alike, someOf([...Object.keys(contenderKeys), 'toString'], slip, 2))
    .map(([named, fields]) => ({ ...named, ...fields }))
  const contenders = fc.oneof({ weight: 4, arbitrary: fc.array(contender, { maxLength: 3 }) }, slip)
  const file = fc
    .tuple(someOf([...Object.keys(configKeys), 'toString'], slip, 3), fc.option(contenders))
    .map(([keys, named]) => (named === null ? keys : { ...keys, contenders: named }))
  const flags = fc
    .tuple(
      ...rows.map(({ isRepeatable }) =>
        fc.option(fc.oneof(isRepeatable ? fc.array(text) : text), { freq: 20 }),
      ),
    )
    .map((given) =>
      Object.fromEntries(rows.map(({ attribute }, index) => [attribute, given[index] ?? undefined])),
    )
  const variables = [...settings].map(([keyPath, setting]) => nameVariable(keyPath, setting))
  const env = someOf([...variables, 'HELD'], text, 2)
  fc.assert(
    fc.property(fc.option(file), flags, env, (written, typed, held) => {
      try {
        const read =
          written === null ? null : readConfig(JSON.stringify(written), 'a.json', anyThreshold, held)
        const { config } = resolveConfig({ file: read, flags: typed, env: held })
        expect(recordedConfig.parse(config)).toEqual(config)
      } catch (error) {
        if (!(error instanceof BenchError)) throw error
        expect(error).toMatchObject({ code: 'CONFIG_INVALID' })
        expect(error.problems).not.toEqual([])
        for (const { what, hint = '' } of error.problems)
          expect([typeof what, typeof hint]).toEqual(['string', 'string'])
      }
    }),
    { numRuns: 800 },
  )
})
