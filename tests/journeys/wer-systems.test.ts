import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CliResult, runCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

const fixtures = join(import.meta.dirname, '../scoring/fixtures/systems')

function wer(...flags: string[]): Promise<CliResult> {
  return runCli(['wer', 'ref.trn', 'a.trn', 'b.trn', 'c.trn', '--alignment', 'sclite', ...flags], {
    cwd: fixtures,
  })
}

describe('several systems side by side', () => {
  test('have the counts of sclite and the tests that sc_stats prints for its output', async () => {
    const { code, stdout, stderr } = await wer()
    expect({ code }, stderr).toEqual({ code: 0 })
    // sclite -o sgml of the three, to sc_stats -p -t mapsswe sign wilc mcn -u: SCTK 2.4.10.
    expect(stdout).toMatch(/a\.trn +8\.15% .* 250 +16 +4 +2 +270/)
    expect(stdout).toMatch(/b\.trn +18\.15% .* 236 +24 +10 +15 +270/)
    expect(stdout).toMatch(/c\.trn +15\.56% .* 232 +28 +10 +4 +270/)
    expect(stdout).toMatch(/sc_stats +MP +SI +WI +MN\n/)
    expect(stdout).toMatch(/b\.trn and a\.trn +<0\.001 +0\.031 +0\.028 +0\.006\n/)
    expect(stdout).toMatch(/c\.trn and a\.trn +0\.003 +0\.031 +0\.028 +0\.039\n/)
    expect(stdout).toMatch(/c\.trn and b\.trn +0\.435 +0\.688 +0\.250 +0\.727\n/)
    // Six speakers, all of them better with a: the exact tests give 2/64, where sc_stats approximates Wilcoxon's.
    expect(stdout).toMatch(/b\.trn − a\.trn +\+10\.00 pp +\+4\.39 – \+16\.10 .* 0\.031 +0\.031 +0\.006\n/)
  })

  test('are one JSON document, with the score of each and every pair compared', async () => {
    const { systems, comparisons } = JSON.parse((await wer('--json')).stdout)
    expect(systems).toMatchObject([
      { name: 'a.trn', file: 'a.trn', score: { words: { counts: { hits: 250 } } } },
      { name: 'b.trn', score: { words: { counts: { hits: 236 } } } },
      { name: 'c.trn', score: { words: { counts: { hits: 232 } } } },
    ])
    expect(comparisons.map(({ base, run }: Record<string, string>) => `${base} ${run}`)).toEqual([
      'a.trn b.trn',
      'a.trn c.trn',
      'b.trn c.trn',
    ])
    expect(comparisons[0]).toMatchObject({
      tests: {
        unit: 'speakers',
        wilcoxon: { count: 6, pValue: 2 / 64 },
        sign: { baseBetter: 6, pValue: expect.closeTo(2 / 64, 12) },
      },
    })
  })

  test('print one figure each, in the order of the files', async () => {
    const { stdout } = await wer('--print', 'wer')
    expect(stdout.trim().split('\n').map(Number)).toEqual([22 / 270, 49 / 270, 42 / 270])
  })

  test('count what one of them leaves unanswered as empty, and say so', async () => {
    await using home = await workplace()
    const line = (id: string, text: string | null): string => JSON.stringify({ id, text })
    await home.write('ref.jsonl', [line('x', 'one two'), line('y', 'three four')].join('\n'))
    await home.write('all.jsonl', [line('x', 'one too'), line('y', 'three four')].join('\n'))
    await home.write('half.jsonl', [line('y', 'three four'), line('x', null)].join('\n'))
    const { stdout } = await home.cli('wer', 'ref.jsonl', 'all.jsonl', 'half.jsonl')
    expect(stdout).toMatch(/all\.jsonl +25\.00% .*100\.0%/)
    expect(stdout).toMatch(/half\.jsonl +50\.00% .* 50\.0%/)
    expect(stdout).toContain('WER counts what was not answered as empty, CER leaves it out')
    const words = ['--only', 'words']
    const ofWords = await home.cli('wer', 'ref.jsonl', 'all.jsonl', 'half.jsonl', ...words)
    expect(ofWords.stdout).toContain('what was not answered counts as empty')
  })

  test('are refused where the output is of one system, and where standard input would be read twice', async () => {
    const [csv, stdin] = await Promise.all([
      wer('--csv'),
      runCli(['wer', '-', 'a.trn', 'b.trn', '--format', 'trn'], { cwd: fixtures }),
    ])
    expect(csv).toMatchObject({ code: 2, stdout: '' })
    expect(csv.stderr).toContain('--csv writes one system, and several are named')
    expect(stdin).toMatchObject({ code: 2, stdout: '' })
    expect(stdin.stderr).toContain('the references are read once for every system')
  })

  test('are called by their paths where their files have one name', async () => {
    await using home = await workplace()
    for (const name of ['ref', 'a', 'b'])
      await copyFile(join(fixtures, `${name}.trn`), join(home.path, `${name}.trn`))
    const { stdout } = await home.cli('wer', 'ref.trn', 'a.trn', './a.trn')
    expect(stdout).toMatch(/^ {2}\.\/a\.trn − a\.trn +0\.00 pp/m)
  })
})
