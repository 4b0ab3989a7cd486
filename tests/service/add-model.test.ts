import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addModel } from '#service/models/add-model'
import { installModels, removeModel } from '#service/models/install'
import { listModels } from '#service/models/known-models'
import { caught } from '../corpus/caught.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { writeWhisper } from './known-models.ts'
import { base64, startTestService, tone } from './running-service.ts'

async function emptyFiles(folder: string, names: readonly string[], content = ''): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of names) await writeFile(join(folder, name), content)
}

describe('adding', () => {
  test('names everything that is in the way at once', async () => {
    await using folder = await temporaryFolder()
    const own = join(folder.path, 'own')
    await emptyFiles(own, ['encoder.onnx', 'a-tokens.txt', 'b-tokens.txt'])
    const error = await caught(
      addModel({ id: 'moonshine-tiny', family: 'whisper', path: own }, { modelsDir: folder.path }),
    )
    expect(error.code).toBe('MODEL_NOT_ADDED')
    expect(error.problems.map(({ what }) => what)).toEqual([
      'there is a model named "moonshine-tiny" already',
      'no file for the decoder, which is named like *decoder*.onnx',
      'several files could be the tokens: a-tokens.txt, b-tokens.txt',
    ])
    const other = await caught(
      addModel({ id: '../up', family: 'wisper', path: join(own, 'gone') }, { modelsDir: folder.path }),
    )
    expect(other.problems).toHaveLength(3)
    await emptyFiles(join(folder.path, 'whisper'), [
      'tiny-encoder.onnx',
      'tiny-decoder.onnx',
      'tiny-tokens.txt',
    ])
    const meant = await caught(
      addModel(
        { id: 'mine', family: 'wisper', path: join(folder.path, 'whisper') },
        { modelsDir: folder.path },
      ),
    )
    expect(meant.problems.at(-1)).toEqual({ where: '--family', what: 'the files have the names of whisper' })
    expect(await readdir(folder.path)).not.toContain('registered.json')
  })

  test.each([
    ['whisper', ['tiny-encoder.onnx', 'tiny-decoder.onnx', 'tiny-tokens.txt']],
    ['nemo-transducer', ['encoder.onnx', 'decoder.onnx', 'joiner.onnx', 'tokens.txt']],
    ['sense-voice', ['model.onnx', 'tokens.txt']],
    ['zipformer', ['encoder-epoch-9.onnx', 'decoder-epoch-9.onnx', 'joiner-epoch-9.onnx', 'tokens.txt']],
    ['moonshine', ['encoder_model.onnx', 'decoder_model_merged.onnx', 'tokens.txt']],
  ])('files that are no %s model are found out without harm', async (family, names) => {
    await using folder = await temporaryFolder()
    const own = join(folder.path, 'own')
    await emptyFiles(own, names, 'not a model\n')
    const error = await caught(addModel({ id: 'mine', family, path: own }, { modelsDir: folder.path }))
    expect(error.code).toBe('MODEL_UNUSABLE')
    expect(error.message).toMatch(/^The model "mine" does not load as .+: .+/)
    expect((await listModels({ modelsDir: folder.path })).map(({ id }) => id)).not.toContain('mine')
  })

  test.each(['registered.json', 'Registered.json', 'registered.json.new'])(
    'refuses the name %s, whose folder would replace the register',
    async (id) => {
      await using folder = await temporaryFolder()
      const own = join(folder.path, 'own')
      await emptyFiles(own, ['model.onnx', 'tokens.txt'])
      const error = await caught(
        addModel({ id, family: 'sense-voice', path: own, copy: true }, { modelsDir: folder.path }),
      )
      expect(error.problems).toEqual([{ where: 'id', what: `"${id}" is a file of the models directory` }])
    },
  )

  test('with a register that is damaged says so', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'registered.json'), '{"formatVersion": 1, "models": [{}]}')
    expect((await caught(listModels({ modelsDir: folder.path }))).code).toBe('MODEL_REGISTER_UNREADABLE')
    await expect(startTestService({ catalogue: undefined, modelsDir: folder.path })).rejects.toMatchObject({
      code: 'MODEL_REGISTER_UNREADABLE',
    })
  })
})

describe('a model that was added', () => {
  /** A folder with a Whisper of its user, and one for models. */
  async function place() {
    const folder = await temporaryFolder()
    const own = await writeWhisper(join(folder.path, 'own'))
    return { own, modelsDir: join(folder.path, 'models'), [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
  }
  const asked = { engine: 'whisper', model: 'mine', audio_base64: base64(tone(2)) }

  test('is listed, transcribes, and goes again without its files', async () => {
    await using at = await place()
    const { modelsDir, own } = at
    await addModel({ id: 'mine', family: 'whisper', path: own }, { modelsDir })
    const listed = (await listModels({ modelsDir })).find(({ id }) => id === 'mine')
    expect(listed).toMatchObject({ installed: true, folder: own, source: null })
    await using started = await startTestService({ catalogue: undefined, modelsDir })
    const models = (await started.send('GET', '/models')).json['models']
    expect(models).toContainEqual(expect.objectContaining({ id: 'mine', provider: 'local', installed: true }))
    expect((await started.transcribe(asked)).json['text']).toBe('Hello world')
    expect(await removeModel('mine', { modelsDir })).toBe(true)
    expect(await readdir(own)).toContain('tiny-tokens.txt')
    expect((await listModels({ modelsDir })).map(({ id }) => id)).not.toContain('mine')
  })

  test('with a copy needs its files no more, and the copy goes with it', async () => {
    await using at = await place()
    const { modelsDir, own } = at
    await addModel({ id: 'mine', family: 'whisper', path: own, copy: true }, { modelsDir })
    expect((await readdir(join(modelsDir, 'mine'))).toSorted()).toEqual((await readdir(own)).toSorted())
    expect(await removeModel('mine', { modelsDir })).toBe(true)
    expect((await readdir(modelsDir)).filter((name) => !name.startsWith('.'))).toEqual(['registered.json'])
  })

  test('whose files have changed is not used', async () => {
    await using at = await place()
    const { modelsDir, own } = at
    await addModel({ id: 'mine', family: 'whisper', path: own }, { modelsDir })
    await writeFile(join(own, 'tiny-tokens.txt'), 'something else')
    await using started = await startTestService({ catalogue: undefined, modelsDir })
    expect((await started.transcribe(asked)).json.error?.code).toBe('MODEL_NOT_INSTALLED')
    expect(await caught(installModels(['mine'], { modelsDir }))).toMatchObject({
      code: 'MODEL_UNUSABLE',
      hint: expect.stringContaining('models remove mine'),
    })
  })
})
