import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ConfigFile } from '#config/config-file'
import type { ThresholdCheck } from '#config/faults'
import { readConfig, readScoring } from '#config/read-config'
import { BenchError, type Problem } from '#prelude'

const path = 'configs/nightly.yaml'

function problemsOf(text: string, checkThreshold?: ThresholdCheck): readonly Problem[] {
  try {
    readConfig(text, path, checkThreshold)
  } catch (error) {
    if (error instanceof BenchError && error.code === 'CONFIG_INVALID') return error.problems
    throw error
  }
  return []
}

test('a file that says everything is read as it is, from YAML and from JSON', () => {
  const full: ConfigFile = {
    name: 'nightly',
    target: 'auto',
    corpus: 'meetings',
    exclude: ['meet-0057'],
    contenders: [
      { engine: 'moonshine', model: 'moonshine-tiny', language: 'en', id: 'tiny' },
      { mode: 'My notes', settings: { punctuation: false, englishSpelling: null } },
    ],
    skipUnready: true,
    load: { kind: 'closed', concurrency: 4 },
    rounds: 3,
    warmupRequests: 0,
    timeout: '90s',
    transport: 'base64',
    scoring: { profile: 'verbatim' },
    thresholds: ['wer <= 8%'],
    seed: 7,
    results: 'elsewhere',
  }
  expect(readConfig(JSON.stringify(full), path)).toEqual(full)
  expect(readConfig(JSON.stringify(full, null, '\t'), path)).toEqual(full)
  const yaml = 'rounds: 3 # passes\ncontenders:\n  - { mode: My notes }\nload:\n  concurrency: 4\n'
  expect(readConfig(yaml, path)).toEqual({
    rounds: 3,
    contenders: [{ mode: 'My notes' }],
    load: { concurrency: 4 },
  })
})

test.each([
  ['en_US', 'en-US'],
  ['eng', 'en'],
  ['Brazilian Portuguese', 'pt-BR'],
  ['auto', 'auto'],
])('the language of a contender, written as "%s", is read as the tag "%s"', (written, language) => {
  const { contenders } = readConfig(`contenders: [{ mode: a, language: ${written} }]`, path)
  expect(contenders).toEqual([{ mode: 'a', language }])
})

test.each([
  ['brackets', '['.repeat(3_000_000), 'it has over a megabyte'],
  ['fewer of them', '['.repeat(100_000), 'it is nested more than 64 levels deep'],
  ['a list without end', `a: [${'1,'.repeat(60_000)}]`, 'it has more than 50000 values'],
])('a file that a parser of YAML would take minutes for is refused before: %s', (_what, text, why) => {
  expect(problemsOf(text)).toMatchObject([
    { where: `${path}:1:1`, what: `this is too large to be such a file: ${why}` },
  ])
})

test.each([
  ['a text in quotes where a text is meant', `name: "\${N}"`, { name: '2026' }],
  ['texts of a list in brackets', `exclude: ["\${N}", '\${N}']`, { exclude: ['2026', '2026'] }],
  ['a number without quotes', `seed: \${N}`, { seed: 2026 }],
  ['a number in quotes where no text is taken', `{"seed": "\${N}"}`, { seed: 2026 }],
  ['a number in brackets', `load: { concurrency: "\${NONE:-4}" }`, { load: { concurrency: 4 } }],
  ['true or false', `{"$schema": "x", "skipUnready": "\${NONE:-true}"}`, { skipUnready: true }],
])('a variable is read as %s: %s', (_, text, config) => {
  expect(readConfig(text, path, undefined, { N: '2026' })).toEqual(config)
})

test('an empty object is a config, the schema of an editor is no setting', () => {
  expect(readConfig('{}', path)).toEqual({})
  expect(readConfig('{"$schema": "./config.schema.json"}', path)).toEqual({})
})

test('an unknown key is reported with its place, its line, and the key that was meant', () => {
  const text = '{\n  "load": {\n    "kind": "closed",\n    "concurency": 4\n  }\n}\n'
  expect(problemsOf(text)).toEqual([
    {
      where: 'configs/nightly.yaml:4:5',
      what: 'unknown key "concurency" in load',
      hint: [
        '3 |     "kind": "closed",',
        '4 |     "concurency": 4',
        '  |     ^^^^^^^^^^^^ did you mean "concurrency"?',
        'a whole number, 1 or more: requests kept in flight',
      ].join('\n'),
    },
  ])
})

