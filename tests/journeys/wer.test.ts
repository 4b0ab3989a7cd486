import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import type { ErrorCounts } from '#scoring/shapes'
import { runCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

const lineCount = 10_000

/** Two files of 10,000 lines, of which the second has words changed, left out and added. */
function manyLines(): { reference: string; hypothesis: string } {
  const random = seededRandom(11)
  const word = (): string => `word${random.below(500)}`
  const references: string[] = []
  const hypotheses: string[] = []
  for (let line = 0; line < lineCount; line += 1) {
    const words = Array.from({ length: random.below(20) }, word)
    references.push(words.join(' '))
    const heard = words.flatMap((said) => {
      const fate = random.below(20)
      return fate === 0 ? [] : fate === 1 ? [word()] : fate === 2 ? [said, word()] : [said]
    })
    hypotheses.push(heard.join(' '))
  }
  return { reference: `${references.join('\n')}\n`, hypothesis: `${hypotheses.join('\n')}\n` }
}

const total = (rows: readonly { words: ErrorCounts }[], of: keyof ErrorCounts): number =>
  rows.reduce((sum, { words }) => sum + words[of], 0)

describe('transcribench wer', () => {
  test('prints counts that are the sums of its rows, and swapping the files swaps insertions with deletions', async () => {
    await using home = await workplace()
    const { reference, hypothesis } = manyLines()
    await home.write('ref.txt', reference)
    await home.write('hyp.txt', hypothesis)
    const [text, json, swapped] = await Promise.all([
      home.cli('wer', 'ref.txt', 'hyp.txt'),
      home.cli('wer', 'ref.txt', 'hyp.txt', '--json'),
      home.cli('wer', 'hyp.txt', 'ref.txt', '--json'),
    ])
    expect(text, text.stderr).toMatchObject({ code: 0 })
    const { rows, words } = JSON.parse(json.stdout)
    expect(rows).toHaveLength(lineCount)
    for (const count of ['hits', 'substitutions', 'deletions', 'insertions'] as const) {
      expect(words.counts[count]).toBe(total(rows, count))
      expect(text.stdout.replaceAll(',', '')).toContain(String(words.counts[count]))
    }
    expect(words.counts.insertions).toBeGreaterThan(1000)
    const mirrored = JSON.parse(swapped.stdout).words.counts
    expect(mirrored).toEqual({
      ...words.counts,
      insertions: words.counts.deletions,
      deletions: words.counts.insertions,
    })
  })

  test('a field with a name that every object has is a field of the rows that give it', async () => {
    await using home = await workplace()
    const names = ['constructor', '__proto__']
    const rows = [
      '{"id":"0","reference":"a","hypothesis":"a","constructor":"x","__proto__":"x"}',
      '{"id":"1","reference":"a","hypothesis":"a"}',
    ]
    await home.write('rows.jsonl', `${rows.join('\n')}\n`)
    const table = await home.cli('wer', 'rows.jsonl', '--csv')
    expect(table, table.stderr).toMatchObject({ code: 0 })
    const columns = table.stdout.split('\n')[0]?.split(',') ?? []
    expect(columns.filter((name) => name.startsWith('tag_'))).toEqual(
      names.map((name) => `tag_${name}`).sort(),
    )
    expect(table.stdout.split('\n')[2]).not.toMatch(/x|function/)
    for (const name of names) {
      const grouped = await home.cli('wer', 'rows.jsonl', '--by', name, '--json')
      const [{ groups }] = JSON.parse(grouped.stdout).groupings
      expect(groups.map((group: { readonly name: unknown }) => group.name)).toEqual([null, 'x'])
    }
  })

  test('says which profile was taken and why, and how to ask for another', async () => {
    await using home = await workplace()
    await home.write('ref.txt', 'one two\n')
    await home.write('hyp.txt', 'one too\n')
    const wer = async (...flags: string[]): Promise<string> =>
      (await home.cli('wer', 'ref.txt', 'hyp.txt', ...flags)).stdout.replaceAll(/\s+/g, ' ')
    expect(await wer()).toContain('basic because no language was named; for English texts: --language en')
    expect(await wer('--language', 'en-GB')).toContain(
      'english@3 because of --language; other rules: --profile basic',
    )
    expect(await wer('--language', 'fr')).toContain(
      'french@1 because of --language; other rules: --profile basic',
    )
    expect(await wer('--language', 'eu')).toContain(
      'basic because of --language; other rules: --profile english',
    )
    expect(await wer('--alignment', 'jiwer')).toContain('jiwer because the counts are those of jiwer')
    expect(await wer('--profile', 'basic')).not.toContain('because')
  })

  test('does not count spaces in CER, and puts CER first, where a script writes no spaces', async () => {
    await using home = await workplace()
    await home.write('ref.txt', '而 对 楼市\n今天 天气 很好\n')
    await home.write('hyp.txt', '而对楼市\n今天天气很好\n')
    const wer = async (...options: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await home.cli('wer', 'ref.txt', 'hyp.txt', ...options)
      expect(code, stderr).toBe(0)
      return stdout
    }
    const inOrder = (text: string, ...parts: readonly string[]): void => {
      const places = parts.map((part) => text.indexOf(part))
      expect(places, text).not.toContain(-1)
      expect(places, text).toEqual(places.toSorted((a, b) => a - b))
    }
    inOrder(await wer(), 'CER  0.00%', 'WER', 'unspaced because the texts are in a script without spaces')
    inOrder(await wer('--language', 'zh'), 'CER  0.00%', 'WER', 'chinese@1 because of --language')
    inOrder(await wer('--csv'), 'character_error_rate', 'word_error_rate', 'characters_hits', 'words_hits')
    inOrder(await wer('--html'), '<title>CER 0.00%', '<h1>CER', 'WER', '0 errors, 0.00%')
    await home.write('a&b.yaml', 'fillers: [uh]\n')
    expect(await wer('--html', '--rules', 'a&b.yaml')).toContain('profile unspaced+a&#38;b, fingerprint')
    expect(JSON.parse(await wer('--json'))).toMatchObject({
      profile: { id: 'unspaced', leads: 'characters' },
      characters: { rate: 0 },
    })
    inOrder(await wer('--characters', 'graphemes'), 'CER  28.57%', 'WER')
    inOrder(await wer('--profile', 'basic'), 'WER', 'CER  28.57%')
  })

  test('scores as English whatever names English, and refuses what names no language', async () => {
    await using home = await workplace()
    await home.write('ref.txt', 'Dr. Smith has 25 colours\n')
    await home.write('hyp.txt', 'doctor smith has twenty five colors\n')
    const wer = (language: string): ReturnType<typeof runCli> =>
      home.cli('wer', 'ref.txt', 'hyp.txt', '--language', language, '--json')
    for (const language of ['en_US', 'British English']) {
      expect(JSON.parse((await wer(language)).stdout)).toMatchObject({
        profile: { id: 'english@3' },
        words: { rate: 0 },
      })
    }
    const refused = await wer('???')
    expect(refused.code).toBe(2)
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      code: 'LANGUAGE_UNKNOWN',
      message: '"???" is not a known language',
    })
    expect(JSON.parse((await wer('Englsh')).stdout).error.hint).toBe('did you mean "en" (English)?')
  })

  test('gives what sclite gives for its own first test, by speaker, with alternatives in the references', async () => {
    const fixtures = join(import.meta.dirname, '../scoring/fixtures/sclite')
    const files = ['csrnab.ref', 'csrnab.hyp', '--alignment', 'sclite']
    const [json, pra] = await Promise.all([
      runCli(['wer', ...files, '--by', 'speaker', '--json'], { cwd: fixtures }),
      runCli(['wer', ...files, '--pra'], { cwd: fixtures }),
    ])
    expect(json, json.stderr).toMatchObject({ code: 0 })
    const score = JSON.parse(json.stdout)
    expect(score).toMatchObject({
      alignment: 'sclite',
      profile: { id: 'sclite', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
      utteranceCount: 51,
      speakerCount: 3,
      words: {
        counts: { hits: 1263, substitutions: 131, deletions: 12, insertions: 26 },
        referenceLength: 1406,
      },
    })
    const groups: readonly { name: string }[] = score.groupings[0].groups
    const bySpeaker = groups.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const raw = await readFile(join(fixtures, 'test1.raw'), 'utf8')
    const rows = [...raw.matchAll(/\| (4t\d) +\|([^|]+)\|([^|]+)\|/g)].map(
      ([, name, sizes = '', counts = '']) => {
        const numbers = `${sizes} ${counts}`.trim().split(/\s+/).map(Number)
        const [utteranceCount, referenceLength, hits, substitutions, deletions, insertions] = numbers
        return {
          name,
          utteranceCount,
          words: { referenceLength, counts: { hits, substitutions, deletions, insertions } },
        }
      },
    )
    expect(rows).toHaveLength(3)
    expect(bySpeaker).toMatchObject(rows)
    const written = await readFile(join(fixtures, 'test1.pra'), 'utf8')
    const scores = (text: string): string[] => text.match(/^Scores: .*$/gm) ?? []
    expect(scores(written)).toHaveLength(51)
    expect(scores(pra.stdout)).toEqual(scores(written))
  })

  test('scores one file of pairs by tag, with what was not answered, and names profile and rule everywhere', async () => {
    await using home = await workplace()
    const rows = [
      { id: 'a', reference: 'The colour <b>', hypothesis: 'the color b', noise: 'street' },
      { id: 'b', reference: ['two', '2'], hypothesis: '2', noise: 'none' },
      { id: 'c', reference: 'one more', hypothesis: null, noise: 'none' },
      { id: 'd', reference: '', hypothesis: 'thank you' },
    ]
    await home.write('pairs.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'))
    const wer = (...flags: string[]): ReturnType<typeof runCli> => home.cli('wer', 'pairs.jsonl', ...flags)
    const [text, csv, html, unknown] = await Promise.all([
      wer('--by', 'noise', '--confusions', '2'),
      wer('--csv', '--language', 'en'),
      wer('--html', '--profile', 'verbatim', '--alignment', 'kaldi'),
      wer('--by', 'accent'),
    ])
    expect(text.stdout).toMatch(/basic [0-9a-f]{12} · canonical alignment · characters: graphemes/)
    expect(text.stdout).toContain('3 of 4 pairs answered (75.0%)')
    expect(text.stdout).toContain('1 reference without words: 1 answered with words, 2 inserted')
    expect(text.stdout).toMatch(/street .*33\.33%/)
    expect(text.stdout).toMatch(/1 +colour +color +a/)
    expect(csv.stdout.split('\r\n')).toEqual([
      expect.stringContaining('id,speaker,tag_noise,word_error_rate'),
      expect.stringMatching(/^a,,street,0.5,.*,english@3,[0-9a-f]{64},canonical,graphemes,/),
      expect.stringMatching(/^b,,none,0,.*,\{ two \/ 2 \},2,true$/),
      expect.stringMatching(/^c,,none,,,,,,,.*,one more,,false$/),
      expect.stringMatching(/^d,,,,,0,0,0,2,/),
      '',
    ])
    expect(html.stdout).toContain('kaldi alignment')
    expect(html.stdout).not.toContain('<b>')
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toContain('there are: noise')
  })

  test('follows jiwer where there is nothing to divide by', async () => {
    await using home = await workplace()
    await home.write('silence.txt', '\n')
    await home.write('invented.txt', 'a b c\n')
    const wer = async (...flags: string[]): Promise<{ words: { rate: number | null } }> =>
      JSON.parse((await home.cli('wer', ...flags, '--json')).stdout)
    const [canonical, jiwer] = await Promise.all([
      wer('silence.txt', 'invented.txt'),
      wer('silence.txt', 'invented.txt', '--alignment', 'jiwer'),
    ])
    expect(canonical.words.rate).toBeNull()
    expect(jiwer.words.rate).toBe(3)
  })
})

