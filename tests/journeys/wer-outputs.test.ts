import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CliResult, runCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

const files: Readonly<Record<string, string>> = {
  'ref.txt': 'one two three\nfour five\nsix seven eight nine\n',
  'hyp.txt': 'one too three\nfour five\nsex eight nine ten\n',
}

/** Runs `transcribench wer` in a folder with these files, `<` before the last of them on standard input. */
async function wer(
  args: readonly string[],
  written: Readonly<Record<string, string>> = files,
  options: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CliResult> {
  await using home = await workplace()
  for (const [name, text] of Object.entries(written)) await home.write(name, text)
  const through = options.stdin === undefined ? [] : ['sh', '-c', `exec "$@" < ${options.stdin}`, 'sh']
  return await runCli(['wer', ...args], { cwd: home.path, through, env: options.env ?? {} })
}

describe('one number', () => {
  // Hits 6, substitutions 2, deletions 1, insertions 1 in 9 words; 2 of 3 lines with an error.
  test.each([
    ['wer', 4 / 9],
    ['mer', 4 / 10],
    ['wip', (6 / 9) ** 2],
    ['wil', 1 - (6 / 9) ** 2],
    ['ser', 2 / 3],
  ])('is printed alone: %s', async (figure, value) => {
    const { code, stdout } = await wer(['ref.txt', 'hyp.txt', '--print', figure])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^[\d.]+\n$/)
    expect(Number(stdout)).toBeCloseTo(value, 12)
  })

  test('of characters is that of the JSON document', async () => {
    const [printed, json] = await Promise.all([
      wer(['ref.txt', 'hyp.txt', '--print', 'cer']),
      wer(['ref.txt', 'hyp.txt', '--json']),
    ])
    expect(Number(printed.stdout)).toBe(JSON.parse(json.stdout).characters.rate)
  })

  test('is refused where there is nothing to divide by', async () => {
    const refused = await wer(['a.txt', 'b.txt', '--print', 'wer'], { 'a.txt': '\n', 'b.txt': 'one\n' })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('wer cannot be computed of 1 pair with 0 words')
  })
})

describe('words alone', () => {
  test('are counted as they are next to characters, and characters are nowhere', async () => {
    const [both, words, text] = await Promise.all([
      wer(['ref.txt', 'hyp.txt', '--json']),
      wer(['ref.txt', 'hyp.txt', '--json', '--only', 'words']),
      wer(['ref.txt', 'hyp.txt', '--only', 'words']),
    ])
    const [all, some] = [JSON.parse(both.stdout), JSON.parse(words.stdout)]
    expect(some.words).toEqual(all.words)
    expect(some.characters).toBeNull()
    expect(some.rows.map((row: { characters: unknown }) => row.characters)).toEqual([null, null, null])
    expect(text.stdout).not.toMatch(/CER|characters/)
  })

  test.each([
    [['--only', 'words', '--print', 'cer'], '--print cer needs characters'],
    [['--only', 'words', '--characters', 'graphemes'], '--characters needs characters'],
  ])('are refused where characters are asked for: %j', async (flags, message) => {
    const refused = await wer(['ref.txt', 'hyp.txt', ...flags])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain(message)
  })
})

describe('the worst utterances', () => {
  test('are those with the most errors, word under word', async () => {
    const { stdout } = await wer(['ref.txt', 'hyp.txt', '--worst', '1'])
    expect(stdout).toContain('3: 3 errors of 4 words (75.00%)')
    expect(stdout).toMatch(
      /reference +six seven eight nine ·\n +hypothesis +sex · +eight nine ten\n +S +D +I/,
    )
    expect(stdout).not.toContain('1: 1 error')
  })

  test('are in the JSON document with their alignment, the first of equals first', async () => {
    const many = Array.from({ length: 3000 }, (_, line) => (line % 1000 === 7 ? 'a b c' : 'a'))
    const { stdout } = await wer(['r.txt', 'h.txt', '--worst', '2', '--json'], {
      'r.txt': many.join('\n'),
      'h.txt': many.map(() => 'a').join('\n'),
    })
    expect(JSON.parse(stdout).worst).toMatchObject([
      {
        id: '8',
        words: { deletions: 2 },
        steps: [{ kind: 'hit' }, { kind: 'deletion' }, { kind: 'deletion' }],
      },
      { id: '1008' },
    ])
  })
})

