import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCorpus } from '#corpus/read-corpus'
import { readRun } from '#journal/run-reader'
import { canMount, mountReason } from '../can-mount.ts'
import { expectSameWhenKilled } from '../corpus/import/killed-import.ts'
import { spokenCorpus } from '../corpus/spoken-corpus.ts'
import { runCli } from './run-cli.ts'
import { startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

const texts = ['send it on monday', 'send it on tuesday', 'send it on friday', 'send it on sunday']

test.concurrent('dictated recordings are imported as drafts, and a run takes those that were reviewed', async () => {
  await using home = await workplace()
  const models = { echo: { inOrder: texts.map((text) => ({ text })) } }
  await using service = await startScriptedService(join(home.path, 'service'), models, {
    record: true,
    recordAudio: true,
  })
  const options = { cwd: home.path, env: { XDG_DATA_HOME: join(home.path, 'data') } }
  const target = ['--target', service.discoveryPath, '--contender', 'scripted:echo', '--warmup', '0']
  const said = await writeToneCorpus(
    join(home.path, 'said'),
    Object.fromEntries(texts.map((text, index) => [`u${index}`, text])),
  )
  expect((await runCli(['run', ...target, '--corpus', said, '--rounds', '1'], options)).code).toBe(0)

  const imported = await runCli(['corpus', 'import', `recordings:${service.discoveryPath}`], options)
  expect(imported.code, imported.stderr).toBe(0)
  expect(imported.stdout).toContain('imported: 4 utterances')
  expect(imported.stdout).toContain('next: transcribench review recordings')
  const drafts = await readCorpus('recordings', { env: options.env }, { drafts: true })
  expect(drafts.utterances.map(({ text, isDraft }) => [text, isDraft]).toSorted()).toEqual(
    texts.map((text) => [text, true]).toSorted(),
  )

  const refused = await runCli(['run', ...target, '--corpus', 'recordings'], options)
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(
      /no text of recordings is reviewed: 4 drafts[\s\S]*transcribench review recordings/,
    ),
  ])

  const [confirmed, corrected] = drafts.utterances
  const review = (utteranceId = '', before = '', after = before): string =>
    `${JSON.stringify({ utteranceId, before, after, when: '2026-11-23T08:00:00.000Z', by: 'ann', seen: 'seen' })}\n`
  await appendFile(
    join(drafts.manifestPath, '../corrections.jsonl'),
    review(confirmed?.id, confirmed?.text) + review(corrected?.id, corrected?.text, 'send it on saturday'),
  )
  for (const made of [
    ['derive', 'recordings', '--step', 'mulaw', '--output', 'made'],
    ['select', 'recordings', '--count', '1', '--output', 'made-1'],
  ]) {
    const { code, stderr } = await runCli(['corpus', ...made], options)
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('2 drafts are left out until they are reviewed')
    const [, next = ''] = /next: transcribench run --corpus (\S+)/.exec(stderr) ?? []
    expect(await readCorpus(next, { ...options, cwd: home.path })).toMatchObject({ warnings: [] })
  }
  const run = await runCli(['run', ...target, '--corpus', 'recordings', '--rounds', '1'], options)
  expect(run.code, run.stderr).toBe(0)
  expect(run.stderr).toContain('2 drafts are left out until they are reviewed')
  const [, folder = ''] = await home.runs()
  const { utterances } = await readRun(folder)
  expect(utterances.map(({ reference }) => reference)).toEqual([confirmed?.text, 'send it on saturday'])
})

test.concurrent('a service without kept audio has nothing to import, and says what to do', async () => {
  await using home = await workplace()
  await using service = await startScriptedService(join(home.path, 'service'), { echo: { inOrder: [] } })
  const refused = await home.cli('corpus', 'import', `recordings:${service.discoveryPath}`)
  expect(refused.code).toBe(2)
  expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain('has kept the audio of none of its 0 recordings')
})

