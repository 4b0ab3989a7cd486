import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OpenAiScript } from '../client/openai-server.ts'
import { serverWorkplace } from './workplace.ts'

const references = { one: 'The cat sat.', two: 'On the mat.', three: 'No times here.' }
const ctm = `one A 0.1 0.2 the
one A 0.3 0.4 cat
one A 0.8 0.4 sat
two A 0 0.2 on
two A 0.2 0.1 the
two A 0.4 0.3 mat
`

/** Starts 100, 0 and 300 ms late in the first recording; in the second all times are right, and “mat” is wrong. */
const heard: Readonly<Record<string, readonly (readonly [string, number, number])[]>> = {
  'one.wav': [
    ['The', 0.2, 0.3],
    ['cat', 0.3, 0.7],
    ['sat', 1.1, 1.2],
  ],
  'two.wav': [
    ['on', 0, 0.2],
    ['the', 0.2, 0.3],
    ['hat', 0.4, 0.7],
  ],
  'three.wav': [['No', 0, 0.1]],
}
const textOf = (file: string): string =>
  file === 'three.wav' ? references.three : (heard[file] ?? []).map(([word]) => word).join(' ')

const script: OpenAiScript = {
  models: ['words', 'segments', 'none'],
  textOf,
  timesOf(file, model) {
    const words = (heard[file] ?? []).map(([word, start, end]) => ({ word, start, end }))
    if (model === 'words') return { words }
    const [first, last] = [words[0], words.at(-1)]
    return model === 'none'
      ? {}
      : { segments: [{ id: 0, start: first?.start, end: last?.end, text: textOf(file) }] }
  },
}

test('times are requested where the reference has them, compared, and in every report', async () => {
  const contenders = ['words', 'segments', 'none'].flatMap((model) => ['--contender', `any:${model}`])
  const flags = ['--rounds', '2', '--warmup', '0', ...contenders]
  await using home = await serverWorkplace(script, references, flags)
  const { manifest, service: double } = home
  const rows = (await readFile(manifest, 'utf8')).trimEnd().split('\n')
  const timed = rows.map((row) => (row.includes('"three"') ? row : row.replace(/\}$/, ',"times":"all.ctm"}')))
  await writeFile(manifest, `${timed.join('\n')}\n`)
  await writeFile(join(home.path, 'corpus', 'all.ctm'), ctm)
  const planned = await home.run('--dry-run')
  expect(planned.stdout.replaceAll(/\s+/g, ' ')).toContain('times requested for 2 utterances')

  const run = await home.run()
  expect(run.code, run.stderr).toBe(0)
  // On a full screen it is one of the folded parts, which are named.
  expect(run.stdout).toMatch(/times of words/i)
  const ofThird = double.forms.filter(({ fileName }) => fileName === 'three.wav')
  expect(new Set(ofThird.map(({ granularities }) => granularities.length))).toEqual(new Set([0]))
  const others = double.forms.filter(({ fileName }) => fileName !== 'three.wav')
  expect(new Set(others.map(({ granularities }) => granularities.join()))).toEqual(new Set(['segment,word']))

  const report = async (...options: string[]): Promise<string> => {
    const { stdout, stderr, code } = await home.cli('report', 'latest', ...options)
    expect(code, stderr).toBe(0)
    return stdout
  }
  const [header = '', ...lines] = (await report('--format', 'csv', '--table', 'times'))
    .trimEnd()
    .split(/\r?\n/)
  const columns = header.split(',')
  const cell = (contender: string, column: string): string | undefined =>
    lines.find((line) => line.startsWith(`${contender},`))?.split(',')[columns.indexOf(column)]
  // By hand, over “the cat sat on the”, in each of two rounds: starts (100 + 0 + 300 + 0 + 0) / 5, ends 0.
  expect(cell('words', 'compared_words')).toBe('10')
  expect(cell('words', 'start_error_ms')).toBe('80')
  expect(cell('words', 'end_error_ms')).toBe('0')
  expect(cell('words', 'within_200_ms_rate')).toBe('0.8')
  // Of the segments: the starts of “the” and “on”, the end of “sat”; “mat” was not recognised.
  expect(cell('segments', 'times_of')).toBe('segments')
  expect(cell('segments', 'compared_words')).toBe('6')
  expect(cell('segments', 'start_error_ms')).toBe('50')
  expect(cell('none', 'start_error_ms')).toBe('')
  expect(cell('none', 'absence')).toBe('the target returned no times in seconds')

  expect(await report('--details')).toContain(
    'none: no times were compared, because the target returned no times in seconds.',
  )
  expect(await report('--format', 'md')).toContain('<summary>Times of words</summary>')
  const { folder, attempts } = await home.evaluated()
  expect(await readFile(join(folder, 'evaluation.json'), 'utf8')).toMatch(/"startError": ?\{/)
  expect(await readFile(join(folder, 'report.html'), 'utf8')).toContain('within 200 ms')
  const first = attempts.find(
    ({ contenderId, utteranceId }) => contenderId === 'words' && utteranceId === 'one',
  )
  expect(first?.outcome).toMatchObject({
    answer: { times: { unit: 'word', parts: [{ text: 'The', startSeconds: 0.2, endSeconds: 0.3 }, {}, {}] } },
  })
})
