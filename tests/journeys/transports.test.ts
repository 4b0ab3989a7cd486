import { readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faultGround, faultWorld } from './fault-world.ts'
import { faults } from './faulty-front.ts'
import { startCli } from './run-cli.ts'
import { startScriptedService } from './scripted-service.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

async function world(model: object = { otherwise: { text: 'yes' } }) {
  const home = await workplace()
  const service = await startScriptedService(join(home.path, 'service'), { echo: model })
  return {
    ...home,
    recordings: join(home.path, 'service', 'recordings'),
    service,
    /** Corpus in, beside, or far from the recordings folder, by its folder under the home. */
    corpus: (place: string) => writeToneCorpus(join(home.path, place), { one: 'yes', two: 'yes' }),
    run: (manifest: string, ...more: readonly string[]) =>
      home.type`run --target ${service.discoveryPath} --corpus ${manifest} --contender scripted:echo
        --rounds 1 --warmup 0 ${more}`,
    async transports() {
      const { attempts } = await home.recorded()
      return attempts.map(({ outcome, transport }) => (outcome.ok ? transport : 'failed'))
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

test('a recording in the folder of the service goes by path, another one as base64', async () => {
  await using inside = await world()
  expect(await inside.run(await inside.corpus('service/recordings'))).toMatchObject({ code: 0 })
  expect(await inside.transports()).toEqual(['path', 'path'])
  await using outside = await world()
  expect(await outside.run(await outside.corpus('elsewhere'))).toMatchObject({ code: 0 })
  expect(await outside.transports()).toEqual(['base64', 'base64'])
})

test('a form carries what is asked to go as a form', async () => {
  await using here = await world()
  const manifest = await here.corpus('elsewhere')
  expect(await here.run(manifest, '--transport', 'multipart', '--platform', 'linux')).toMatchObject({
    code: 0,
  })
  expect(await here.transports()).toEqual(['multipart', 'multipart'])
})

test('staged copies are where the service may read them, and gone afterwards', async () => {
  await using here = await world()
  const manifest = await here.corpus('elsewhere')
  expect(await here.run(manifest, '--transport', 'path', '--stage')).toMatchObject({ code: 0 })
  expect(await here.transports()).toEqual(['staged', 'staged'])
  expect(await readdir(here.recordings)).toEqual([])
})

test('copies of a run that was killed are removed by the next one, and by transcribench modes clean', async () => {
  await using here = await world({ otherwise: { hang: true } })
  const manifest = await here.corpus('elsewhere')
  const target = ['--target', here.service.discoveryPath]
  const flags = ['--contender', 'scripted:echo', '--warmup', '0', '--transport', 'path', '--stage']
  const killRun = async (): Promise<void> => {
    const running = startCli(['run', ...target, '--corpus', manifest, ...flags], { cwd: here.path })
    await expect.poll(() => readdir(here.recordings)).toHaveLength(1)
    running.process.kill('SIGKILL')
    await running.ended
  }
  await killRun()
  const cleaned = await here.cli('modes', 'clean', ...target)
  expect(cleaned.stdout).toContain('transcribench-staged-')
  expect(await readdir(here.recordings)).toEqual([])
  await killRun()
  await here.run(manifest, '--timeout', '100ms')
  expect(await readdir(here.recordings)).toEqual([])
})

test('a run whose list of copies cannot be read is named, and stops no other run', async () => {
  await using here = await world()
  const manifest = await here.corpus('elsewhere')
  expect(await here.run(manifest, '--transport', 'path', '--stage')).toMatchObject({ code: 0 })
  const [id = ''] = await readdir(join(here.path, 'results'))
  await writeFile(join(here.path, 'results', id, 'staged.jsonl'), '{}\n')
  const kept = `copies of recordings that ${id} may have left behind were not removed`
  const { code, stderr } = await here.run(manifest)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(kept)
  expect(stderr.replaceAll(/\s+/g, '')).toContain(`andthen${join(here.path, 'results', id, 'staged.jsonl')}`)
  expect(code).toBe(0)
  const cleaned = await here.cli('modes', 'clean', '--target', here.service.discoveryPath)
  expect(cleaned).toMatchObject({ code: 0, stderr: expect.stringContaining(kept) })
  expect(cleaned.stdout).not.toContain('nothing was left behind')
})

test('a path that is refused after all is followed by another way, by which that recording then goes', async () => {
  await using ground = await faultGround()
  await using there = await faultWorld(ground, { transport: 'auto', warmupRequests: 0 })
  await symlink(join(ground.folder, 'service', 'recordings'), join(there.folder, 'recordings'))
  there.front.spoil(({ transcription }) => (transcription === 0 ? faults.fileNotAllowed : null))
  const { code, stderr } = await there.run()
  expect(code, stderr).toBe(0)
  const { attempts } = await there.recorded()
  const [first] = attempts
  const ways = attempts.map(({ utteranceId, transport, refusedTransport, outcome }) => [
    utteranceId === first?.utteranceId,
    outcome.ok,
    transport,
    refusedTransport,
  ])
  expect(ways[0]).toEqual([true, true, 'base64', 'path'])
  for (const [isFirst, isAnswered, transport, refused] of ways.slice(1))
    expect([isAnswered, transport, refused]).toEqual([true, isFirst ? 'base64' : 'path', undefined])
})

test('a staging folder that is not there is reported before anything is sent', async () => {
  await using here = await world()
  const refused = await here.run(await here.corpus('elsewhere'), '--stage', join(here.path, 'nowhere'))
  expect(refused).toMatchObject({ code: 2 })
  expect(refused.stderr).toContain('STAGING_FOLDER_UNKNOWN')
  expect(await here.runs()).toEqual([])
})