test('a key that every object of JavaScript has is as unknown as any other', () => {
  expect(problemsOf('{"constructor": 1, "load": {"toString": 1}}')).toMatchObject([
    { what: 'unknown key "constructor"' },
    { what: 'unknown key "toString" in load' },
  ])
  expect(problemsOf(`corpus: "\${constructor}"`)).toHaveLength(1)
})

test('the caret is under its place where a file is indented with tabs', () => {
  const [problem] = problemsOf('{\n\t"load": {\n\t\t"concurency": 4\n\t}\n}\n')
  expect(problem?.where).toBe(`${path}:3:3`)
  expect(problem?.hint?.split('\n').slice(1)).toEqual([
    '3 |   "concurency": 4',
    expect.stringMatching(/^ {2}\| {3}\^{12} did you mean/),
    expect.stringContaining('whole number'),
  ])
})

test.each([
  ['a blank target', '{ target: auto }', '{ target: }', 'contenders[1].target must be'],
  ['blank options', '{ options: }', '{ threads: 2 }', 'contenders[0].options must be an object of options'],
  ['a number as target', '{ target: 8000 }', '{ target: 9000 }', 'contenders[0].target must be'],
  ['a number as id', '{ id: 1 }', '{ id: 2 }', 'contenders[0].id must be'],
])('contenders of one model and with %s are refused for that alone', (_, first, second, what) => {
  const contender = (fields: string): string => `  - ${fields.replace('{', '{ engine: any, model: tiny,')}`
  const problems = problemsOf(['contenders:', contender(first), contender(second)].join('\n'))
  expect(problems[0]?.what).toContain(what)
  expect(problems.filter(({ what: other }) => !other.includes('must be'))).toEqual([])
})

test('all problems are reported at once, in the order of the file', () => {
  const text = [
    'transport: bas64',
    'rounds: -1',
    'sedd: 4',
    'contenders:',
    '  - model: moonshine-tiny',
    '  - { engine: a, model: b, settings: { preset: hypr, punktuation: yes } }',
    'timeout: 90',
  ].join('\n')
  const problems = problemsOf(text)
  expect(problems.map(({ where, what }) => `${where} ${what}`)).toEqual([
    `${path}:1:12 transport must be "auto", "path", "base64" or "multipart", not "bas64"`,
    `${path}:2:9 rounds must be a whole number, 1 or more, not -1`,
    `${path}:3:1 unknown key "sedd"`,
    `${path}:5:5 the contender "moonshine-tiny" needs "engine" too`,
    `${path}:6:48 contenders[1].settings.preset must be "hyper", "message", "mail", "note", "meeting", "code" or "custom", not "hypr"`,
    `${path}:6:54 unknown key "punktuation" in contenders[1].settings`,
    `${path}:7:10 timeout must be a time with its unit, not 90`,
  ])
  expect(problems[0]?.hint).toContain('did you mean "base64"?')
  expect(problems[2]?.hint).toContain('did you mean "seed"?')
})

