import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CliOptions, type RunningCli, runCli, startCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

interface EmptyRegistry extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
  /** What packages were asked for. */
  readonly asked: string[]
  /** Resolves when the first package is asked for. */
  readonly isAsked: Promise<void>
}

/** An npm registry that has no package; or that never answers. */
async function emptyRegistry(home: string, isSilent = false): Promise<EmptyRegistry> {
  const asked: string[] = []
  const first = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    asked.push(decodeURIComponent(request.url ?? ''))
    first.resolve()
    if (!isSilent) response.writeHead(404).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    env: { npm_config_registry: address, npm_config_cache: join(home, 'npm'), npm_config_fetch_retries: '0' },
    asked,
    isAsked: first.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function interrupted(command: RunningCli, begun: Promise<void>): Promise<RunningCli['ended']> {
  await Promise.race([begun, command.ended])
  command.process.kill('SIGINT')
  return await command.ended
}

test.each([
  ['models install', ['models', 'install', 'moonshine-tiny']],
  ['run --fetch', ['run', '--fetch', '--contender', 'moonshine:moonshine-tiny']],
])('Ctrl-C in `%s` ends it with what became of the installation', async (_, args) => {
  await using home = await workplace()
  await using registry = await emptyRegistry(home.path, true)
  await using command = startCli(args, { cwd: home.path, env: registry.env })
  const { code, stderr } = await interrupted(command, registry.isAsked)
  expect(code, stderr).toBe(130)
  expect(stderr).toContain('MODEL_INSTALL_CANCELLED')
})

test('`run --fetch` installs the models of contenders on the built-in service, and of no other', async () => {
  await using home = await workplace()
  await using registry = await emptyRegistry(home.path)
  const corpus = await writeToneCorpus(join(home.path, 'corpus'), { one: 'the cat' })
  const options: CliOptions = { cwd: home.path, env: registry.env }
  const plan = (target: string, ...contenders: readonly string[]) => {
    const flags = ['--target', target, ...contenders.flatMap((contender) => ['--contender', contender])]
    return runCli(['run', '--fetch', '--dry-run', '--corpus', corpus, ...flags], options)
  }
  const elsewhere = await plan('embedded', 'auto#any:moonshine-tiny', 'deepgram#any:moonshine-base')
  expect(elsewhere.code, elsewhere.stderr).toBe(0)
  expect(registry.asked).toEqual([])
  const here = await plan('auto', 'embedded#moonshine:moonshine-tiny', 'auto#any:other')
  expect(here.stderr).toContain('PACKAGE_UNREACHABLE')
  expect(registry.asked[0]).toContain('moonshine')
})
