import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { resolveTarget } from '#client/target'
import { shellWord } from '#prelude'
import { caught } from '../corpus/caught.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { emptyWorld, serviceWith, startOddServer, targetOf, token, writeDiscovery } from './odd-server.ts'

const withToken = { ...emptyWorld, env: { TRANSCRIBENCH_TOKEN: token } }

test('embedded is itself, whatever the world looks like', async () => {
  expect(await resolveTarget(' embedded ', emptyWorld)).toEqual({ kind: 'embedded' })
})

test('an address takes its token from the environment and shows it nowhere', async () => {
  const target = await resolveTarget('http://127.0.0.1:39201', withToken)
  expect(target).toMatchObject({ kind: 'address', text: 'http://127.0.0.1:39201', warnings: [] })
  if (target.kind === 'embedded') throw new Error(target.kind)
  expect(await target.locate()).toEqual({
    origin: 'http://127.0.0.1:39201',
    hostHeader: null,
    token,
    pid: null,
  })
  expect(JSON.stringify(target) + inspect(target, { depth: 9, showHidden: true })).not.toContain(token)
})

test.each(['127.0.0.1:39201', 'localhost:39201', '[::1]:39201', 'http://127.0.0.1:39201/'])(
  '%s is an address too, on this machine',
  async (text) => {
    expect(await resolveTarget(text, withToken)).toMatchObject({ kind: 'address', warnings: [] })
  },
)

test('the token of an address may be in a file, which is read when it is needed', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'token')
  await writeFile(path, 'first\n')
  const target = await resolveTarget('127.0.0.1:39201', {
    ...emptyWorld,
    env: { TRANSCRIBENCH_TOKEN_FILE: path },
  })
  if (target.kind === 'embedded') throw new Error(target.kind)
  expect((await target.locate()).token).toBe('first')
  await writeFile(path, 'second')
  expect((await target.locate()).token).toBe('second')
  await writeFile(path, ' \n')
  expect((await caught(target.locate())).code).toBe('TARGET_TOKEN_MISSING')
  await rm(path)
  expect((await caught(target.locate())).message).toContain('ENOENT')
})

test('an address without a token is refused, and so is a token that no header can carry', async () => {
  expect(await caught(resolveTarget('http://127.0.0.1:39201', emptyWorld))).toMatchObject({
    code: 'TARGET_TOKEN_MISSING',
    hint: expect.stringContaining('TRANSCRIBENCH_TOKEN'),
  })
  const broken = { ...emptyWorld, env: { TRANSCRIBENCH_TOKEN: 'two\nlines' } }
  const error = await caught(resolveTarget('http://127.0.0.1:39201', broken))
  expect(error.code).toBe('TARGET_TOKEN_MISSING')
  expect(error.message).not.toContain('two')
})

test('an address elsewhere is taken with a warning', async () => {
  expect(await resolveTarget('http://192.168.1.20:39201', withToken)).toMatchObject({
    warnings: [{ code: 'TARGET_NOT_LOOPBACK', message: expect.stringContaining('192.168.1.20') }],
  })
})

test.each([
  'http://127.0.0.1',
  'http://127.0.0.1:39201/health',
  'http://127.0.0.1:99999',
  'ftp://127.0.0.1:21',
  'http://',
  '',
  '@127.0.0.1:4000',
  'auto@127.0.0.1:4000',
])('"%s" is no target', async (text) => {
  expect((await caught(resolveTarget(text, withToken))).code).toBe('TARGET_INVALID')
})

test.each([
  ['http://127.0.0.1:80', 'http://127.0.0.1:80'],
  ['https://127.0.0.1:443/', 'https://127.0.0.1:443'],
  ['http://127.0.0.1:39201@127.0.0.1:80', 'http://127.0.0.1:39201@127.0.0.1:80'],
])('"%s" is written down with its port', async (typed, written) => {
  const target = await resolveTarget(typed, withToken)
  expect(target).toMatchObject({ text: written })
  expect(await resolveTarget(written, withToken)).toMatchObject({ text: written })
})

test('a token written into an address is refused and not repeated', async () => {
  const error = await caught(resolveTarget(`http://user:${token}@127.0.0.1:39201`, withToken))
  expect(error.code).toBe('TARGET_INVALID')
  expect(inspect(error, { depth: 9 })).not.toContain(token)
})

