import { describe, expect, test } from 'vitest'
import { conformanceRules, type RuleSubject, ruleSubjects } from '#conformance/rules'
import { conformanceCases } from '#conformance/run-conformance-cases'
import { platforms } from '#contract/enums'
import type { Mode } from '#contract/modes'
import { startLyingProxy, withJson } from '../contract/conformance-proxy.ts'
import {
  brokenWith,
  checkAll,
  idsOf,
  startConforming,
  startKeyless,
} from '../contract/conformance-service.ts'

async function listModes({ baseUrl, token }: { baseUrl: string; token: string }): Promise<readonly Mode[]> {
  const response = await fetch(`${baseUrl}/modes`, { headers: { authorization: `Bearer ${token}` } })
  return ((await response.json()) as { readonly modes: readonly Mode[] }).modes
}

describe('the table of rules', () => {
  test('every rule has a case, and every case has a different id that begins with its rule', () => {
    const proven = new Set(conformanceCases.map(({ rule }) => rule))
    expect(conformanceRules.filter(({ id }) => !proven.has(id))).toEqual([])
    const ids = conformanceCases.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { id, rule } of conformanceCases) expect(id.split('/')[0]).toBe(rule)
    expect(conformanceRules.length).toBeGreaterThan(100)
  })

  test('every case speaks of a platform that exists', () => {
    for (const one of conformanceCases) {
      expect(one.platforms.length).toBeGreaterThan(0)
      for (const platform of one.platforms) expect(platforms).toContain(platform)
    }
  })
})

/** What only a service without a key and without a microphone can show, which is tried below. */
const keyless = ['models.cloud-installed', 'transcription.missing-key', 'recorder.no-microphone']

/** Bodies of 50 MiB need most of the time of a check. */
const allButLimits = (Object.keys(ruleSubjects) as RuleSubject[]).filter((subject) => subject !== 'limits')

describe.each(platforms)('the reference service as %s', (platform) => {
  test('keeps every rule for its platform, and has its Modes as before', async () => {
    await using conforming = await startConforming(platform)
    const { service, folder } = conforming
    const before = await listModes(service)
    // The other limits of macOS are looked at where others are broken.
    const only = platform === 'macos' ? [...allButLimits, 'limits.envelope'] : []
    const { report } = await checkAll(service.discoveryPath, platform, { folder, only })
    expect(brokenWith(report.rules)).toEqual([])
    expect(report.leftBehind).toEqual([])
    const after = await listModes(service)
    expect(after.map(({ id, isDefault }) => [id, isDefault])).toEqual(
      before.map(({ id, isDefault }) => [id, isDefault]),
    )
    const applicable = conformanceCases.filter((one) => one.platforms.includes(platform))
    const skipped = idsOf(report.rules, 'notApplicable').filter((id) =>
      applicable.some(({ rule }) => rule === id),
    )
    expect(skipped.filter((id) => !keyless.includes(id))).toEqual([])
  })

  test('keeps the rules for a service without a key and without a microphone', async () => {
    await using started = await startKeyless(platform)
    const { service, folder } = started
    const { report } = await checkAll(service.discoveryPath, platform, { folder, only: keyless })
    expect(brokenWith(report.rules)).toEqual([])
    const due = platform === 'linux' ? keyless : keyless.filter((id) => id !== 'recorder.no-microphone')
    expect(idsOf(report.rules, 'held').toSorted()).toEqual(due.toSorted())
  })
})

describe('a service that differs where it may', () => {
  test('whose model knows no English keeps the rule of the Mode that transcribes', async () => {
    await using conforming = await startConforming('linux', ['de'])
    const { service, folder } = conforming
    const { report } = await checkAll(service.discoveryPath, 'linux', {
      folder,
      only: ['transcription.mode'],
    })
    expect(brokenWith(report.rules)).toEqual([])
    expect(idsOf(report.rules, 'held')).toEqual(['transcription.mode'])
  })

  test('whose dates are in whole seconds keeps the order of Modes, whichever of one second comes first', async () => {
    await using conforming = await startConforming('linux')
    const { service, folder } = conforming
    await using proxy = await startLyingProxy(service)
    const inSeconds = (mode: Mode): Mode => ({
      ...mode,
      createdDate: mode.createdDate.replace(/\.\d+/, ''),
    })
    const byOrder = (one: Mode, other: Mode): number =>
      one.sortOrder - other.sortOrder || one.createdDate.localeCompare(other.createdDate)
    proxy.falsify({
      reply: (reply, { method, url }) =>
        method === 'GET' && url === '/modes' && reply.status === 200
          ? withJson(reply, (json) => ({
              ...json,
              modes: (json['modes'] as readonly Mode[]).map(inSeconds).toReversed().toSorted(byOrder),
            }))
          : reply,
    })
    const { report } = await checkAll(proxy.discoveryPath, 'linux', { folder, only: ['modes.order'] })
    expect(brokenWith(report.rules)).toEqual([])
    expect(idsOf(report.rules, 'held')).toEqual(['modes.order'])
  })
})

describe('without leave to write', () => {
  test('no request changes anything, and what was left out says how to have it', async () => {
    await using conforming = await startConforming('linux')
    const { service, folder } = conforming
    const before = await listModes(service)
    const { report } = await checkAll(service.discoveryPath, 'linux', {
      folder,
      writes: false,
      isDisposable: false,
    })
    expect(await listModes(service)).toEqual(before)
    expect(brokenWith(report.rules)).toEqual([])
    expect(report.rules.find(({ rule }) => rule.id === 'modes.create')?.verdict).toMatchObject({
      kind: 'notApplicable',
      reason: expect.stringContaining('--write'),
    })
    expect(JSON.stringify(report)).not.toContain(service.token)
  })

  test('a name that is no rule is refused with the subjects there are', async () => {
    await expect(checkAll('embedded', 'linux', { only: ['guard.hots'] })).rejects.toMatchObject({
      code: 'CONFORMANCE_RULE_UNKNOWN',
      hint: expect.stringContaining('guard'),
    })
  })
})

test('an interruption in the middle of a case removes what that case created, and runs no other', async () => {
  await using conforming = await startConforming('linux')
  const { service } = conforming
  const before = await listModes(service)
  const interruption = new AbortController()
  const ran: string[] = []
  const { report } = await checkAll(service.discoveryPath, 'linux', {
    only: ['modes'],
    signal: interruption.signal,
    onCase(id) {
      ran.push(id)
      if (id === 'modes.create') interruption.abort()
    },
  })
  expect(ran.at(-1)).toBe('modes.create')
  expect(report).toMatchObject({ isComplete: false, leftBehind: [] })
  expect(await listModes(service)).toEqual(
    before.map((mode) => ({ ...mode, modifiedDate: expect.any(String) })),
  )
})
