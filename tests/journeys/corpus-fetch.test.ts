import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { pack, startRegistry } from '../corpus/registry.ts'
import { runCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

test('the program fetches a corpus once, and refuses paths that leave its folder and another package', async () => {
  await using home = await workplace()
  const recording = encodeWav(new Float32Array(16_000).fill(0.1), 16_000)
  await using registry = await startRegistry({ 'data/a.wav': recording })
  const env = Object.fromEntries(Object.entries(registry.env).map(([name, value]) => [name, value ?? '']))
  const fetch = () => runCli(['corpus', 'fetch', 'voices'], { cwd: home.path, env })
  const folder = join(home.path, 'corpora/voices')
  const writeSource = (to: string) => {
    const files = [{ from: 'data/a.wav', to }]
    const source = { formatVersion: 1, licence: 'CC0-1.0', package: registry.package, files }
    return home.write('corpora/voices/source.json', JSON.stringify(source))
  }
  const sha256 = createHash('sha256').update(recording).digest('hex')
  const row = { id: 'a', audio: 'audio/a.wav', text: 'a tone', sha256 }
  await home.write('corpora/voices/manifest.jsonl', JSON.stringify(row))

  await writeSource('audio/../../../escaped.wav')
  const outside = await fetch()
  expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('files.0.to')])
  expect(registry.tarballRequests).toEqual([])

  await writeSource('audio/a.wav')
  const fetched = await fetch()
  expect([fetched.code, fetched.stderr]).toEqual([0, expect.stringContaining('1 recording fetched')])
  const again = await fetch()
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('corpus voices is there already')])
  expect(registry.tarballRequests).toEqual([0])

  await rm(join(folder, 'audio'), { recursive: true })
  registry.replaceTarball(await pack({ 'data/a.wav': 'something else' }))
  const other = await fetch()
  expect([other.code, other.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
    2,
    expect.stringContaining('is not the package that was meant'),
  ])
  const found = await readdir(home.path, { recursive: true })
  expect(found.filter((path) => path.endsWith('.wav'))).toEqual([])
})