test.each([
  ['timeout: 90 parsecs', '"parsecs" is not a unit here: write "90s", "90ms", "90min" or "90h"'],
  ['timeout: 90', 'add the unit: "90s", "90ms", "90min" or "90h"'],
  ['timeout: "90"', 'add the unit: "90s"'],
  ['timeout: 0s', 'longer than nothing'],
  ['timeout: -5s', 'write a number and its unit, such as "90s"'],
  ['timeout: soon', 'write a number and its unit, such as "90s"'],
  ['load: { concurrency: -4 }', 'requests kept in flight'],
  ['load: { concurrency: 1.5 }', 'requests kept in flight'],
  ['load: 4', 'such as { concurrency: 4 }, { rate: 5/s } or { users: 20 }'],
  ['rounds:', 'passes of each contender'],
  ['skipUnready: yes', 'leave out contenders'],
  ['exclude: [57]', 'quote an id that looks like a number'],
  ['contenders: []', 'what is compared'],
  ['contenders: [moonshine]', 'such as { engine: moonshine, model: moonshine-tiny }'],
  ['contenders: [{}]', 'such as { engine: moonshine, model: moonshine-tiny }'],
  ['contenders: [{ mode: a, settings: { isDefault: true } }]', 'does not change which Mode is the default'],
  ['contenders: [{ mode: a }, { id: a, mode: b }]', 'give it another "id"'],
  ['contenders: [{ mode: a, language: Englsh }]', 'did you mean "en" (English)?'],
  ['contenders: [{ mode: a, language: jp }]', 'it is a region: did you mean "ja" (Japanese)?'],
  ['contenders: [{ mode: a, language: 5 }]', 'a named Mode keeps its own'],
  ['scoring: { profile: basik }', 'did you mean "basic"?'],
  [
    'scoring: { noSpeech: [TRANSCRIPTION_FAILED] }',
    'such as { code: TRANSCRIPTION_FAILED, message: no speech }',
  ],
  ['scoring: { noSpeech: [{ message: silence }] }', 'its code, or HTTP_ with the status'],
  ['scoring: { noSpeech: [{ code: timedOut }] }', 'what the server answers'],
  ['scoring: { noSpeech: [{ code: SILENT, massage: no }] }', 'did you mean "message"?'],
  ['name: a/b', 'end of its folder'],
  ['seed: 4294967296', 'the same seed gives the same order'],
  ['completelyDifferent: 1', 'known here: name, target, corpus,'],
  ['<<: { rounds: 3 }', 'merge keys are not read'],
])('%s is refused with advice: %s', (text, advice) => {
  const problems = problemsOf(text)
  expect(problems).toHaveLength(1)
  expect(problems[0]?.hint).toContain(advice)
  expect(problems[0]?.where).toMatch(/^configs\/nightly\.yaml:1:\d+$/)
})

test.each(['90s', '1500ms', '2min', '2 min', '0.5h', ' 90s '])('"%s" is a time', (timeout) => {
  expect(readConfig(JSON.stringify({ timeout }), path)).toEqual({ timeout })
})

test.each([
  ['nothing at all', '', 'the file is empty'],
  ['comments only', '# later\n', 'the file is empty'],
  ['a list', '- rounds: 3\n', 'a config must be an object of settings, not a list'],
  ['a word', 'rounds\n', 'a config must be an object of settings, not "rounds"'],
  ['a tab', 'load:\n\tconcurrency: 3\n', 'a tab indents this line'],
  ['a duplicate key', 'rounds: 3\nseed: 1\nrounds: 4\n', '"rounds" is here a second time'],
  ['an anchor that is not there', 'target: *auto\n', '"*auto" refers to an anchor that is not there'],
  ['a list that holds itself', 'contenders: &a\n  - *a\n', '"*a" refers to what it is a part of'],
  ['a map that holds itself', 'load: &a\n  kind: { of: *a }\n', '"*a" refers to what it is a part of'],
  ['a tag', 'target: !auto x\n', 'a tag that means nothing here'],
  ['two documents', 'rounds: 3\n---\nrounds: 4\n', 'a second document begins here'],
  ['a quote that does not end', 'name: "nightly\nrounds: 3\n', 'the " that begins here is not closed'],
  ['a key that is no text', '? [a, b]\n: 3\n', 'this key is no text'],
])('a file with %s is refused with what is wrong', (_, text, what) => {
  const problems = problemsOf(text)
  expect(problems).toHaveLength(1)
  expect(problems[0]?.what).toContain(what)
  expect(problems[0]?.hint).not.toBe('')
})

test.each([
  ['a quote that is not closed', 'seed: 1\nname: "nightly\nrounds: 3\n', '2:7', 'close it with "'],
  ['a list that is not closed', 'seed: 1\nfailIf: [wer <= 8%\nrounds: 3\n', '2:9', 'close it with ]'],
  ['a map that is not closed', 'load: { kind: closed\nrounds: 3\n', '1:7', 'close it with }'],
  ['a map that is not closed in JSON', '{ "name": "x",\n "rounds": 3\n', '1:1', 'close it with }'],
  ['a key without its colon', 'seed: 1\ncontenders\n  - { mode: a }\n', '2:1', 'write "contenders: …"'],
  ['a line that is indented too deep', 'rounds: 3\n  seed: 4\n', '2:3', 'the same indentation'],
  [
    'a line that is indented too little',
    'load:\n  kind: closed\n concurrency: 2\n',
    '3:1',
    'the same indentation',
  ],
])('%s is shown on the line that has to be corrected', (_, text, place, advice) => {
  const [problem, ...others] = problemsOf(text)
  expect(problem?.where).toBe(`${path}:${place}`)
  expect(problem?.hint).toContain(advice)
  expect(others).toEqual([])
})

