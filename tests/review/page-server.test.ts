import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLineFile } from '#review/correction-file'
import { startPageServer } from '#review/page-server'
import { canMount, mountReason } from '../can-mount.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { admit } from './admit.ts'

/** A server of one page with these recordings. */
const pageWith = (recordings: Parameters<typeof startPageServer>[0]['recordings'] = new Map()) =>
  startPageServer({ html: 'a page', port: 0, document: async () => ({}), recordings, correcting: null })

describe('a recording', () => {
  test('comes in exactly the bytes that were asked for, to the tab that was admitted', async () => {
    await using home = await temporaryFolder()
    const path = join(home.path, 'half-an-hour.wav')
    // As long as half an hour of 16 kHz audio; every byte holds its offset.
    const bytes = Buffer.alloc(
      57_600_044,
      Uint8Array.from({ length: 251 }, (_, at) => at),
    )
    await writeFile(path, bytes)
    await using server = await pageWith(new Map([['long one/2', { path, mediaType: 'audio/wav' }]]))
    const { origin, headers, cookie, key } = await admit(server.address)
    const address = `${origin}/audio/${encodeURIComponent('long one/2')}?key=${key}`
    const ask = (range: string): Promise<Response> => fetch(address, { headers: { cookie, range } })

    const late = await ask('bytes=50000000-50000999')
    expect(late.status).toBe(206)
    expect(late.headers.get('content-range')).toBe('bytes 50000000-50000999/57600044')
    expect(Buffer.from(await late.arrayBuffer()).equals(bytes.subarray(50_000_000, 50_001_000))).toBe(true)
    const end = await ask('bytes=-44')
    expect(Buffer.from(await end.arrayBuffer()).equals(bytes.subarray(-44))).toBe(true)
    expect((await ask('bytes=57600044-')).status).toBe(416)
    const whole = await ask('lines=1-2')
    expect([whole.status, whole.headers.get('accept-ranges')]).toEqual([200, 'bytes'])
    await whole.body?.cancel()
    expect((await fetch(address)).status).toBe(403)
    expect((await fetch(`${origin}/corrections`, { method: 'POST', headers, body: '{}' })).status).toBe(404)
  })
})

test('a recording can be played whose utterance has a long id', async () => {
  await using home = await temporaryFolder()
  const path = join(home.path, 'one.wav')
  await writeFile(path, 'a recording')
  const id = JSON.stringify(['2026-11-21T07-31-02Z-quick', `interviews/${'speaker/'.repeat(30)}one`])
  await using server = await pageWith(new Map([[id, { path, mediaType: 'audio/wav' }]]))
  const { origin, cookie, key } = await admit(server.address)
  const played = await fetch(`${origin}/audio/${encodeURIComponent(id)}?key=${key}`, { headers: { cookie } })
  expect([played.status, await played.text()]).toEqual([200, 'a recording'])
})

test('a repeated key of an address is ignored, and the others count', async () => {
  const document = async (query: unknown): Promise<unknown> => query
  const options = { html: 'a page', port: 0, document, recordings: new Map(), correcting: null }
  await using server = await startPageServer(options)
  const { origin, cookie, key } = await admit(server.address)
  const headers = { cookie, 'x-transcribench-tab': key }
  const asked = await fetch(`${origin}/document?run=a&run=b&score=c`, { headers })
  expect(await asked.json()).toEqual({ score: 'c' })
})

describe('two pages in one browser', () => {
  test('do not end each other, because their cookies have different names', async () => {
    await using first = await pageWith()
    await using second = await pageWith()
    const tabs = [await admit(first.address), await admit(second.address)]
    // One jar for all ports of a host, as browsers have it.
    const jar = new Map(tabs.map(({ cookie }) => cookie.split('=') as [string, string]))
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    for (const { origin, key } of tabs) {
      const asked = await fetch(`${origin}/document`, { headers: { cookie, 'x-transcribench-tab': key } })
      expect(asked.status).toBe(200)
    }
  })
})

describe('a file of lines', () => {
  test('keeps every line that was confirmed, in order, and takes a torn end away', async () => {
    await using home = await temporaryFolder()
    const path = join(await mkdtemp(join(home.path, 'corpus-')), 'corrections.jsonl')
    await writeFile(path, '{"first":1}\n{"torn":')
    {
      await using file = await openLineFile(path)
      await Promise.all(Array.from({ length: 20 }, (_, line) => file.append({ line })))
    }
    const lines = (await readFile(path, 'utf8')).split('\n')
    expect(lines).toEqual(['{"first":1}', ...Array.from({ length: 20 }, (_, line) => `{"line":${line}}`), ''])
  })

  test('is made by its first line, and not by a look', async () => {
    await using home = await temporaryFolder()
    const path = join(home.path, 'corrections.jsonl')
    {
      await using _looked = await openLineFile(path)
    }
    expect(existsSync(path)).toBe(false)
    {
      await using file = await openLineFile(path)
      await file.append({ line: 1 })
    }
    expect(await readFile(path, 'utf8')).toBe('{"line":1}\n')
  })

  test.skipIf(!canMount)(
    `confirms on a full disk only what is written as a whole, and keeps every later line apart${mountReason}`,
    async () => {
      await using home = await temporaryFolder({ 'disk/keep': '' })
      const disk = join(home.path, 'disk')
      const module = new URL('../../src/review/correction-file.ts', import.meta.url)
      // The disk has room for two of these lines and a part of the third; without the ballast for all.
      const program = `
        const { openLineFile } = await import('${module}')
        const { readFile, rm } = await import('node:fs/promises')
        const [, path, ballast] = process.argv
        const file = await openLineFile(path)
        const append = (id) => file.append({ id, text: 'x'.repeat(1500) }).then(() => id, ({ code }) => code)
        const confirmed = [await append(1), await append(2), await append(3)]
        await rm(ballast)
        confirmed.push(await append(4))
        const lines = (await readFile(path, 'utf8')).trimEnd().split('\\n')
        console.log(JSON.stringify({ confirmed, written: lines.map((line) => JSON.parse(line).id) }))`
      const script =
        'mount -t tmpfs -o size=8k tmpfs "$0" && head -c 4096 /dev/zero > "$0/ballast" && exec "$@"'
      const files = [join(disk, 'corrections.jsonl'), join(disk, 'ballast')]
      const node = [process.execPath, '--input-type=module', '--eval', program, ...files]
      const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script, disk, ...node], {
        encoding: 'utf8',
      })
      expect(stdout, stderr).toBe(
        `${JSON.stringify({ confirmed: [1, 2, 'CORRECTIONS_UNWRITABLE', 4], written: [1, 2, 4] })}\n`,
      )
    },
  )

  test('says what to do where it cannot be written', async () => {
    await using home = await temporaryFolder()
    await expect(openLineFile(join(home.path, 'nowhere', 'corrections.jsonl'))).rejects.toMatchObject({
      code: 'CORRECTIONS_UNWRITABLE',
    })
  })
})
