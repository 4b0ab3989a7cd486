import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { fetchCorpus } from '#corpus/fetch-corpus'
import { verifyCorpus } from '#corpus/verify-corpus'
import { startOddServer } from '../client/odd-server.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { caught, lines } from './caught.ts'

/** Made by `dpkg-deb -Zxz --root-owner-group -b`, with the recordings of this test in usr/share/voices. */
const fixture = join(import.meta.dirname, 'fixtures/some-voices_1.0-1_all.deb')
const recordings = {
  one: encodeWav(new Float32Array(800).fill(0.1), 8000),
  two: encodeWav(new Float32Array(400).fill(0.2), 8000),
}
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function fetchFrom(bytes: Uint8Array, expectedSha256: string) {
  await using folder = await temporaryFolder()
  // A mirror that has the package at its second address alone.
  await using mirror = await startOddServer(({ url }, response) => {
    if (url.startsWith('/old/')) response.end(bytes)
    else response.writeHead(404).end()
  })
  const urls = ['pool', 'old'].map((at) => `http://127.0.0.1:${mirror.port}/${at}/some-voices_1.0-1_all.deb`)
  const rows = Object.entries(recordings).map(([id, wav]) => ({
    id,
    audio: `audio/${id}.wav`,
    text: 'x',
    sha256: sha256(wav),
  }))
  await folder.write('corpora/voices/manifest.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'))
  const files = rows.map(({ id }) => ({ from: `usr/share/voices/${id}.wav`, to: `audio/${id}.wav` }))
  const source = {
    formatVersion: 1,
    licence: 'CC0-1.0',
    package: { urls, sha256: expectedSha256 },
    files,
  }
  await folder.write('corpora/voices/source.json', JSON.stringify(source))
  const { corpus, fetchedCount } = await fetchCorpus('voices', { cwd: folder.path, env: {} })
  const { audioSeconds } = await verifyCorpus(corpus)
  return {
    fetchedCount,
    audioSeconds,
    files: await readdir(join(folder.path, 'corpora/voices/audio')),
    asked: mirror.seen.map(({ url }) => url),
  }
}

test('recordings come out of a Debian package, from the next address where the first has it no more', async () => {
  const bytes = await readFile(fixture)
  const { asked, ...fetched } = await fetchFrom(bytes, sha256(bytes))
  expect(fetched).toEqual({
    fetchedCount: 2,
    audioSeconds: 0.15000000000000002,
    files: ['one.wav', 'two.wav'],
  })
  expect(asked).toEqual(['/pool/some-voices_1.0-1_all.deb', '/old/some-voices_1.0-1_all.deb'])
})

test('a Debian package with another hash is refused, with both addresses', async () => {
  const error = await caught(fetchFrom(await readFile(fixture), '0'.repeat(64)))
  expect(error.code).toBe('PACKAGE_UNREACHABLE')
  expect(lines(error).map((line) => line.replace(/^\S+ {2}/, ''))).toEqual([
    'the server answered 404',
    'is another file: it has another sha256',
  ])
})