test('a number that is too large in several ways is one problem', () => {
  expect(problemsOf('seed: 99999999999999999999999\n').map(({ what }) => what)).toEqual([
    'seed must be a whole number from 0 to 4294967295, not 1e+23',
  ])
})

test('a duplicate key does not hide the other problems', () => {
  expect(problemsOf('rounds: 3\nrounds: 4\nsedd: 1\n').map(({ what }) => what)).toEqual([
    '"rounds" is here a second time',
    'unknown key "sedd"',
  ])
})

test('an anchor may be used, and a problem behind it is reported where the value is', () => {
  const text =
    'contenders:\n  - { mode: a, settings: &s { punctuation: 1 } }\n  - { mode: b, settings: *s }\n'
  expect(problemsOf(text).map(({ where }) => where)).toEqual([`${path}:2:44`, `${path}:2:44`])
})

test('anchors that expand to more than memory holds are refused', () => {
  const line = (name: string, of: string): string => `${name}: &${name} [${Array(9).fill(of).join(', ')}]\n`
  const bomb = line('a', 'x') + line('b', '*a') + line('c', '*b') + line('d', '*c')
  expect(problemsOf(bomb)[0]?.what).toContain('anchors cannot be followed')
})

test('thresholds are checked by the caller, and located by the config', () => {
  const check: ThresholdCheck = (text) =>
    text.endsWith('%') ? null : { what: 'has no unit', hint: `write "${text}%"` }
  const problems = problemsOf('thresholds:\n  - wer <= 8%\n  - wer <= 9\n', check)
  expect(problems).toEqual([
    {
      where: `${path}:3:5`,
      what: '"wer <= 9" has no unit',
      hint: '2 |   - wer <= 8%\n3 |   - wer <= 9\n  |     ^^^^^^^^ write "wer <= 9%"',
    },
  ])
})

test('a margin is written as on the command line, and one in the wrong unit is reported', () => {
  expect(problemsOf('margins: [wer=0.5pp, latency=3 %, rtfx=2.5%, speed=5%]\n')).toEqual([])
  for (const margin of ['latency=5pp', 'wer=1%', '5%', 'speed=5pp']) {
    const [problem, ...others] = problemsOf(`margins: [${margin}]\n`)
    expect(problem?.what, margin).toContain('margin')
    expect(others).toEqual([])
  }
})

test('a long line is shown around the place, with the caret under it', () => {
  const text = `{"name": "${'a'.repeat(300)}/"}`
  const [problem] = problemsOf(text)
  const [line = '', pointer = ''] = problem?.hint?.split('\n') ?? []
  expect(line.length).toBeLessThan(110)
  expect(pointer.indexOf('^')).toBeGreaterThan(0)
})

test('whatever a file holds, it is a config or every problem has a place in it', () => {
  const keys = fc.constantFrom(
    'rounds',
    'load',
    'contenders',
    'thresholds',
    'timeout',
    'settings',
    'mode',
    'other',
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(value, (config) => {
      for (const { where, what } of problemsOf(JSON.stringify(config))) {
        expect(where).toMatch(/^configs\/nightly\.yaml(:\d+:\d+)?$/)
        expect(what).not.toBe('')
      }
    }),
  )
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => void problemsOf(text)))
})

test('a scoring section may be in a separate file, and its problems in the places of that file', () => {
  const rules = {
    profile: 'english',
    fillers: ['uh'],
    replacements: [{ from: 'gonna', to: 'going to', before: '' }],
  }
  expect(readScoring(JSON.stringify(rules), 'shop.json')).toEqual(rules)
  expect(readScoring('', 'empty.yaml')).toEqual({})
  const problems = (text: string): readonly string[] => {
    try {
      readScoring(text, 'shop.yaml')
    } catch (error) {
      if (error instanceof BenchError) return error.problems.map(({ where, what }) => `${where} ${what}`)
      throw error
    }
    return []
  }
  expect(problems('vocabulry: [a]\nequivalences:\n  - [one]\n  - two\nfillers: [5]\n')).toEqual([
    'shop.yaml:1:1 unknown key "vocabulry"',
    'shop.yaml:3:5 equivalences[0] must be a list of at least two texts, not a list',
    'shop.yaml:4:5 equivalences[1] must be a list of at least two texts, not "two"',
    'shop.yaml:5:11 fillers[0] must be text of at least one character, not 5',
  ])
})
