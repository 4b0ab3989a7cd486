import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openHubRepository } from '#corpus/packages/hub-repository'
import type { BenchError } from '#prelude'
import { defaultCatalogue } from '#service/models/default-catalogue'
import { type InstallProgress, installModels, removeModel } from '#service/models/install'
import { listModels } from '#service/models/known-models'
import { findFiles, sherpaFamilies } from '../../src/service/engines/sherpa-families.ts'
import { hubCatalogue, hubModels, readCatalogue } from '../../src/service/models/known-models.ts'
import { caught } from '../corpus/caught.ts'
import { startHub } from '../corpus/import/local-hub.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeSenseVoice, writeWhisper } from './known-models.ts'
import { base64, startTestService, tone } from './running-service.ts'

const tiny = 'csukuangfj/sherpa-onnx-whisper-tiny'
const commit = 'c0ffee'.padEnd(40, '0')

/** What finds silences comes from another place. */
const catalogue = {
  ...defaultCatalogue,
  models: [...defaultCatalogue.models, ...hubCatalogue],
  voiceActivity: undefined,
}

/** Names of files, and what is in them. */
async function filesOf(write: (folder: string) => Promise<string>): Promise<Record<string, Uint8Array>> {
  await using folder = await temporaryFolder()
  const path = await write(folder.path)
  const files: Record<string, Uint8Array> = { 'README.md': Buffer.from('---\nlicense: mit\n---\n') }
  for (const name of await readdir(path)) files[name] = await readFile(join(path, name))
  return files
}

const whisper = await filesOf((folder) => writeWhisper(folder, { suffix: '.int8', attention: true }))

