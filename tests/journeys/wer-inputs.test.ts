import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import { describe, expect, test } from 'vitest'
import type { TextScoreOptions } from '#rates/scored-pair'
import { errorCount } from '#scoring/counts'
import { readPairs } from '#transcripts/read-pairs'
import { startTextScore } from '../rates/start-text-score.ts'
import { type CliResult, runCli, withPermissions } from './run-cli.ts'
import { workplace } from './workplace.ts'

type Files = Readonly<Record<string, string | Uint8Array>>

// Two command lines at a time are as fast as more.
const limit = pLimit(2)

async function written(folder: string, files: Files): Promise<readonly string[]> {
  const paths = Object.keys(files).map((name) => join(folder, name))
  for (const [index, content] of Object.values(files).entries()) {
    await mkdir(dirname(paths[index] ?? ''), { recursive: true })
    await writeFile(paths[index] ?? '', content)
  }
  return paths
}

/** Writes some files and scores the first two of them, or the one. */
async function wer(files: Files, ...flags: readonly string[]): Promise<CliResult> {
  await using home = await workplace()
  await written(home.path, files)
  return await limit(() => home.cli('wer', ...Object.keys(files), ...flags))
}

const stm =
  ';; a remark\ncall A anna 0.0 2.0 <o,f0> the cat sat\ncall A anna 2.0 4.0 ignore_time_segment_in_scoring\ncall B bob 1.0 3.0 yes\n'
const ctm =
  'call A 0.1 0.2 the\ncall A 0.4 0.3 cat\ncall A 0.9 0.4 sad\ncall A 2.5 0.3 noise\ncall B 1.2 0.3 yes 0.98\n'

test('the format of one side is named, and captions that roll up count once where that is asked for', async () => {
  const files = {
    'ref.txt': 'the cat sat on the mat\n',
    'hyp.log': '00:01.000 --> 00:02.000\nthe cat sat\n\n00:02.000 --> 00:03.000\nthe cat sat\non the mat\n',
  }
  const named = ['--format', 'hypothesis=vtt', '--print', 'wer'] as const
  expect(await wer(files, ...named)).toMatchObject({ code: 0, stdout: '0.5\n' })
  const { 'ref.txt': csv, ...others } = files
  const both = await wer({ 'ref.csv': csv, ...others }, '--format', 'lines', ...named)
  expect(both, both.stderr).toMatchObject({ code: 0, stdout: '0.5\n' })
  const merged = await wer(files, ...named, '--captions', 'merge')
  expect(merged).toMatchObject({ code: 0, stdout: '0\n' })
  expect(merged.stderr).toContain('hyp.log: 1 of 2 cues repeat the end of the one before')
  const misnamed = await wer(files, '--format', 'hypotheses=vtt')
  expect(misnamed.code).toBe(2)
  expect(misnamed.stderr.replaceAll(/\s+/g, ' ')).toContain('each also after reference= or hypothesis=')
})

describe('files that cannot be scored', () => {
  // Each reason by itself: tests/transcripts.
  const refused: readonly [what: string, files: Files, where: RegExp, cure: RegExp][] = [
    [
      'of different lengths',
      { 'a.txt': 'one two\nthree\n', 'b.txt': 'one\n' },
      /a\.txt:2 .*has 2 lines/,
      /pair by id/,
    ],
    [
      'with words by time and no segments',
      { 'a.txt': 'one two\nthree\n', 'b.ctm': ctm },
      /b\.ctm {2}holds words by time/,
      /ref\.stm hyp\.ctm/,
    ],
  ]
  test.concurrent.each(refused)(
    '%s are refused by file and line, with a cure',
    async (_, files, where, cure) => {
      const refusal = await wer(files)
      expect(refusal, refusal.stderr).toMatchObject({ code: 2, stdout: '' })
      const said = refusal.stderr.replace(/\s*\n\s+/g, ' ')
      expect(refusal.stderr).toMatch(where)
      expect(said).toMatch(cure)
      expect(said).toContain('nothing was scored')
    },
  )
})

