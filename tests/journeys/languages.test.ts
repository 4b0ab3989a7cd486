import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { argv, runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

interface Spoken {
  readonly language: string
  readonly text: string
  /** What each of the two contenders answers. */
  readonly good: string
  readonly poor: string
  readonly entities?: readonly { readonly type: string; readonly text: string }[]
}

const spoken: Readonly<Record<string, Spoken>> = {
  'en-1': {
    language: 'en',
    text: 'Call Anna at 555 0199.',
    good: 'call Anna at 5550199',
    poor: 'call Hannah at 555 0198',
    entities: [
      { type: 'name', text: 'Anna' },
      { type: 'phone', text: '555 0199' },
    ],
  },
  'de-1': {
    language: 'de',
    text: 'Am 3. Mai nahm sie 20 mg Ibuprofen.',
    good: 'am dritten Mai nahm sie zwanzig Milligramm Ibuprofen',
    poor: 'am dritten Mai nahm sie Ibu Profen',
    entities: [
      { type: 'date', text: '3. Mai' },
      { type: 'drug', text: 'Ibuprofen' },
    ],
  },
  'ar-1': {
    language: 'ar',
    text: 'مُحَمَّد يسكن في القاهرة منذ ٢٠ سنة.',
    good: 'محمد يسكن في القاهرة منذ عشرون سنة',
    poor: 'محمد يسكن القاهره منذ ٢ سنة',
    entities: [{ type: 'place', text: 'القاهرة' }],
  },
  'he-1': {
    language: 'he',
    text: 'הרכבת לתל אביב יוצאת בשעה 10:30.',
    good: 'הרכבת לתל אביב יוצאת בשעה 10:30',
    poor: 'הרכבת לתל אביב יצאה',
  },
  'zh-1': {
    language: 'zh',
    text: '我們下午三點半在北京見面。',
    good: '我们下午三点半在北京见面',
    poor: '我们上午三点半在南京见面',
  },
}

/** Answers by the length of the recording, which differs from tone to tone. */
const program = `
const { statSync } = require('node:fs')
const [, , contender, file] = process.argv
const index = Math.round(((statSync(file).size - 44) / 32000) * 10 - 5)
console.log(JSON.parse(process.env.ANSWERS)[contender][index])
`

async function measured(home: string): Promise<string> {
  const texts = Object.entries(spoken).map(([id, { text }]): [string, string] => [id, text])
  const manifest = await writeToneCorpus(join(home, 'corpus'), Object.fromEntries(texts))
  const lines = (await readFile(manifest, 'utf8')).trimEnd().split('\n')
  const full = lines.map((line) => {
    const row = JSON.parse(line) as { readonly id: string }
    const { language, entities } = spoken[row.id] as Spoken
    return JSON.stringify({ ...row, language, entities })
  })
  await writeFile(manifest, `${full.join('\n')}\n`)
  await writeFile(join(home, 'answer.cjs'), program)
  const answers = {
    good: Object.values(spoken).map(({ good }) => good),
    poor: Object.values(spoken).map(({ poor }) => poor),
  }
  const engines = ['good', 'poor'].map((id) => ({
    kind: 'command',
    id,
    program: process.execPath,
    arguments: [join(home, 'answer.cjs'), id, '{audio}'],
    environment: { ANSWERS: JSON.stringify(answers) },
  }))
  await writeFile(join(home, 'engines.json'), JSON.stringify({ engines }))
  const contenders = ['--contender', 'command:good', '--contender', 'command:poor']
  const run = await runCli(
    argv`run --engines engines.json --corpus ${manifest} --rounds 1 --warmup 0 ${contenders}`,
    { cwd: home },
  )
  expect(run.code, run.stderr).toBe(0)
  return run.stdout
}

test('a corpus of five languages is scored by language, and its entities by type, in every report', async () => {
  await using home = await workplace()
  const screen = await measured(home.path)
  expect(screen).toContain('By language')
  for (const profile of ['english@3', 'german@1', 'arabic@1', 'hebrew@1', 'chinese@1'])
    expect(screen).toContain(profile)
  // Which of both rates leads, next to both.
  expect(screen).toMatch(/chinese@1 +CER +\d/)
  expect(screen).toMatch(/german@1 +WER +\d/)

  const report = async (...options: string[]): Promise<string> => {
    const { stdout, stderr, code } = await home.cli('report', 'latest', ...options)
    expect(code, stderr).toBe(0)
    return stdout
  }
  const csv = await report('--format', 'csv', '--table', 'entities')
  expect(csv).toContain('contender,type,said,found,missed,invented,recall_rate')
  expect(csv).toMatch(/^good,phone,1,1,0,0,1,/m)
  expect(csv).toMatch(/^poor,phone,1,0,1,0,0,/m)
  expect(csv).toMatch(/^poor,place,1,0,1,0,0,/m)
  expect(await report('--details')).toMatch(/Entities[\s\S]*drug/)
  expect(await report('--format', 'md')).toContain('<summary>Entities</summary>')
  const [folder = ''] = await home.runs()
  expect(await readFile(join(folder, 'evaluation.json'), 'utf8')).toMatch(/"type": ?"phone"/)
  const page = await readFile(join(folder, 'report.html'), 'utf8')
  expect(page).toContain('most missed')

  const exported = await home.cli('export', 'latest', '--format', 'leaderboard', '-o', 'out')
  expect(exported.code, exported.stderr).toBe(0)
  const [name = ''] = (await readdir(join(home.path, 'out'))).filter((file) => file.includes('good'))
  expect(name).toBe('MODEL_transcribench-good_DATASET_corpus__test.jsonl')
  const rows = (await readFile(join(home.path, 'out', name), 'utf8')).trimEnd().split('\n')
  expect(rows).toHaveLength(5)
  expect(JSON.parse(rows[0] ?? '')).toMatchObject({
    audio_filepath: 'audio/en-1.wav',
    duration: 0.5,
    time: expect.any(Number),
    text: 'Call Anna at 555 0199.',
    pred_text: 'call Anna at 5550199',
  })

  const leaderboard = await home.cli('score', 'latest', '--profile', 'leaderboard')
  expect(leaderboard.code, leaderboard.stderr).toBe(0)
  expect(leaderboard.stdout + leaderboard.stderr).toContain('leaderboard@2026-07')
})
