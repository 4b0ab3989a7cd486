import { describe, expect, test } from 'vitest'
import { endpoints } from '#contract/endpoints'
import { localModelKeys } from '#contract/resources'
import { startTestService } from './running-service.ts'
import { scriptedCatalogue } from './scripted-catalogue.ts'

const catalogue = scriptedCatalogue({ here: {}, absent: { installed: false } })

describe('/health', () => {
  test('reports what the service is and has, to every client', async () => {
    await using started = await startTestService({ catalogue })
    const { json, status } = await started.send('GET', '/health', { headers: { authorization: undefined } })
    expect(status).toBe(200)
    expect(endpoints.health.answer.parse(json)).toEqual(json)
    expect(json).toMatchObject({
      ok: true,
      api_version: 1,
      port: started.service.port,
      pid: process.pid,
      local_models: {
        engine_d: [
          { id: 'here', displayName: 'Scripted here', installed: true },
          { id: 'absent', displayName: 'Scripted absent', installed: false },
        ],
      },
    })
    expect(Object.keys(json['local_models'] ?? {})).toEqual(localModelKeys)
  })

  test('reports how it was started, so that a comparison of two shows it', async () => {
    await using started = await startTestService({ catalogue, threads: 2, concurrency: 3, instances: 1 })
    const { json } = await started.send('GET', '/health')
    expect(json['service_settings']).toEqual({
      threads: 2,
      concurrency: 3,
      instances: 1,
      idle_unload_seconds: null,
    })
  })

  test('is read from a service that means something else by the same word', () => {
    const health = { ok: true, app_version: '9', api_version: 1, port: 1, pid: 1, service_settings: [1] }
    expect(endpoints.health.answer.parse(health)).toMatchObject({ app_version: '9' })
  })

  test('lists the default catalogue', async () => {
    await using started = await startTestService({ catalogue: undefined })
    const { json } = await started.send('GET', '/health')
    const ids = endpoints.health.answer.parse(json).local_models['engine_a']?.map(({ id }) => id)
    expect(ids).toEqual(['moonshine-tiny', 'moonshine-base'])
  })
})

test('/models takes no notice of a question that it does not know', async () => {
  await using started = await startTestService({ catalogue })
  const { json } = await started.send('GET', '/models?kind=voice&unknown=1')
  expect(endpoints.listModels.answer.parse(json).models).toMatchObject([
    { id: 'here', kind: 'voice', provider: 'local', size_mb: 0 },
    { id: 'absent' },
  ])
})