describe('rules of a person’s own', () => {
  test('are added to the profile from a file of rules and from a GLM file, and change its name and fingerprint', async () => {
    await using home = await workplace()
    await home.write('ref.txt', 'Uh, the acmemart email is okay\n')
    await home.write('hyp.txt', 'the Acme-Mart e-mail is OK\n')
    await home.write('shop.yaml', 'profile: english\nequivalences: [[okay, OK]]\nvocabulary: [email]\n')
    await home.write('en.glm', "ACMEMART => ACME MART\nHE'S => {HE IS / HE HAS} / [ ] __ [ ]\n")
    await home.write('bad.glm', 'ACMEMART\n')
    const wer = (...flags: string[]): ReturnType<typeof runCli> =>
      home.cli('wer', 'ref.txt', 'hyp.txt', ...flags, '--json')
    const [plain, first, ruled, bad, missing] = await Promise.all([
      wer('--language', 'en'),
      wer('--profile', 'whisper-english'),
      wer('--rules', 'shop.yaml', '--glm', 'en.glm'),
      wer('--glm', 'bad.glm'),
      wer('--rules', 'none.yaml'),
    ])
    expect(JSON.parse(plain.stdout)).toMatchObject({ profile: { id: 'english@3' }, words: { rate: 2 / 5 } })
    expect(JSON.parse(first.stdout)).toMatchObject({
      profile: { id: 'whisper-english' },
      words: { rate: 5 / 5 },
    })
    expect(JSON.parse(ruled.stdout)).toMatchObject({
      profile: { id: 'english@3+en+shop' },
      words: { rate: 0 },
    })
    expect(JSON.parse(ruled.stdout).profile.fingerprint).not.toBe(
      JSON.parse(plain.stdout).profile.fingerprint,
    )
    expect(ruled.stderr).toContain('1 of 2 rules of en.glm are left out, the first in line 2')
    expect(bad.code).toBe(2)
    expect(JSON.parse(bad.stdout)).toMatchObject({ error: { code: 'GLM_INVALID' } })
    expect(bad.stderr).toContain('bad.glm:1  the line is no rule')
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('none.yaml cannot be read')
  })
})

