import { expect, test } from 'vitest'
import { temporaryFolder } from '../journal/temporary-folder.ts'
import { runCli } from '../journeys/run-cli.ts'

const secret = 'geheim-4711'

/** A run keeps the command that started it. */
test.each([
  ['fleet', 'run', '--queue', `redis://:${secret}@127.0.0.1:1`],
  ['fleet', 'agent', '--queue', `rediss://user:${secret}@127.0.0.1:1`],
  ['run', '--otlp', `http://user:${secret}@127.0.0.1:1`],
  ['run', '--target', `openai:http://user:${secret}@127.0.0.1:1/v1`, '--contender', 'any:tiny'],
  ['run', '--dry-run', '--target', `openai:http://user:${secret}@127.0.0.1:1/v1`, '--contender', 'any:tiny'],
  ['run', '--contender', `openai:http://user:${secret}@127.0.0.1:1/v1#tiny`, '--dry-run'],
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