test('a path is a discovery file, a folder is where one lies, and ~ is the home folder', async () => {
  await using folder = await temporaryFolder()
  const path = await writeDiscovery(folder.path, { port: 39_201 })
  for (const text of [path, folder.path]) {
    expect(await targetOf(text)).toMatchObject({ kind: 'discovered', text: path, isForwarded: false })
  }
  const world = { ...emptyWorld, home: folder.path }
  expect(await resolveTarget('~/local-api.json', world)).toMatchObject({ text: path })
})

test('a forwarded port is where requests go, and the Host stays the one of the discovery file', async () => {
  await using folder = await temporaryFolder()
  const path = await writeDiscovery(folder.path, { port: 39_201 })
  const target = await targetOf(`${path}@localhost:4000`)
  expect(target).toMatchObject({ text: `${path}@localhost:4000`, isForwarded: true, warnings: [] })
  expect(await target.locate()).toMatchObject({
    origin: 'http://localhost:4000',
    hostHeader: '127.0.0.1:39201',
    // The process lives on the other side, where its number says nothing about this machine.
    pid: null,
  })
  const address = await resolveTarget('http://127.0.0.1:39201@127.0.0.1:4000', withToken)
  if (address.kind === 'embedded') throw new Error(address.kind)
  expect(await address.locate()).toMatchObject({
    origin: 'http://127.0.0.1:4000',
    hostHeader: '127.0.0.1:39201',
  })
})

test('a discovery file may begin with a byte order mark, as programs on Windows write it', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'local-api.json')
  await writeFile(path, `\uFEFF${JSON.stringify({ port: 39_201, token })}\r\n`)
  const target = await targetOf(path)
  expect(await target.locate()).toMatchObject({ origin: 'http://127.0.0.1:39201', token })
})

test('a discovery file that others can read is a warning', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, "o'hara.json")
  await writeFile(path, JSON.stringify({ port: 39_201, token }), { mode: 0o644 })
  expect(await targetOf(path)).toMatchObject({
    warnings: [{ code: 'DISCOVERY_FILE_OPEN', hint: `chmod 600 ${shellWord(path)}` }],
  })
  const onWindows = await resolveTarget(path, { ...emptyWorld, platform: 'win32' })
  expect(onWindows).toMatchObject({ warnings: [] })
})

test.each([
  ['not JSON', `{"port": 39201, "token": "${token}"`],
  ['without a port', `{"token": "${token}"}`],
  ['with a port out of range', `{"port": 99999, "token": "${token}"}`],
  ['with an empty token', '{"port": 39201, "token": ""}'],
  ['with a token of two lines', `{"port": 39201, "token": "${token}\\nmore"}`],
])('a discovery file that is %s is refused without quoting it', async (_, content) => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'local-api.json')
  await writeFile(path, content, { mode: 0o600 })
  const error = await caught((await targetOf(path)).locate())
  expect(error.code).toBe('DISCOVERY_FILE_UNREADABLE')
  expect(inspect(error, { depth: 9 })).not.toContain(token)
})

test('a discovery file that is not there is reported with how to switch the server on', async () => {
  const error = await caught((await targetOf('/nowhere/local-api.json')).locate())
  expect(error).toMatchObject({ code: 'TARGET_NOT_FOUND', exit: 'targetNotReady' })
  expect(error.hint).toContain('Settings → API Server')
  expect(error.hint).toContain('--target embedded')
})

test.each([
  ['linux', {}, '.local/share'],
  ['linux', { XDG_DATA_HOME: 'relative/is/ignored' }, '.local/share'],
  ['darwin', {}, 'Library/Application Support'],
] as const)(
  'auto finds the one service that is live under the data folder of %s %j',
  async (platform, env, root) => {
    await using home = await temporaryFolder()
    await using server = await startOddServer(serviceWith(() => undefined))
    const folder = join(home.path, root, 'dictation')
    await mkdir(folder, { recursive: true })
    const path = await writeDiscovery(folder, { port: server.port })
    const target = await resolveTarget('auto', { env, home: home.path, platform })
    expect(target).toMatchObject({ kind: 'discovered', text: path })
  },
)