/** A hub with these files, and a folder for models of it. */
async function place(files: Parameters<typeof startHub>[0]['files'], more: object = {}) {
  const stack = new AsyncDisposableStack()
  const { path: modelsDir } = stack.use(await temporaryFolder())
  const hub = stack.use(await startHub({ dataset: tiny, files, ...more }))
  const options = { modelsDir, catalogue, environment: hub.env }
  return { hub, modelsDir, options, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function listed(modelsDir: string, id: string) {
  return (await listModels({ modelsDir })).find((model) => model.id === id)
}

test.each(hubModels)('the catalogue has $id with the files and languages of its family', (model) => {
  const family = sherpaFamilies.find((known) => known.family === model.family)
  expect(findFiles(Object.values(model.files), family?.roles ?? {})).toEqual({ ok: true, value: model.files })
  expect(Intl.getCanonicalLocales(model.languages)).toEqual(model.languages)
})

describe('a model of the hub', () => {
  test('is installed by its name, is used as any other, and goes again', async () => {
    const others = { 'tiny-encoder.onnx': randomBytes(9), 'test_wavs/0.wav': randomBytes(9) }
    await using at = await place({ ...whisper, ...others })
    const { hub, modelsDir, options } = at
    expect(await listed(modelsDir, 'whisper-tiny')).toMatchObject({
      installed: false,
      licence: 'MIT',
      source: `hf:${tiny}@main`,
      languages: expect.arrayContaining(['en', 'fr', 'no']),
    })
    const progress: InstallProgress[] = []
    await installModels(['whisper-tiny'], { ...options, onProgress: (step) => progress.push(step) })
    const used = ['tiny-decoder.int8.onnx', 'tiny-encoder.int8.onnx', 'tiny-tokens.txt']
    expect(hub.transfers.map(({ path }) => path).toSorted()).toEqual(used)
    expect((await readdir(join(modelsDir, 'whisper-tiny'))).toSorted()).toEqual(used)
    const totalBytes = used.reduce((sum, name) => sum + (whisper[name]?.length ?? 0), 0)
    expect(progress.filter(({ kind }) => kind === 'downloading').at(-1)).toMatchObject({
      receivedBytes: totalBytes,
      totalBytes,
    })
    expect(await listed(modelsDir, 'whisper-tiny')).toMatchObject({
      installed: true,
      licence: 'MIT',
      source: `hf:${tiny}@${commit}`,
      sizeBytes: totalBytes,
      languages: ['en', 'fr', 'no', 'jv'],
    })
    {
      await using started = await startTestService({ catalogue: undefined, modelsDir })
      const request = { engine: 'whisper', model: 'whisper-tiny', audio_base64: base64(tone(2)) }
      expect((await started.transcribe({ ...request, language: 'fr' })).json['text']).toBe('Bonjour monde')
      const absent = await started.transcribe({ ...request, model: 'whisper-base' })
      expect(absent.json.error).toMatchObject({
        code: 'MODEL_NOT_INSTALLED',
        hint: 'transcribench models install whisper-base',
      })
    }
    expect(await removeModel('whisper-tiny', { modelsDir })).toBe(true)
    expect(await listed(modelsDir, 'whisper-tiny')).toMatchObject({
      installed: false,
      source: `hf:${tiny}@main`,
    })
    expect((await readdir(modelsDir)).filter((name) => name !== '.change.lock')).toEqual(['registered.json'])
  })

  test('that is damaged is fetched again, of the commit that was recorded', async () => {
    await using at = await place(whisper)
    const { hub, modelsDir, options } = at
    await installModels([`hf:${tiny}`], options)
    const progress: InstallProgress[] = []
    const again = {
      ...options,
      catalogue: { ...(await readCatalogue(modelsDir)), voiceActivity: undefined },
      onProgress: (step: InstallProgress) => progress.push(step),
    }
    await installModels(['whisper-tiny'], again)
    expect(progress).toEqual([{ kind: 'present', model: 'whisper-tiny' }])
    await writeFile(join(modelsDir, 'whisper-tiny', 'tiny-tokens.txt'), 'something else')
    hub.asked.length = 0
    await installModels(['whisper-tiny'], again)
    expect(hub.asked[0]).toBe(`/api/models/${tiny}/revision/${commit}`)
    expect((await listed(modelsDir, 'whisper-tiny'))?.installed).toBe(true)
  })

  test('outside of the catalogue is installed with the family that its files have', async () => {
    await using at = await place(await filesOf(writeSenseVoice), { dataset: 'someone/sherpa-onnx-mine.v2' })
    const { hub, modelsDir, options } = at
    await installModels(['hf:someone/sherpa-onnx-mine.v2@v1.0'], options)
    expect(hub.asked[0]).toContain('/api/models/someone/sherpa-onnx-mine.v2/revision/v1.0')
    expect(await listed(modelsDir, 'mine.v2')).toMatchObject({
      family: 'sense-voice',
      installed: true,
      licence: 'cc-by-4.0',
      languages: ['zh', 'en', 'ja', 'ko', 'yue'],
    })
  })

  test('is refused next to another one that would have the same name', async () => {
    await using at = await place(await filesOf(writeSenseVoice), { dataset: 'someone/mine' })
    const error = await caught(installModels(['hf:another/mine', 'hf:someone/mine'], at.options))
    expect(error).toMatchObject({
      code: 'MODEL_NOT_ADDED',
      message: 'hf:someone/mine would be named "mine", and there is another model of that name.',
      hint: 'install only one of them: transcribench models install hf:another/mine',
    })
    expect(await listed(at.modelsDir, 'mine')).toBeUndefined()
  })

  test.each([
    ['has no model', { 'README.md': Buffer.from('nothing') }, /has not the files of a model that runs here/],
    [
      'is of another family',
      { 'model.onnx': Buffer.from('x'), 'tokens.txt': Buffer.from('a 0\n') },
      /no engine here runs/,
    ],
  ])('that %s is refused with the files that it has', async (_case, files, message) => {
    await using at = await place(files, { dataset: 'someone/other' })
    const error = await caught(installModels(['hf:someone/other'], at.options))
    expect(error).toMatchObject({ code: 'MODEL_UNUSABLE', message: expect.stringMatching(message) })
    expect(error.problems).toEqual([
      { where: 'hf:someone/other', what: `has ${Object.keys(files).join(', ')}` },
    ])
    expect((await readdir(at.modelsDir)).filter((name) => name !== '.change.lock')).toEqual([])
  })

  test.each(['tiny-decoder.int8.onnx', 'tiny-tokens.txt'])(
    'whose %s is not the file that the hub lists is refused',
    async (name) => {
      await using at = await place(whisper, { wrongHashes: [name] })
      const error = await caught(installModels(['whisper-tiny'], at.options))
      expect(error).toMatchObject({ code: 'MODEL_REFUSED', message: expect.stringContaining(name) })
      expect((await listed(at.modelsDir, 'whisper-tiny'))?.installed).toBe(false)
    },
  )

  test('behind a login or terms says what to do, and no token leaves for the storage', async () => {
    await using at = await place(whisper, { gate: { token: 'hf_secret', isAccepted: false } })
    const { hub, options } = at
    const { HF_TOKEN: _, ...anonymous } = hub.env
    const login = await caught(installModels(['whisper-tiny'], { ...options, environment: anonymous }))
    expect(login).toMatchObject({ code: 'MODEL_REFUSED', hint: expect.stringContaining('export HF_TOKEN=') })
    const terms = await caught(installModels(['whisper-tiny'], options))
    expect(terms).toMatchObject({ code: 'MODEL_REFUSED', hint: expect.stringContaining(`/${tiny},`) })
    expect(JSON.stringify([login, terms])).not.toContain('hf_secret')
    const missing = await caught(installModels(['hf:someone/gone'], options))
    expect(missing).toMatchObject({ code: 'MODEL_UNKNOWN' })
    expect(hub.leakedTokens).toBe(0)
  })

  test('that is not reached, or is named wrongly, says so', async () => {
    await using folder = await temporaryFolder()
    const options = { modelsDir: folder.path, catalogue, environment: { HF_ENDPOINT: 'http://127.0.0.1:9' } }
    expect((await caught(installModels(['whisper-tiny'], options))).code).toBe('MODEL_UNREACHABLE')
    // The last ones would be folders that hold other things.
    for (const name of ['hf:whisper', 'hf:a/b/c', 'hf:a/..', 'hf:a/.', 'hf:a/registered.json']) {
      expect(await caught(installModels([name], options)), name).toMatchObject({
        code: 'MODEL_UNKNOWN',
        hint: expect.stringContaining('hf:<owner>/<repository>'),
      })
    }
  })

  test('goes on where it was interrupted', async () => {
    // A comment of 400,000 characters.
    const comment = [Buffer.of(50, 0x80, 0xb5, 0x18), Buffer.alloc(400_000, 'a')]
    const decoder = Buffer.concat([whisper['tiny-decoder.int8.onnx'] ?? Buffer.of(), ...comment])
    const files = { ...whisper, 'tiny-decoder.int8.onnx': decoder }
    await using at = await place(files)
    const { hub, modelsDir, options } = at
    const abort = new AbortController()
    const error = await caught(
      installModels(['whisper-tiny'], {
        ...options,
        signal: abort.signal,
        onProgress: (step) => {
          if (step.kind === 'downloading' && step.receivedBytes > 0) abort.abort()
        },
      }),
    )
    expect(error.code).toBe('MODEL_INSTALL_CANCELLED')
    expect(await readdir(modelsDir)).toContain('.fetched-whisper-tiny')
    await installModels(['whisper-tiny'], options)
    expect(await readdir(modelsDir)).not.toContain('.fetched-whisper-tiny')
    const starts = hub.transfers
      .filter(({ path }) => path === 'tiny-decoder.int8.onnx')
      .map(({ from }) => from)
    expect(starts).toEqual([0, expect.toSatisfy((from: number) => from > 0)])
  })

  test('needs room on the disk only for what is not there yet', async () => {
    // More than a disk has. The part has as many bytes, and takes no space, because none was written.
    const name = 'tiny-decoder.int8.onnx'
    const sizeBytes = 2 ** 43
    await using at = await place(whisper, { statedSizes: { [name]: sizeBytes } })
    const { hub, modelsDir, options } = at
    expect((await caught(installModels(['whisper-tiny'], options))).code).toBe('MODELS_DISK_FULL')
    const folder = join(modelsDir, '.fetched-whisper-tiny', commit)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, `${name}.partial`), '')
    await truncate(join(folder, `${name}.partial`), sizeBytes)
    hub.fail({ status: 403 })
    expect((await caught(installModels(['whisper-tiny'], options))).code).toBe('MODEL_REFUSED')
    expect(hub.transfers).toEqual([])
  })
})

