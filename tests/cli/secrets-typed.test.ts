import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../journeys/run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const secret = 'geheim-4711'

/** A run keeps the command that started it. */
test.each([
  ['fleet', 'run', '--queue', `redis://:${secret}@127.0.0.1:1`],
  ['fleet', 'agent', '--queue', `rediss://user:${secret}@127.0.0.1:1`],
  ['run', '--otlp', `http://user:${secret}@127.0.0.1:1`],
  ['run', '--target', `openai:http://user:${secret}@127.0.0.1:1/v1`, '--contender', 'any:tiny'],
  ['run', '--dry-run', '--target', `openai:http://user:${secret}@127.0.0.1:1/v1`, '--contender', 'any:tiny'],
  ['run', '--contender', `openai:http://user:${secret}@127.0.0.1:1/v1#tiny`, '--dry-run'],
  ...['http', 'https'].flatMap((scheme) =>
    [`user:${secret}`, `user:a/${secret}`, `user:a@${secret}`, secret].flatMap((credentials) => {
      const target = `${scheme}://${credentials}@127.0.0.1:1`
      return [
        ['run', '--target', target],
        ['run', '--target', target, '--contender', 'any:tiny', '--dry-run'],
        ['run', '--contender', `openai:${target}/v1#tiny`, '--contender', `${target}#a:b`, '--dry-run'],
      ]
    }),
  ),
])(
  'a password in an address is refused on the command line, and not repeated: %s %s %s',
  async (...typed) => {
    await using home = await temporaryFolder()
    const env = { TRANSCRIBENCH_FLEET_KEY: '0123456789abcdef'.repeat(4) }
    const { code, stdout, stderr } = await runCli(typed, { cwd: home.path, env })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/password|key/)
    expect(stderr).not.toContain(secret)
  },
)

test('a password in the target of a config or of the environment is in no output of any command', async () => {
  await using home = await temporaryFolder()
  const target = `http://user:${secret}@127.0.0.1:1/v1`
  const contenders = [
    { model: 'tiny', options: { prompt: 'x' } },
    { target, keyFrom: 'A', model: 'b', engine: 'any' },
  ]
  await writeFile(join(home.path, 'config.json'), JSON.stringify({ target, contenders }))
  await writeFile(join(home.path, 'plain.json'), JSON.stringify({ target: `openai:${target}` }))
  const commands = [
    ['config', 'check', 'config.json'],
    ['config', 'check', 'plain.json'],
    ['run', 'plain.json', '--dry-run'],
    ['run', 'plain.json', '--json'],
    ['run', 'config.json', '--dry-run', '--json'],
    ['run'],
    ['doctor', target],
    ['doctor', `openai:${target}`],
    ['modes', 'list', '--target', target],
  ]
  for (const typed of commands) {
    const { code, stdout, stderr } = await runCli(typed, {
      cwd: home.path,
      env: typed.length === 1 ? { TRANSCRIBENCH_TARGET: target } : {},
    })
    expect(code, typed.join(' ')).not.toBe(0)
    expect(stdout + stderr, typed.join(' ')).not.toContain(secret)
    expect(stdout + stderr, typed.join(' ')).not.toContain('    at ')
  }
})
