import { readdir } from 'node:fs/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '#load/clock'
import { openTarget } from '#run/target/open-target'
import { temporaryFolder } from '../temporary-folder.ts'

const opened = (env: Readonly<Record<string, string | undefined>>) =>
  openTarget({ target: 'embedded', env, clock: systemClock, connections: 1, readableFolders: [] })

afterEach(() => void vi.unstubAllEnvs())

describe('the built-in service', () => {
  test('has the environment that the caller gives, not the one of this process', async () => {
    vi.stubEnv('GROQ_API_KEY', 'gsk-not-given')
    const env = { ...process.env, OPENAI_API_KEY: 'sk-given', GROQ_API_KEY: undefined }
    await using target = await opened(env)
    const withKey = target.health.providers.flatMap(({ id, key_present }) => (key_present ? [id] : []))
    expect(withKey).toContain('openai')
    expect(withKey).not.toContain('groq')
  })

  test('leaves no folder behind if its process dies at its start', async () => {
    await using folder = await temporaryFolder()
    vi.stubEnv('TMPDIR', folder.path)
    vi.stubEnv('TEMP', folder.path)
    const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=3' }
    await expect(opened(env)).rejects.toMatchObject({ code: 'EMBEDDED_SERVICE_FAILED' })
    expect(await readdir(folder.path)).toEqual([])
  })
})
