import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProvider } from '../service/provider-server.ts'
import { argv, runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

test('run --engines measures the programs and servers of an engines file, as serve --engines offers them', async () => {
  await using home = await workplace()
  await using cloud = await startProvider(() => ({ body: { text: 'yes' } }))
  const engines = [
    { kind: 'command', id: 'says-yes', program: 'sh', arguments: ['-c', 'echo yes'], language: 'en' },
    {
      kind: 'openai',
      provider: 'office',
      baseUrl: `${cloud.baseUrl}/v1`,
      keyVariable: 'OFFICE_KEY',
      models: ['large'],
    },
  ]
  await home.write('engines.json', JSON.stringify({ engines }))
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: 'yes', two: 'yes' })
  const measure = argv`--engines engines.json --corpus ${manifest} --rounds 1 --warmup 1 --max-warmup 0`
  const contenders = ['--contender', 'command:says-yes', '--contender', 'office:large']
  const options = { cwd: home.path, env: { OFFICE_KEY: 'office-secret' } }
  const run = await runCli(['run', ...measure, ...contenders], options)
  expect(run.code, run.stderr).toBe(0)
  const { record, attempts } = await home.recorded()
  expect(record).toMatchObject({ status: 'finished', target: { kind: 'embedded' }, counts: { answered: 4 } })
  expect([...attempts].every(({ outcome }) => outcome.ok && outcome.answer.text === 'yes')).toBe(true)
  const [{ headers = {}, audio = [] } = {}] = cloud.requests
  expect(headers.authorization).toBe('Bearer office-secret')
  // Some servers take no body of unknown length.
  expect(headers['transfer-encoding']).toBeUndefined()
  expect(Number(headers['content-length'])).toBeGreaterThan(audio.length)

  const resumed = await runCli(['run', '--resume', 'latest'], options)
  expect(resumed.stderr + resumed.stdout).not.toContain('TARGET_MODEL_MISSING')
  const doctor = await runCli(['doctor', '--engines', 'engines.json'], options)
  expect(doctor.stdout).toContain('says-yes')
})

test('run --engines names every problem of the file', async () => {
  await using home = await workplace()
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: 'yes' })
  await home.write(
    'engines.yaml',
    'engines:\n  - kind: command\n    id: a b\n    program: x\n  - kind: openai\n    baseUrl: ftp://somewhere\n',
  )
  const faulty = await home.type`run --engines engines.yaml --corpus ${manifest} --contender command:a`
  expect(faulty.code).toBe(2)
  expect(faulty.stderr).toContain('ENGINES_FILE_INVALID')
  expect(faulty.stderr).toMatch(/engines\.yaml:3:9/)
  expect(faulty.stderr).toMatch(/engines\.yaml:6:14/)
})