test.each([
  ['and the server compares ETags', true],
  ['and the server only sends them', false],
])(
  'a file that has changed on the server since its first part is begun again, %s',
  async (_case, knowsIfRange) => {
    await using folder = await temporaryFolder()
    const [before, after] = [randomBytes(400_000), randomBytes(400_000)]
    await using hub = await startHub({ dataset: 'a/b', files: { 'w.onnx': after }, knowsIfRange })
    hub.replace('w.onnx', before)
    const repository = await openHubRepository({
      kind: 'model',
      name: 'a/b',
      env: hub.env,
      fail: (_problem, { message }) => new Error(message) as BenchError,
    })
    const [file] = (await repository.list()) ?? []
    if (file === undefined) throw new Error('no file')
    const path = join(folder.path, 'w.onnx')
    const abort = new AbortController()
    const interrupted = repository.fetch(file, path, {
      signal: abort.signal,
      onProgress: ({ receivedBytes }) => {
        if (receivedBytes > 0) abort.abort(new Error('interrupted'))
      },
    })
    await expect(interrupted).rejects.toThrow('interrupted')
    hub.replace('w.onnx', after)
    await repository.fetch(file, path, {})
    expect(await readFile(path)).toEqual(after)
    expect(hub.transfers.map(({ from }) => from).filter((from) => from === 0)).toHaveLength(2)
    expect(hub.transfers).toHaveLength(knowsIfRange ? 2 : 3)
    expect(await readdir(folder.path)).toEqual(['w.onnx'])
  },
)
