import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { create, Header } from 'tar'
import { expect, test } from 'vitest'
import { importCorpus } from '#corpus/import/import-corpus'
import { openImportSource } from '#corpus/import/open-source'
import { archiveSource, unpackArchive } from '../../../src/corpus/import/archive-source.ts'
import { catalogue } from '../../../src/corpus/import/catalogue.ts'
import { canMount, mountReason } from '../../can-mount.ts'
import { startOddServer } from '../../client/odd-server.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { caught } from '../caught.ts'
import { askedOfSource, everything } from './import-from.ts'
import { said, writeMiniature } from './miniature.ts'

test('an archive is fetched, compared with its hash, unpacked and imported as a tree', async () => {
  await using folder = await temporaryFolder()
  await writeMiniature('librispeech', join(folder.path, 'LibriSpeech'))
  const file = join(folder.path, 'test-clean.tar.gz')
  await create({ file, cwd: folder.path, gzip: true }, ['LibriSpeech'])
  const bytes = await readFile(file)
  await using server = await startOddServer((_seen, response) => void response.end(bytes))
  const url = `http://127.0.0.1:${server.port}/test-clean.tar.gz`
  const importWith = async (sha256: string, output: string) => {
    const [entry] = catalogue
    if (entry === undefined) throw new Error('the catalogue is empty')
    const archive = { url, sizeBytes: bytes.length, sha256, layout: 'librispeech' } as const
    const source = archiveSource(entry, 'test-clean', archive, askedOfSource, { env: {} })
    return await importCorpus(source, { ...everything, output: join(folder.path, output) })
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  expect(await importWith(sha256, 'corpus')).toMatchObject({ utteranceCount: said.length })
  expect((await readdir(join(folder.path, 'corpus'))).sort()).toEqual([
    'audio',
    'import.json',
    'manifest.jsonl',
  ])
  expect((await caught(importWith('0'.repeat(64), 'other'))).code).toBe('IMPORT_REFUSED')
})

test('refuses an archive with a path that leaves its folder', async () => {
  await using folder = await temporaryFolder()
  const content = Buffer.alloc(512, 'x')
  const header = Buffer.alloc(512)
  new Header({ path: '../escaped.txt', size: 512, type: 'File', mode: 0o644, mtime: new Date(0) }).encode(
    header,
  )
  const file = await folder.write(
    'slip.tar.gz',
    gzipSync(Buffer.concat([header, content, Buffer.alloc(1024)])),
  )
  await folder.write('in/keep', '')
  expect((await caught(unpackArchive(file, join(folder.path, 'in')))).message).toContain(
    '../escaped.txt leaves the folder',
  )
  expect(await readdir(folder.path)).not.toContain('escaped.txt')
})

test('refuses an archive with a link', async () => {
  await using folder = await temporaryFolder({ 'tree/real': 'x' })
  await symlink('/etc/passwd', join(folder.path, 'tree/link'))
  await create({ file: join(folder.path, 'a.tgz'), cwd: folder.path, gzip: true }, ['tree'])
  await folder.write('in/keep', '')
  const error = await caught(unpackArchive(join(folder.path, 'a.tgz'), join(folder.path, 'in')))
  expect(error.message).toContain('tree/link is a link')
})

test('refuses an archive that unpacks to many times its size before the disk is full', async () => {
  await using folder = await temporaryFolder()
  const header = Buffer.alloc(512)
  new Header({ path: 'zeros.wav', size: 2 ** 31, type: 'File', mode: 0o644, mtime: new Date(0) }).encode(
    header,
  )
  const file = join(folder.path, 'bomb.tar.gz')
  await writeFile(file, gzipSync(Buffer.concat([header, Buffer.alloc(2 ** 20)])))
  await folder.write('in/keep', '')
  expect((await caught(unpackArchive(file, join(folder.path, 'in')))).message).toContain(
    'unpacks to more than 1 GB',
  )
})

test.skipIf(!canMount)(
  `reports a disk that is full as such, and no fault of the archive${mountReason}`,
  async () => {
    await using folder = await temporaryFolder({ 'tree/noise': randomBytes(3_000_000), 'disk/keep': '' })
    const file = join(folder.path, 'a.tgz')
    await create({ file, cwd: folder.path, gzip: true }, ['tree'])
    const module = new URL('../../../src/corpus/import/archive-source.ts', import.meta.url)
    const program = `import('${module}').then(({ unpackArchive }) => unpackArchive(...process.argv.slice(1)))
    .catch(({ code }) => console.log(code))`
    const script = 'mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"'
    const disk = join(folder.path, 'disk')
    const call = ['-rm', 'bash', '-c', script, disk, process.execPath, '--eval', program, file, disk]
    expect(spawnSync('unshare', call, { encoding: 'utf8' }).stdout).toBe('ENOSPC\n')
  },
)

test('a data set with terms wants consent, with the command that gives it', async () => {
  const error = await caught(openImportSource('gigaspeech', askedOfSource, { env: {} }))
  expect([error.code, error.hint]).toEqual([
    'IMPORT_REFUSED',
    'read https://huggingface.co/datasets/speechcolab/gigaspeech, then: transcribench corpus import gigaspeech --accept-licence',
  ])
})