describe('a file without read permission', () => {
  test('is refused, not taken for a bug', async () => {
    await using home = await workplace()
    await written(home.path, { 'a.txt': 'x\n', 'b.txt': 'x\n' })
    await chmod(join(home.path, 'a.txt'), 0)
    const refusal = await limit(() =>
      runCli(['wer', 'a.txt', 'b.txt'], { cwd: home.path, through: withPermissions }),
    )
    expect(refusal).toMatchObject({ code: 2, stdout: '' })
    expect(refusal.stderr).toContain('a.txt  cannot be read: permission denied (EACCES)')
  })
})

describe('files of every kind', () => {
  const scored: readonly [
    what: string,
    files: Files,
    options: Partial<TextScoreOptions>,
    errors: number,
    words: number,
  ][] = [
    ['Kaldi text by its name', { 'r/text': 'u1 the cat\nu2 sat\n', 'h/text': 'u2\nu1 the cat\n' }, {}, 1, 3],
    [
      'LibriSpeech text by its name',
      { 'a.trans.txt': '1-2 THE CAT\n', 'b.trans.txt': '1-2 the hat\n' },
      {},
      1,
      2,
    ],
    [
      'a NeMo manifest',
      { 'm.jsonl': '{"audio_filepath":"a.wav","duration":2,"text":"a b","pred_text":"a c"}\n' },
      { by: ['duration'] },
      1,
      2,
    ],
    [
      'two tables',
      { 'a.tsv': 'path\tsentence\nx.mp3\tone "two\n', 'b.tsv': 'path\tsentence\nx.mp3\tone two\n' },
      {},
      0,
      2,
    ],
  ]
  test.each(scored)('are scored: %s', async (_, files, options, errors, words) => {
    await using home = await workplace()
    const [reference = '', hypothesis = null] = await written(home.path, files)
    const scorer = startTextScore({ ...options, seed: 1 })
    for await (const pairs of readPairs({ reference, hypothesis })) for (const pair of pairs) scorer.add(pair)
    const { counts, referenceLength } = scorer.result().words
    expect([errorCount(counts), referenceLength]).toEqual([errors, words])
  })

  test('have what they ask to be left out reported', async () => {
    const { stderr } = await wer({ 'a.stm': stm, 'b.ctm': ctm })
    expect(stderr).toContain(
      '1 segment of a.stm not scored, as the file asks (IGNORE_TIME_SEGMENT_IN_SCORING)',
    )
  })
})

test('what is written for sclite is what sclite writes, and what it reads', async () => {
  const fixtures = join(import.meta.dirname, '../scoring/fixtures/sclite')
  const sclite = (...flags: string[]): Promise<CliResult> =>
    runCli(['wer', './csrnab.ref', './csrnab.hyp', '--alignment', 'sclite', ...flags], { cwd: fixtures })
  const [sgml, sys, reference, hypothesis] = await Promise.all([
    sclite('--sgml'),
    sclite('--sys'),
    sclite('--trn', 'reference'),
    sclite('--trn', 'hypothesis'),
  ])
  await expect(sgml.stdout).toMatchFileSnapshot(join(fixtures, 'test1.sgml'))
  expect(sys.stdout).toMatch(/\| Sum\/Avg \| +51 +1406 \| +89\.8 +9\.3 +0\.9 +1\.8 +12\.0 +74\.5 \|/)
  expect(sys.stdout).toMatch(/\| Sum +\| +51 +1406 \| +1263 +131 +12 +26 +169 +38 \|/)
  const again = await wer(
    { 'r.trn': reference.stdout, 'h.trn': hypothesis.stdout },
    '--alignment',
    'sclite',
    '--json',
  )
  expect(JSON.parse(again.stdout).words.counts).toEqual({
    hits: 1263,
    substitutions: 131,
    deletions: 12,
    insertions: 26,
  })
})
