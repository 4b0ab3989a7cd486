import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { encodeWav } from '#audio/sound-stream'
import { startRegistry } from '../corpus/registry.ts'
import { runCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

test('the program fetches a corpus once', async () => {
  await using home = await workplace()
  const recording = encodeWav(new Float32Array(16_000).fill(0.1), 16_000)
  await using registry = await startRegistry({ 'data/a.wav': recording })
  const env = Object.fromEntries(Object.entries(registry.env).map(([name, value]) => [name, value ?? '']))
  const fetch = () => runCli(['corpus', 'fetch', 'voices'], { cwd: home.path, env })
  const files = [{ from: 'data/a.wav', to: 'audio/a.wav' }]
  const source = { formatVersion: 1, licence: 'CC0-1.0', package: registry.package, files }
  await home.write('corpora/voices/source.json', JSON.stringify(source))
  const sha256 = createHash('sha256').update(recording).digest('hex')
  const row = { id: 'a', audio: 'audio/a.wav', text: 'a tone', sha256 }
  await home.write('corpora/voices/manifest.jsonl', JSON.stringify(row))

  const fetched = await fetch()
  expect([fetched.code, fetched.stderr]).toEqual([0, expect.stringContaining('1 recording fetched')])
  const again = await fetch()
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('corpus voices is there already')])
  expect(registry.tarballRequests).toEqual([0])
})
