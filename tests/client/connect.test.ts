import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { connect, resolveTarget } from '#client/target'
import { systemClock } from '#load/clock'
import { caught } from '../corpus/caught.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import {
  connectTo,
  emptyWorld,
  healthOf,
  sendJson,
  serviceWith,
  startOddServer,
  targetOf,
  token,
  writeDiscovery,
} from './odd-server.ts'

const options = { clock: systemClock, connections: 2 }
const noModes = serviceWith((_, response) => sendJson(response, { ok: true, modes: [] }))
/** No process has this number: Linux counts to 4,194,304 at most. */
const deadPid = 2_147_483_646

test('a connection shows its address and never its token', async () => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer(noModes)
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  await connection.listModes()
  expect(JSON.parse(JSON.stringify(connection))).toEqual({ baseUrl: `http://127.0.0.1:${server.port}` })
  expect(inspect(connection, { depth: 20, showHidden: true })).not.toContain(token)
})

test('health is asked without the token, everything else with it', async () => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer(noModes)
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  await connection.listModes()
  const seen = server.seen.map(({ url, headers }) => [url, headers.authorization])
  expect(seen).toEqual([
    ['/health', undefined],
    ['/models?kind=voice', `Bearer ${token}`],
    ['/modes', `Bearer ${token}`],
  ])
})

test('a discovery file of a process that has ended is stale', async () => {
  await using folder = await temporaryFolder()
  const path = await writeDiscovery(folder.path, { port: 1, pid: deadPid })
  expect(await caught(connectTo(path))).toMatchObject({
    code: 'TARGET_STALE',
    exit: 'targetNotReady',
    message: `${path} is stale: process ${deadPid}, which wrote it, has ended`,
  })
})

test('another process on the port of an ended one makes the file stale, and is not sent the token', async () => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer(noModes)
  const path = await writeDiscovery(folder.path, { port: server.port, pid: deadPid })
  expect((await caught(connectTo(path))).message).toContain(`process ${process.pid} answers on its port now`)
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([undefined])
})

test('a service in a container is alive although its process number means nothing here', async () => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer((seen, response, request) =>
    seen.url === '/health' ? sendJson(response, healthOf(1, deadPid)) : noModes(seen, response, request),
  )
  await using connection = await connectTo(
    await writeDiscovery(folder.path, { port: server.port, pid: deadPid }),
  )
  expect(await connection.listModes()).toMatchObject({ ok: true })
})

test('a discovery file whose port does not answer is stale', async () => {
  await using folder = await temporaryFolder()
  const error = await caught(connectTo(await writeDiscovery(folder.path, { port: 1 })))
  expect(error).toMatchObject({ code: 'TARGET_STALE', message: expect.stringContaining('ECONNREFUSED') })
})

test('an address where nothing answers is unreachable', async () => {
  const target = await resolveTarget('127.0.0.1:1', { ...emptyWorld, env: { TRANSCRIBENCH_TOKEN: token } })
  if (target.kind === 'embedded') throw new Error(target.kind)
  expect((await caught(connect(target, options))).code).toBe('TARGET_UNREACHABLE')
})

test('something else on the port is distinguished from a service', async () => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer((_, response) => void response.end('<h1>It works!</h1>'))
  const error = await caught(connectTo(await writeDiscovery(folder.path, { port: server.port })))
  expect(error.code).toBe('TARGET_NOT_THE_API')
  expect(error.problems[0]?.what).toContain('It works!')
})

test('a wrong token is reported at once, and not repeated', async () => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer(
    serviceWith(
      () => undefined,
      () => 'another',
    ),
  )
  const path = await writeDiscovery(folder.path, { port: server.port })
  const error = await caught(connectTo(path))
  expect(error).toMatchObject({ code: 'TARGET_TOKEN_REFUSED', message: expect.stringContaining(path) })
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(token)
  // The file had not changed, so the call was not tried a second time.
  expect(server.seen).toHaveLength(2)
})

test('through a forwarded port the service hears its own Host', async () => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer(noModes)
  const path = await writeDiscovery(folder.path, { port: 39_201, pid: deadPid })
  await using connection = await connect(await targetOf(`${path}@127.0.0.1:${server.port}`), options)
  expect(connection.baseUrl).toBe(`http://127.0.0.1:${server.port}`)
  expect(new Set(server.seen.map(({ headers }) => headers.host))).toEqual(new Set(['127.0.0.1:39201']))
})

test('after a 401 the new token of the discovery file is used, once for all requests in flight', async () => {
  await using folder = await temporaryFolder()
  let accepted = token
  await using server = await startOddServer(
    serviceWith(
      (_, response) => sendJson(response, { ok: true, modes: [] }),
      () => accepted,
    ),
  )
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: server.port }))
  accepted = 'generated-anew'
  expect(await connection.listModes()).toMatchObject({ ok: false, failure: { httpStatus: 401 } })
  await writeDiscovery(folder.path, { port: server.port, token: accepted })
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => connection.listModes()))
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, true])
})

test('a service that comes back on another port is followed', async () => {
  await using folder = await temporaryFolder()
  const first = await startOddServer(noModes)
  await using connection = await connectTo(await writeDiscovery(folder.path, { port: first.port }))
  await using second = await startOddServer(noModes)
  await first[Symbol.asyncDispose]()
  expect(await connection.listModes()).toEqual({
    ok: false,
    failure: {
      kind: 'unreachable',
      cause: expect.stringMatching(/^ECONNREFUSED$|^UND_ERR_SOCKET$/),
      during: expect.stringMatching(/^connecting$|^waiting$/),
    },
  })
  await writeDiscovery(folder.path, { port: second.port })
  expect(await connection.listModes()).toMatchObject({ ok: true })
  expect(connection.baseUrl).toBe(`http://127.0.0.1:${second.port}`)
})

test('a request that may have been received is not sent twice', async () => {
  await using folder = await temporaryFolder()
  await using server = await startOddServer(
    serviceWith((_, response) => void response.socket?.resetAndDestroy()),
  )
  const path = await writeDiscovery(folder.path, { port: server.port })
  await using connection = await connectTo(path)
  await writeDiscovery(folder.path, { port: server.port, token: 'changed-meanwhile' })
  await connection.deleteMode('1')
  expect(server.seen.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
})
