import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConformanceReport } from '#conformance/run-conformance-cases'
import { type LyingProxy, startLyingProxy } from '../contract/conformance-proxy.ts'
import { type ConformingService, startConforming } from '../contract/conformance-service.ts'
import { runCli } from '../journeys/run-cli.ts'

let conforming: ConformingService
let proxy: LyingProxy

beforeAll(async () => {
  conforming = await startConforming('macos')
  proxy = await startLyingProxy(conforming.service)
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await conforming[Symbol.asyncDispose]()
})

const conformance = (...args: readonly string[]) =>
  runCli(['conformance', proxy.discoveryPath, '--platform', 'macos', ...args], { cwd: conforming.folder })

describe('transcribench conformance', () => {
  test('shows each rule with what it came to, and ends with 0 where none is broken', async () => {
    proxy.falsify({})
    const { code, stdout } = await conformance('--select', 'guard,modes.create,head.elsewhere')
    expect(stdout).toContain('✓ guard.host')
    expect(stdout).toMatch(/– modes\.create\n\s+not applicable: .*--write/)
    expect(stdout).toMatch(/– head\.elsewhere\n\s+not applicable: a rule for windows/)
    expect(stdout).toMatch(/6 rules held · 0 broken · 2 not applicable/)
    expect(code).toBe(0)
  })

  test('says what was seen of a broken rule, and ends with 3', async () => {
    proxy.falsify({
      reply: (reply, { url }) => (url === '/models?kind=picture' ? { ...reply, text: '[]' } : reply),
    })
    const { code, stdout } = await conformance('--select', 'models')
    expect(stdout).toContain('✗ models.unknown-kind')
    expect(stdout).toContain('seen: GET /models?kind=picture: HTTP 200 []')
    expect(code).toBe(3)
  })

  test('prints one JSON document, without the token', async () => {
    proxy.falsify({})
    const { code, stdout } = await conformance('--select', 'authentication', '--json')
    const document = JSON.parse(stdout) as ConformanceReport
    expect(document).toMatchObject({ platform: 'macos', counts: { held: 3, broken: 0 }, isComplete: true })
    expect(stdout).not.toContain(conforming.service.token)
    expect(code).toBe(0)
  })

  test('says where no service answers, instead of calling every rule broken', async () => {
    const { code, stderr } = await runCli(['conformance', '127.0.0.1:1'], {
      cwd: conforming.folder,
      env: { TRANSCRIBENCH_TOKEN: 'x' },
    })
    expect(stderr).toContain('does not answer')
    expect(code).toBe(4)
  })
})