describe('standard input', () => {
  test('is read wherever a file is named by -', async () => {
    const rules = { ...files, 'own.yaml': 'equivalences: [[two, too]]\n', 'own.glm': 'TOO => TWO\n' }
    const [side, ruled, mapped, trn] = await Promise.all([
      wer(['-', 'hyp.txt', '--print', 'wer'], files, { stdin: 'ref.txt' }),
      wer(['ref.txt', 'hyp.txt', '--rules', '-', '--json'], rules, { stdin: 'own.yaml' }),
      wer(['ref.txt', 'hyp.txt', '--glm', '-', '--json'], rules, { stdin: 'own.glm' }),
      wer(['r.trn', '-', '--json'], { 'r.trn': 'a (x)\n', h: 'b (x)\n' }, { stdin: 'h' }),
    ])
    expect(Number(side.stdout)).toBeCloseTo(4 / 9, 12)
    expect(JSON.parse(ruled.stdout)).toMatchObject({
      profile: { id: 'basic+stdin' },
      words: { counts: { hits: 7 } },
    })
    expect(JSON.parse(mapped.stdout)).toMatchObject({
      profile: { id: 'basic+stdin' },
      words: { counts: { hits: 7 } },
    })
    // A stream has no name: it is what the other file is.
    expect(JSON.parse(trn.stdout)).toMatchObject({ rows: [{ id: 'x', words: { substitutions: 1 } }] })
  })

  test('is refused where it would be read twice', async () => {
    const refused = await wer(['-', 'hyp.txt', '--rules', '-'], files, { stdin: 'ref.txt' })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(
      /can be read once, and both the references and the rules of --rules are to\s+come from it/,
    )
  })
})

test('columns are named where a table calls them otherwise', async () => {
  const table = { 'p.csv': 'key,said,heard\nx,one two,one too\ny,three,three\n' }
  const names = ['--id-column', 'key', '--reference-column', 'said', '--hypothesis-column', 'heard']
  const { stdout } = await wer(['p.csv', '--json', ...names], table)
  expect(JSON.parse(stdout)).toMatchObject({ rows: [{ id: 'x' }, { id: 'y' }], words: { rate: 1 / 3 } })
})

describe('rows of a long input', () => {
  // More than is kept in memory, with characters of several bytes where pieces of the file may end.
  const lines = Array.from(
    { length: 16_000 },
    (_, line) => `überall ${line} größer “naïve” 漢字 ${'x'.repeat(line % 90)}`,
  )
  const long = { 'r.txt': `${lines.join('\n')}\n`, 'h.txt': `${lines.join('\n')}\n` }

  test.each([
    ['--json', (text: string) => JSON.parse(text).rows.map((row: { reference: string }) => row.reference)],
    ['--trn=reference', (text: string) => text.trimEnd().split('\n')],
  ])('are all written, in order, from a temporary file that is gone: %s', async (output, texts) => {
    await using home = await workplace()
    await mkdir(join(home.path, 'tmp'))
    for (const [name, text] of Object.entries(long)) await home.write(name, text)
    const { code, stdout, stderr } = await runCli(
      ['wer', 'r.txt', 'h.txt', '--profile', 'verbatim', output],
      {
        cwd: home.path,
        env: { TMPDIR: join(home.path, 'tmp') },
      },
    )
    expect({ code }, stderr).toEqual({ code: 0 })
    expect(
      (await readdir(join(home.path, 'tmp'))).filter((name) => name.startsWith('transcribench')),
    ).toEqual([])
    const written: readonly string[] = texts(stdout)
    expect(written).toHaveLength(lines.length)
    expect(
      written
        .map((text) => text.replace(/ \(\d+\)$/, ''))
        .join('\n')
        .replaceAll(/\s+/g, ' '),
    ).toBe(lines.join('\n').replaceAll(/\s+/g, ' '))
  })

  test('have ids that end no line and no parenthesis, in the formats of sclite', async () => {
    const rows = [
      { id: 'one (1)\nA', reference: 'a b', hypothesis: 'a c' },
      { id: 'two\n;;', reference: 'a', hypothesis: null },
    ]
    const input = { 'rows.jsonl': rows.map((row) => `${JSON.stringify(row)}\n`).join('') }
    const { stdout } = await wer(['rows.jsonl', '--pra'], input)
    expect(stdout).toContain('id: (one%20%281%29%0AA)\nScores: (#C #S #D #I) 1 1 0 0\n')
    expect(stdout).toContain(';; not answered: two%0A;;\n')
  })

  test('are not begun where the input turns out to be wrong at its end', async () => {
    const refused = await wer(['r.txt', 'h.txt', '--json'], {
      ...long,
      'h.txt': `${long['h.txt']}one more\n`,
    })
    expect(refused.code).toBe(2)
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'TRANSCRIPTS_UNREADABLE' } })
    expect((await wer(['r.txt', 'h.txt', '--pra'], { ...long, 'h.txt': 'one\n' })).stdout).toBe('')
  })

  test('say where they could not be kept', async () => {
    const refused = await wer(['r.txt', 'h.txt', '--csv'], long, { env: { TMPDIR: 'r.txt' } })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('the rows could not be kept in r.txt: not a directory (ENOTDIR)')
    expect(refused.stderr).not.toContain('    at ')
  })
})
