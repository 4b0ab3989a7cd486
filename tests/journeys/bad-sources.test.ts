import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canMount, mountReason } from '../can-mount.ts'
import { shard, startHub } from '../corpus/import/local-hub.ts'
import { sound, wav } from '../corpus/import/miniature.ts'
import { runCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

/*
 * What is refused, and the test that shows it:
 *
 *   a broken archive loses nothing           corpus-import (tar); import/refusals (WAV), import/hub (Parquet, hash, transfer)
 *   a full disk says how much is needed      corpora (utterances), below (transfer)
 *   ids that collide are renamed by rule     corpus-import; import/refusals (also by case)
 *   a path that leaves its folder            below (manifest); corpus-import (tar, Kaldi), import/refusals (id), import/hub
 *   a link in a tar                          corpus-import (read in place); import/archive (unpacked)
 *   a file made to exhaust memory            corpus-import (tar, gzip, Parquet); import/archive
 *   all problems at once, with their places  below (NeMo); corpus-import (Kaldi), manifest, foreign-manifests
 *
 * No source is a zip file, so that none is unpacked.
 */

test('an import names several mistakes of a manifest, and paths that leave its folder, all at once', async () => {
  await using home = await workplace()
  const source = join(home.path, 'source')
  await mkdir(source)
  await writeFile(join(source, 'a.wav'), wav(sound))
  const rows = ['a.wav', '../secret.wav', 'gone.wav'].map((name) =>
    JSON.stringify({ audio_filepath: name, text: 'said' }),
  )
  const lines = [...rows, '{"audio_filepath": "a.wav"}', 'no JSON']
  await writeFile(join(source, 'manifest.json'), `${lines.join('\n')}\n`)
  const command = ['corpus', 'import', `nemo:${source}`, '--language', 'en', '--output', 'corpus']
  const { code, stderr } = await home.cli(...command)
  expect(code).toBe(2)
  const message = stderr.replaceAll(/\s+/g, ' ')
  for (const part of [
    'manifest.json:2',
    '../secret.wav, which is outside of the folder',
    'manifest.json:3',
    'gone.wav is missing',
  ]) {
    expect(message).toContain(part)
  }
})

test('problems that a screen does not show are in a file of the user alone, which it names', async () => {
  await using home = await workplace()
  const manifest = join(home.path, 'manifest.jsonl')
  await writeFile(manifest, Array.from({ length: 30 }, (_, index) => `not JSON ${index}\n`).join(''))
  const { stderr } = await home.cli('corpus', 'verify', manifest)
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
      await using home = await workplace()
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