test('auto looks in XDG_DATA_HOME and LOCALAPPDATA where they are set', async () => {
  await using data = await temporaryFolder()
  await using server = await startOddServer(serviceWith(() => undefined))
  await mkdir(join(data.path, 'transcribench'))
  const path = await writeDiscovery(join(data.path, 'transcribench'), { port: server.port })
  const world = { ...emptyWorld, env: { XDG_DATA_HOME: data.path, LOCALAPPDATA: data.path } }
  expect(await resolveTarget('auto', world)).toMatchObject({ text: path })
  expect(await resolveTarget('auto', { ...world, platform: 'win32' })).toMatchObject({ text: path })
})

test('auto passes stale files over, and refuses to choose between two live ones', async () => {
  await using data = await temporaryFolder()
  await using first = await startOddServer(serviceWith(() => undefined))
  await using second = await startOddServer(serviceWith(() => undefined))
  const world = { ...emptyWorld, env: { XDG_DATA_HOME: data.path } }
  const place = async (name: string, content: Record<string, unknown>): Promise<string> => {
    await mkdir(join(data.path, name))
    return writeDiscovery(join(data.path, name), content)
  }
  await place('crashed', { port: first.port, pid: 2_147_483_646 })
  await place('silent', { port: 1 })
  await mkdir(join(data.path, 'unrelated'))
  const live = await place('live', { port: first.port })
  expect(await resolveTarget('auto', world)).toMatchObject({ text: live })

  const other = await place('other', { port: second.port })
  const error = await caught(resolveTarget('auto', world))
  expect(error).toMatchObject({
    code: 'TARGET_AMBIGUOUS',
    exit: 'badInput',
    hint: expect.stringContaining(live),
  })
  expect(error.problems.map(({ where }) => where)).toEqual([live, other])
  expect(inspect(error, { depth: 9 })).not.toContain(token)
})

test('auto says where it looked, what is wrong with what it found, and what to do', async () => {
  await using data = await temporaryFolder()
  const world = { ...emptyWorld, env: { XDG_DATA_HOME: data.path } }
  expect(await caught(resolveTarget('auto', world))).toMatchObject({
    code: 'TARGET_NOT_FOUND',
    message: expect.stringContaining(join(data.path, '*', 'local-api.json')),
    hint: expect.stringContaining('Settings → Local API'),
    problems: [],
  })
  await mkdir(join(data.path, 'crashed'))
  const path = await writeDiscovery(join(data.path, 'crashed'), { port: 1, pid: 2_147_483_646 })
  expect((await caught(resolveTarget('auto', world))).problems).toEqual([
    { where: path, what: 'process 2147483646, which wrote it, has ended' },
  ])
})

test.each([
  'http://127.0.0.1:39201/x?token=secret-one',
  'http://secret-one@127.0.0.1:39201',
  'openai:http://127.0.0.1:8000/v1?api_key=secret-one',
  'local-api.json?token=secret-one',
])('what could be a token in %s is not repeated', async (text) => {
  const refused = await caught(
    resolveTarget(text, withToken).then(async (target) => target.kind !== 'embedded' && target.locate()),
  )
  expect(`${refused.message} ${refused.hint} ${JSON.stringify(refused.problems)}`).not.toContain('secret-one')
})

test.each([
  ['http://127.0.0.1:8000/v1', 'openai:http://127.0.0.1:8000/v1'],
  ['127.0.0.1:8000/v1/', 'openai:http://127.0.0.1:8000/v1/'],
  ['https://api.example.com/v1', 'openai:https://api.example.com/v1'],
])(
  'the address of a transcription server, %s, is refused with the target that was meant',
  async (text, meant) => {
    expect(await caught(resolveTarget(text, withToken))).toMatchObject({
      code: 'TARGET_INVALID',
      hint: expect.stringContaining(`write --target ${meant}; otherwise`),
    })
  },
)

test('an address with nothing wrong but its token names the other kind of target too', async () => {
  expect(await caught(resolveTarget('http://127.0.0.1:8000', emptyWorld))).toMatchObject({
    code: 'TARGET_TOKEN_MISSING',
    hint: expect.stringContaining('--target openai:http://…/v1'),
  })
})

test('the command for a transcription server that has no Modes is quoted for a shell', async () => {
  await expect(resolveTarget('openai:http://127.0.0.1:1/v1?a=1&b=2', emptyWorld)).rejects.toMatchObject({
    code: 'TARGET_HAS_NO_MODES',
    hint: "measure it with: transcribench run --target 'openai:http://127.0.0.1:1/v1?a=1&b=2'",
  })
})
