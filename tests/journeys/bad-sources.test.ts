import { mkdir, open, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { create, Header } from 'tar'
import { describe, expect, test } from 'vitest'
import { canMount, mountReason } from '../can-mount.ts'
import { shard, startHub } from '../corpus/import/local-hub.ts'
import { said, sound, wav, writeMiniature } from '../corpus/import/miniature.ts'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { runCli } from './run-cli.ts'

/**
 * What is refused, and the test that shows it:
 *
 *   a broken archive loses nothing           below; import/refusals (tar, WAV), import/hub (Parquet, hash, transfer)
 *   a full disk says how much is needed      corpora (utterances), below (transfer)
 *   ids that collide are renamed by rule     below; import/refusals (also by case)
 *   a path that leaves its folder            below (manifest); import/refusals (link, id), import/archive (tar), import/hub
 *   a link in a tar                          below (read in place); import/archive (unpacked)
 *   a file made to exhaust memory            below (tar); import/hub (Parquet), import/archive and import/refusals (gzip)
 *   all problems at once, with their places  below; import/refusals (Kaldi), manifest, foreign-manifests
 *
 * No source is a zip file, so that none is unpacked.
 */
interface BadSource {
  readonly what: string
  prepare(folder: string): Promise<void>
  /** Parts of what is said, in their order; blanks count once. */
  readonly says: readonly string[]
  /** Default: 2. */
  readonly code?: number
  readonly flags?: readonly string[]
}

const rows = (names: readonly string[]): string =>
  names.map((name) => `${JSON.stringify({ audio_filepath: name, text: `words of ${name}` })}\n`).join('')

const [first, second] = said

/** A member that lasts from a position to the end of a file with holes, which takes no space. */
async function writeLongMember(path: string, name: string, bytes: number): Promise<void> {
  const header = Buffer.alloc(512)
  new Header({ path: name, size: bytes, type: 'File', mode: 0o644, mtime: new Date(0) }).encode(header)
  await using file = await open(path, 'w')
  await file.write(header)
  await file.truncate(512 + bytes + 1024)
}

const badSources: readonly BadSource[] = [
  {
    what: 'a broken archive, of which the whole recordings are imported where that is asked for',
    async prepare(folder) {
      await writeMiniature('nemo tarred', folder)
      await truncate(join(folder, 'audio_1.tar'), 1000)
    },
    flags: ['--skip-unusable'],
    code: 0,
    says: ['imported: 2 utterances', '3 problems were skipped; import.json lists them'],
  },
  {
    what: 'ids that collide, which are numbered',
    async prepare(folder) {
      await mkdir(join(folder, 'x'))
      await mkdir(join(folder, 'y'))
      for (const name of ['x/a.wav', 'y/a.wav']) await writeFile(join(folder, name), wav(sound))
      await writeFile(join(folder, 'manifest.json'), rows(['x/a.wav', 'y/a.wav']))
    },
    code: 0,
    says: ['1 id was in use already and got a number: a, a-2, a-3'],
  },
  {
    what: 'a manifest with several mistakes and paths that leave its folder, all at once',
    async prepare(folder) {
      await writeFile(join(folder, 'a.wav'), wav(sound))
      await writeFile(
        join(folder, 'manifest.json'),
        `${rows(['a.wav', '../secret.wav', 'gone.wav'])}{"audio_filepath": "a.wav"}\nno JSON\n`,
      )
    },
    says: [
      'manifest.json:2',
      '../secret.wav, which is outside of the folder',
      'manifest.json:3',
      'gone.wav is missing',
    ],
  },
  {
    what: 'a link in a tar that is read in place',
    async prepare(folder) {
      await symlink('/etc/passwd', join(folder, 'link.wav'))
      await create({ file: join(folder, 'audio_0.tar'), cwd: folder }, ['link.wav'])
      await writeFile(join(folder, 'tarred_audio_manifest.json'), rows(['link.wav']))
    },
    says: ['tarred_audio_manifest.json:1', 'link.wav in audio_0.tar is a link, and no link is followed'],
  },
  {
    what: 'a tar made to exhaust memory',
    async prepare(folder) {
      await writeLongMember(join(folder, 'audio_0.tar'), 'long.wav', 6e9)
      await writeFile(join(folder, 'tarred_audio_manifest.json'), rows(['long.wav']))
    },
    says: ['long.wav in audio_0.tar is 6.0 GB long, and no file of more than 2 GB is read'],
  },
]

test.each(badSources)('an import meets $what', async ({ prepare, says, code = 2, flags = [] }) => {
  await using home = await temporaryFolder()
  const source = join(home.path, 'source')
  await mkdir(source)
  await prepare(source)
  const ended = await runCli(
    [
      'corpus',
      'import',
      `nemo:${source}`,
      '--language',
      'en',
      '--output',
      join(home.path, 'corpus'),
      ...flags,
    ],
    { cwd: home.path },
  )
  expect(ended.code, ended.stderr).toBe(code)
  const message = `${ended.stdout} ${ended.stderr}`.replaceAll(/\s+/g, ' ')
  for (const part of says) expect(message).toContain(part)
})

test('all problems of a manifest are said at once, with file, line and utterance, and no recording is opened', async () => {
  await using home = await temporaryFolder()
  const manifest = join(home.path, 'manifest.jsonl')
  const lines = [
    { id: first?.id, audio: 'gone.wav', text: 'one' },
    { id: first?.id, audio: 'b.wav', text: 'two' },
    { id: second?.id, audio: 'c.wav', text: ' ', durationSeconds: -1 },
  ]
  await writeFile(manifest, `${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot JSON\n`)
  const { code, stderr } = await runCli(['corpus', 'verify', manifest], { cwd: home.path })
  expect(code).toBe(2)
  const message = stderr.replaceAll(/\s+/g, ' ')
  for (const part of [
    `manifest.jsonl:2 the id "${first?.id}" is on line 1 already`,
    'manifest.jsonl:3 the reference is empty',
    'manifest.jsonl:3 "durationSeconds" is -1',
    'manifest.jsonl:4 is not JSON',
  ]) {
    expect(message).toContain(part)
  }
  expect(message).not.toContain('gone.wav')
})

test('problems that a screen does not show are in a file of the user alone, which it names', async () => {
  await using home = await temporaryFolder()
  const manifest = join(home.path, 'manifest.jsonl')
  await writeFile(manifest, Array.from({ length: 30 }, (_, index) => `not JSON ${index}\n`).join(''))
  const { stderr } = await runCli(['corpus', 'verify', manifest], { cwd: home.path })
  const [, path = ''] = /and 20 more; all of them: (\S+)/.exec(stderr.replaceAll(/\s+/g, ' ')) ?? []
  const all = (await readFile(path, 'utf8')).trim().split('\n')
  const { mode } = await stat(dirname(path))
  await rm(dirname(path), { recursive: true })
  expect(all).toHaveLength(30)
  expect(all[29]).toMatch(/^manifest\.jsonl:30 {2}is not JSON/)
  expect(mode & 0o077).toBe(0)
})

describe('a disk that fills in a transfer', () => {
  test.skipIf(!canMount)(
    `says how much more is needed, and goes on where it stopped${mountReason}`,
    async () => {
      await using home = await temporaryFolder()
      const disk = join(home.path, 'disk')
      await mkdir(disk)
      const ids = Array.from({ length: 400 }, (_, index) => `u${index}`)
      const path = 'data/test-00000-of-00001.parquet'
      const files = { [path]: shard(ids, 'UNCOMPRESSED', 8000) }
      await using hub = await startHub({ files })
      const script = `disk=${disk}; mount -t tmpfs -o size=1m tmpfs "$disk" || exit 99; "$@"; echo "first: $?"; mount -o remount,size=64m "$disk" && "$@"`
      const go = ['corpus', 'import', 'hf:voices/speech', '--output', join(disk, 'corpus')]
      const { code, stdout, stderr } = await runCli(go, {
        cwd: home.path,
        env: hub.env,
        through: ['unshare', '-rm', 'bash', '-c', script, 'bash'],
      })
      expect(code, stderr).toBe(0)
      expect(stdout).toContain('first: 2')
      const missing = Math.ceil((files[path].length - 1e6) / 1e6)
      const needs = /the rest of \S+ needs (\d+) MB more/.exec(stderr.replaceAll(/\s+/g, ' '))
      expect(Math.abs(Number(needs?.[1]) - missing)).toBeLessThanOrEqual(1)
      expect(stdout).toContain('imported: 400 utterances')
      expect(hub.transfers.filter(({ from }) => from === 0)).toHaveLength(1)
    },
  )
})
