import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { saying, startChatServer } from '../service/chat-server.ts'
import { startScriptedService } from './scripted-service.ts'
import { workplace } from './workplace.ts'

const texts = [
  { id: 'one', text: 'um send it on monday', reference: 'Send it on Monday.' },
  { id: 'two', text: 'uh call me back', reference: 'Call me back.' },
  { id: 'three', text: 'it breaks here', reference: 'It breaks here.' },
]

/** Edits the first two texts, with one wrong word in the second, and fails at the third. */
function edit(text: string): unknown {
  if (text.includes('breaks')) return 500
  return saying(text.includes('monday') ? 'Send it on Monday.' : 'Call me later.')
}

test('texts go through post-processing under the same run, and are held against their references', async () => {
  await using home = await workplace()
  await using chat = await startChatServer(edit)
  const env = { CUSTOM_BASE_URL: chat.baseUrl, CUSTOM_CHAT_MODEL: 'editor' }
  await using service = await startScriptedService(join(home.path, 'service'), { good: {} }, { env })
  const before = await service.modes()
  const manifest = join(home.path, 'texts.jsonl')
  await writeFile(manifest, texts.map((line) => JSON.stringify(line)).join('\n'))
  const target = ['--target', service.discoveryPath, '--corpus', manifest, '--workload', 'post-process']
  const load = ['--rounds', '2', '--warmup', '0', '--contender', 'custom:editor']
  const run = await home.cli('run', ...target, ...load)
  expect(run, run.stderr).toMatchObject({ code: 0 })
  expect(run.stdout).toContain('edited')
  expect(run.stdout).not.toContain('seconds of speech')
  const { record, attempts, evaluation } = await home.evaluated()
  const { contenders } = evaluation
  expect(record).toMatchObject({ workload: 'post-process', counts: { planned: 6, answered: 6 } })
  expect(new Set(attempts.map(({ transport, modeId }) => `${transport} ${modeId}`))).toEqual(
    new Set(['text null']),
  )
  expect(contenders[0]).toMatchObject({
    postProcessedRate: 4 / 6,
    words: { counts: { substitutions: 2 }, referenceLength: 20 },
    systemSpeed: { value: null, reason: 'the requests carry no audio' },
    realTimeFactor: { sampleCount: 0 },
  })
  expect(contenders[0]?.latencyMs.sampleCount).toBe(6)
  expect(await service.modes()).toEqual(before)
})

test('an excluded text that is not there, and a contender that asks for what post-processing does not have, are reported before anything is sent', async () => {
  await using home = await workplace()
  await using chat = await startChatServer(edit)
  const env = { CUSTOM_BASE_URL: chat.baseUrl }
  await using service = await startScriptedService(join(home.path, 'service'), { good: {} }, { env })
  const manifest = join(home.path, 'texts.jsonl')
  await writeFile(manifest, texts.map((line) => JSON.stringify(line)).join('\n'))
  const config = join(home.path, 'edit.json')
  const settings = { punctuation: false }
  const contenders = [{ engine: 'custom', model: 'editor', settings }]
  await writeFile(config, JSON.stringify({ workload: 'post-process', corpus: manifest, contenders }))
  const misspelt = await home.cli('run', config, '--target', service.discoveryPath, '--exclude', 'thre')
  expect(misspelt).toMatchObject({ code: 2 })
  expect(misspelt.stderr).toContain('there is no utterance "thre"')
  expect(misspelt.stderr).toContain('did you mean "three"?')
  const refused = await home.cli('run', config, '--target', service.discoveryPath)
  expect(refused).toMatchObject({ code: 2 })
  expect(refused.stderr).toContain('sets punctuation')
  expect(chat.asked.filter(({ body }) => body !== null)).toEqual([])
})
