import { execFile, spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../temporary-folder.ts'
import {
  answersOf,
  commonFlags,
  expectMeasured,
  type FleetWorld,
  fleetWorld,
  newestRun,
  plainAnswers,
} from './fleet-world.ts'
import { connectRedis, type RedisOptions } from './redis-server.ts'

const openssl = promisify(execFile)
const password = 'a-password-of-this-test'
const shard = [...commonFlags, '--mode', 'shard', '--block', '12s']
const tls = { certificate: 'server.pem', key: 'server.key', authority: 'authority.pem' }

/** An authority of this test, and a certificate of it for 127.0.0.1. */
async function makeCertificates(folder: string): Promise<void> {
  const run = (args: string): Promise<unknown> => openssl('openssl', args.split(' '), { cwd: folder })
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  await run(`req -x509 ${key} -keyout authority.key -out authority.pem -days 2 -subj /CN=authority`)
  await run(`req ${key} -keyout server.key -out server.csr -subj /CN=127.0.0.1`)
  await writeFile(join(folder, 'san'), 'subjectAltName=IP:127.0.0.1')
  await run(
    'x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -out server.pem -days 2 -extfile san',
  )
}

/** The line of an ACL file that the documentation gives, with a password. */
async function documentedUser(): Promise<string> {
  const scale = await readFile(join(import.meta.dirname, '../../docs/scale.md'), 'utf8')
  const [line] = /^user transcribench .*$/m.exec(scale) ?? []
  if (line === undefined) throw new Error('docs/scale.md has no line of an ACL file')
  return line.replace('<password>', password)
}

const programs = ['redis-server', 'valkey-server'] as const

describe.each(programs)('a %s with TLS and the documented ACL user', (program) => {
  // `npm run check` installs neither; the tests of Redis without TLS fail where redis-server is missing.
  const isMissing = spawnSync(program, ['--version']).status !== 0

  describe.skipIf(isMissing && program === 'valkey-server')('that is installed', () => {
    let stack: AsyncDisposableStack
    let world: FleetWorld
    let authority: string
    let url: string
    beforeAll(async () => {
      stack = new AsyncDisposableStack()
      const { path } = stack.use(await temporaryFolder())
      const folder = join(path, 'tls')
      await mkdir(folder)
      await makeCertificates(folder)
      authority = join(folder, 'authority.pem')
      const aclFile = join(folder, 'users.acl')
      await writeFile(
        aclFile,
        `user default off\n${await documentedUser()}\nuser reader on >${password} ~* -@all +@read +@connection +info +time\n`,
      )
      const redis: RedisOptions = {
        program,
        tls: {
          certificate: join(folder, tls.certificate),
          key: join(folder, tls.key),
          authority,
        },
        arguments: ['--aclfile', aclFile],
      }
      world = stack.use(await fleetWorld({ redis }))
      url = world.redis.url.replace('rediss://', `rediss://transcribench:${password}@`)
    })
    afterAll(() => stack.disposeAsync())

    const trusted = (queue: string) => ({
      url: null,
      env: { TRANSCRIBENCH_FLEET_QUEUE: queue, NODE_EXTRA_CA_CERTS: authority },
    })

    test('measures a shard and a common start as one machine does', async () => {
      const agents = ['a', 'b'].map((name) => world.startAgent(name, trusted(url)))
      const run = await world.startFleetRun(shard, trusted(url)).ended
      expectMeasured(run)
      expect(answersOf(await newestRun(world.folder))).toEqual(plainAnswers)
      const open = ['--contender', 'scripted:good', '--rate', '20/s', '--duration', '1s', '--warmup', '1']
      const together = await world.startFleetRun([...open, '--hosts', 'a,b'], trusted(url)).ended
      expect(together.stderr).toContain('(2 of 2 blocks)')
      for (const agent of agents) agent.process.kill('SIGTERM')
      for (const agent of agents) {
        const { code: agentCode, stderr: said } = await agent.ended
        expect(agentCode, said).toBe(0)
        expect(said).not.toContain(password)
      }
    })

    test.concurrent('refuses a wrong password with an error that names address, reason and next command, and no password', async () => {
      const wrong = url.replace(password, 'a-wrong-password')
      const { code, stderr } = await world.startAgent('c', trusted(wrong)).ended
      expect(code).toBe(4)
      expect(stderr).toContain('FLEET_QUEUE_UNREACHABLE')
      expect(stderr).toContain(`127.0.0.1:${world.redis.port} refuses the user`)
      expect(stderr).toContain('WRONGPASS')
      expect(stderr).toContain('TRANSCRIBENCH_FLEET_QUEUE=')
      expect(stderr).not.toContain('a-wrong-password')
    })

    test.concurrent('is not trusted where its authority is unknown, and the error names the variable that makes it known', async () => {
      const { code, stderr } = await world.startAgent('c', {
        url: null,
        env: { TRANSCRIBENCH_FLEET_QUEUE: url },
      }).ended
      expect(code).toBe(4)
      expect(stderr).toContain('FLEET_QUEUE_UNREACHABLE')
      expect(stderr).toContain('has a certificate that this host does not trust')
      expect(stderr).toContain('NODE_EXTRA_CA_CERTS=')
      expect(stderr).not.toContain(password)
    })

    test.concurrent('refuses a user without the rights of a fleet, and the error names the command that is missing', async () => {
      await using redis = connectRedis(url, { ca: await readFile(authority) })
      const poor = url.replace('transcribench:', 'reader:')
      await expect(redis.call('CONFIG', 'GET', '*')).rejects.toThrow('NOPERM')
      await expect(redis.set('other:key', '')).rejects.toThrow('NOPERM')
      const { code, stderr } = await world.startAgent('c', trusted(poor)).ended
      expect(code).toBe(4)
      expect(stderr).toContain('does not let the user do what a fleet does')
      expect(stderr).toContain('docs/scale.md')
      expect(stderr).not.toContain(password)
    })
  })
})