describe('transcribench explain', () => {
  test('shows which stages change nothing, and what the signs mean that a text has between stages', async () => {
    await using home = await workplace()
    const [english, basic] = await Promise.all([
      home.cli('explain', 'english', 'twenty five'),
      home.cli('explain', 'basic', 'a | B'),
    ])
    expect(english.stdout).toMatch(/numbers without marks +“twenty ꞎ five”\n +marks +unchanged\n/)
    expect(english.stdout).toMatch(/ꞎ {2}a number may end here.*\n {2}\| {2}between ways to say the same/)
    expect(basic.stdout).not.toContain('between ways')
  })

  test('shows a text after every stage of a profile, and what is counted', async () => {
    await using home = await workplace()
    const explain = (...args: string[]): ReturnType<typeof runCli> => home.cli('explain', ...args)
    const [profile, traced, json, metric] = await Promise.all([
      explain('whisper-english'),
      explain('whisper-english', 'Mr. Smith, twenty-five colours'),
      explain('basic', 'A-B', '--json'),
      explain('wer', 'some text'),
    ])
    expect(profile.stdout).toContain('quirk')
    expect(traced.stdout).toMatch(/lower case +“mr\. smith, twenty-five colours”/)
    expect(traced.stdout).toContain('4 counted: “mister” “smith” “25” “colors”')
    expect(JSON.parse(json.stdout)).toMatchObject({
      profile: { id: 'basic' },
      text: 'A-B',
      words: ['a', 'b'],
    })
    expect(metric).toMatchObject({ code: 2, stdout: '' })
  })

  test('knows the words of the screens, and suggests the name of a misspelt one', async () => {
    await using home = await workplace()
    const explain = (name: string): ReturnType<typeof runCli> => home.cli('explain', name)
    const names = ['latency', 'backlog', 'wre', 'emtpy', '']
    const [latency, backlog, misspelt, part, nothing] = await Promise.all(names.map(explain))
    expect(latency).toMatchObject({ code: 0 })
    expect(latency?.stdout).toMatch(/^latency {2}\(metric\)\s+latency; lower is better/)
    expect(latency?.stdout).toContain('latency.p50, latency.p90, latency.p95, latency.p99')
    expect(backlog?.stdout).toContain('Requests in the system')
    expect(misspelt).toMatchObject({ code: 2, stdout: '' })
    expect(misspelt?.stderr).toContain('did you mean wer?')
    expect(part?.stderr).toContain('did you mean emptyOutput?')
    expect(nothing).toMatchObject({ code: 2, stderr: expect.not.stringContaining('did you mean') })
  })
})