test.concurrent('a corpus is derived with a ladder, checked and chosen from, and each step names the next command', async () => {
  await using home = await workplace()
  const options = { cwd: home.path }
  const utterances = Array.from({ length: 8 }, (_, index) => ({
    id: `u${index}`,
    text: `utterance number ${index} of this corpus says something else`,
    language: 'en',
    speaker: `s${index % 4}`,
    seconds: 3 + index / 2,
  }))
  await spokenCorpus(join(home.path, 'corpora', 'calls'), utterances)

  const derive = ['corpus', 'derive', 'calls', '--ladder', 'snr=none,10,0', '--seed', '7']
  const derived = await runCli(derive, options)
  expect(derived.code, derived.stderr).toBe(0)
  expect(derived.stderr).toContain('next: transcribench run --corpus corpora/calls-snr')
  const made = await home.read('corpora/calls-snr/manifest.jsonl')
  expect(made.trim().split('\n')).toHaveLength(24)
  await rm(join(home.path, 'corpora/calls-snr'), { recursive: true })
  expect((await runCli(derive, options)).code).toBe(0)
  expect(await home.read('corpora/calls-snr/manifest.jsonl')).toBe(made)

  const against = await runCli(['corpus', 'lint', 'calls', '--against', 'calls-snr'], options)
  expect(against.code, against.stderr).toBe(0)
  expect(against.stdout.match(/overlap/g)?.length).toBeGreaterThanOrEqual(utterances.length)

  const select = ['corpus', 'select', 'calls', '--count', '4', '--balance', 'speaker']
  const selected = await runCli(select, options)
  expect(selected.code, selected.stderr).toBe(0)
  const chosen = await readCorpus('calls-4', { env: {}, cwd: home.path })
  expect(new Set(chosen.utterances.map(({ speaker }) => speaker)).size).toBe(4)
  const verified = await runCli(['corpus', 'verify', 'calls-4'], options)
  expect(verified.code, verified.stderr).toBe(0)
  const document = await runCli(['corpus', 'verify', 'calls-4', '--json'], options)
  const { utterances: found, ...facts } = JSON.parse(document.stdout)
  expect(facts).not.toHaveProperty('argument')
  expect(facts).toMatchObject({
    name: 'calls-4',
    warnings: [],
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(found.map(({ id }: { id: string }) => id)).toEqual(chosen.utterances.map(({ id }) => id))
  expect(found[0]).toMatchObject({ mimeType: 'audio/wav', sha256: chosen.utterances.at(0)?.sha256 })
})

test.concurrent('GSM without the program that codes it is refused, with how to get it', async () => {
  await using home = await workplace()
  const manifest = await spokenCorpus(join(home.path, 'calls'), [{ id: 'a', text: 'one two' }])
  const refused = await runCli(['corpus', 'derive', manifest, '--step', 'gsm'], {
    cwd: home.path,
    env: { PATH: home.path },
  })
  expect(refused.code).toBe(2)
  expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain('apt install sox libsox-fmt-base')
})

describe('an import onto a disk that is full', () => {
  test.skipIf(!canMount)(
    `says how much more is needed, and goes on when there is room${mountReason}`,
    async () => {
      await using home = await workplace()
      const disk = join(home.path, 'disk')
      await mkdir(disk)
      const speech = join(home.path, 'speech')
      await spokenCorpus(
        speech,
        Array.from({ length: 40 }, (_, index) => ({
          id: `u${index}`,
          text: `words of ${index}`,
          seconds: 1,
        })),
      )
      // 40 recordings of 32 kB are 1.3 MB.
      const source = `nemo:${speech}`
      await writeFile(
        join(speech, 'manifest.json'),
        Array.from(
          { length: 40 },
          (_, index) =>
            `${JSON.stringify({ audio_filepath: `audio/${index}.wav`, text: `words of ${index}` })}\n`,
        ).join(''),
      )
      await rm(join(speech, 'manifest.jsonl'))
      const go = ['corpus', 'import', source, '--language', 'en', '--output', join(disk, 'corpus')]
      const grow = 'mount -o remount,size=8m "$disk"'
      const script = `disk=${disk}; mount -t tmpfs -o size=600k tmpfs "$disk" || exit 99; "$@"; echo "first: $?"; ${grow} && "$@"`
      const { code, stdout, stderr } = await runCli(go, {
        cwd: home.path,
        through: ['unshare', '-rm', 'bash', '-c', script, 'bash'],
      })
      expect(code, stderr).toBe(0)
      expect(stdout).toContain('first: 2')
      const message = stderr.replaceAll(/\s+/g, ' ')
      expect(message).toContain('IMPORT_NOT_WRITABLE')
      expect(message).toMatch(/\d+ utterances are written, and the other \d+ recordings need about 1 MB more/)
      expect(stdout).toContain('imported: 40 utterances')
    },
  )
})

test.skipIf(!canMount)(
  `a disk that is read-only is called that where a corpus is to be written${mountReason}`,
  async () => {
    await using home = await workplace()
    const disk = join(home.path, 'disk')
    await mkdir(disk)
    const manifest = await spokenCorpus(join(home.path, 'calls'), [{ id: 'a', text: 'one two' }])
    const to = join(disk, 'within/corpus')
    for (const command of [
      ['corpus', 'import', `table:${manifest}`, '--language', 'en', '--output', to],
      ['corpus', 'derive', manifest, '--step', 'mulaw', '--output', to],
      ['corpus', 'select', manifest, '--count', '1', '--output', to],
    ]) {
      const script = `mount -t tmpfs -o size=600k,ro tmpfs ${disk} || exit 99; "$@"`
      const through = ['unshare', '-rm', 'bash', '-c', script, 'bash']
      const { code, stderr } = await runCli(command, { cwd: home.path, through })
      expect(code, stderr).toBe(2)
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain('EROFS: read-only file system')
    }
  },
)

test(
  'an import that is killed twice ends as one that is not, and fetches nothing twice',
  () => expectSameWhenKilled(500),
  180_000,
)
