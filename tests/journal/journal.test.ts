import { fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AttemptLine } from '#journal/attempt-line'
import { findRun, listRuns } from '#journal/find-run'
import { readModeLines, readRecord, readRun, readStagedFolders } from '#journal/run-reader'
import { runFormatVersion } from '#journal/run-record'
import {
  appendModeLines,
  appendStagingLine,
  createRun,
  runFiles,
  writeRunDocument,
} from '#journal/run-writer'
import { temporaryFolder } from '../temporary-folder.ts'
import { anAttempt, anUtterance, aRecord, aRequest } from './a-run.ts'

async function writeRun(results: string, id = aRecord.id, startedAt = aRecord.startedAt): Promise<string> {
  await using writer = await createRun(results, id)
  await writer.writeRecord({ ...aRecord, id, startedAt })
  await writer.writePlan([anUtterance, aRequest])
  await writer.appendAttempt(anAttempt)
  return writer.folder
}

/** What would be in a file again: the rows of a run are made when they are looked at. */
function asWritten(rows: Iterable<AttemptLine>): unknown {
  return JSON.parse(JSON.stringify([...rows]))
}

describe('a run on disk', () => {
  test('is read back as it was written', async () => {
    await using results = await temporaryFolder()
    const run = await readRun(await writeRun(join(results.path, 'new', 'folder')))
    expect(run.record).toEqual(aRecord)
    expect(run.utterances).toEqual([anUtterance])
    expect([...run.requests]).toEqual([aRequest])
    expect(asWritten(run.attempts)).toEqual([anAttempt])
  })

  test('has the replacement character where a text holds half of a surrogate pair', async () => {
    await using results = await temporaryFolder()
    await using writer = await createRun(results.path, aRecord.id)
    await writer.writePlan([{ ...anUtterance, reference: 'a \udc00 cat 😀 \\ud83d' }, aRequest])
    await writer.appendAttempt({ ...anAttempt, contenderId: 'tiny \ud83d' })
    for (const file of [runFiles.plan, runFiles.journal]) {
      const written = await readFile(join(writer.folder, file), 'utf8')
      expect(written.replaceAll('\\\\', '')).not.toContain('\\ud')
    }
    const plan = await readFile(join(writer.folder, runFiles.plan), 'utf8')
    expect(JSON.parse(plan.split('\n')[0] ?? '').reference).toBe('a \ufffd cat 😀 \\ud83d')
  })

  test('keeps every attempt that was written when its process is killed', async () => {
    await using results = await temporaryFolder()
    const child = fork(join(import.meta.dirname, 'write-until-killed.ts'), [results.path])
    const acknowledged = await new Promise<number>((resolve) => {
      child.on('message', (count) => {
        if (Number(count) === 50) {
          child.kill('SIGKILL')
          resolve(50)
        }
      })
    })
    await once(child, 'exit')
    const [folder = ''] = await listRuns(results.path)
    const run = await readRun(folder)
    expect(run.record.status).toBe('started')
    expect(run.attempts.length).toBeGreaterThanOrEqual(acknowledged)
  })

  test('a last line that was cut off is left out', async () => {
    await using results = await temporaryFolder()
    const folder = await writeRun(results.path)
    await appendFile(join(folder, runFiles.journal), '{"index":1,"attempt":1,"pha')
    const run = await readRun(folder)
    expect(asWritten(run.attempts)).toEqual([anAttempt])
  })

  test('bad lines are all reported, with file and line', async () => {
    await using results = await temporaryFolder()
    const folder = await writeRun(results.path)
    await appendFile(join(folder, runFiles.journal), `nonsense\n{"index":-1}\n${JSON.stringify(anAttempt)}\n`)
    await expect(readRun(folder)).rejects.toMatchObject({
      code: 'RUN_UNREADABLE',
      problems: [{ where: 'journal.jsonl:2' }, { where: 'journal.jsonl:3' }],
    })
  })

  test.each(['', '-', 'a b'])(
    'a planned utterance whose language has no form of a tag is reported: "%s"',
    async (language) => {
      await using results = await temporaryFolder()
      await using writer = await createRun(results.path, aRecord.id)
      await writer.writeRecord(aRecord)
      await writer.writePlan([{ ...anUtterance, language }, aRequest])
      await expect(readRun(writer.folder)).rejects.toMatchObject({
        code: 'RUN_UNREADABLE',
        problems: [{ where: 'plan.jsonl:1', what: expect.stringContaining('is no BCP 47 tag') }],
      })
    },
  )

  test.each(['../elsewhere', String.raw`..\elsewhere`])(
    'a record whose id leads out of a folder is refused: %s',
    async (id) => {
      await using results = await temporaryFolder()
      const folder = await writeRun(results.path)
      await writeFile(join(folder, runFiles.record), JSON.stringify({ ...aRecord, id }))
      await expect(readRun(folder)).rejects.toMatchObject({ code: 'RUN_UNREADABLE' })
    },
  )

  test.each([
    { formatVersion: runFormatVersion + 1, code: 'RUN_FORMAT_NEWER' },
    { formatVersion: runFormatVersion - 1, code: 'RUN_FORMAT_OLDER' },
  ])(
    'a run of format $formatVersion is refused with the one that is read',
    async ({ formatVersion, code }) => {
      await using results = await temporaryFolder()
      const folder = await writeRun(results.path)
      const other = { ...aRecord, formatVersion, surprise: true }
      await writeRunDocument(folder, runFiles.record, JSON.stringify(other))
      await expect(readRun(folder)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(new RegExp(`format ${formatVersion};.* reads ${runFormatVersion}$`)),
      })
    },
  )

  test('replacing a document leaves no draft behind', async () => {
    await using results = await temporaryFolder()
    const folder = await writeRun(results.path)
    await writeRunDocument(folder, runFiles.summary, '{}')
    await writeRunDocument(folder, runFiles.summary, '{"a":1}')
    expect(await readFile(join(folder, runFiles.summary), 'utf8')).toBe('{"a":1}')
    expect((await readdir(folder)).filter((name) => name.endsWith('.draft'))).toEqual([])
  })

  test('a results folder that is a file is refused before anything is measured', async () => {
    await using results = await temporaryFolder()
    const path = join(results.path, 'a-file')
    await writeFile(path, '')
    await expect(createRun(path, aRecord.id)).rejects.toMatchObject({
      code: 'RESULTS_UNWRITABLE',
      exit: 'badInput',
    })
  })
})

test('an error that is not of the file system is reported as it is', async () => {
  await using results = await temporaryFolder()
  await using writer = await createRun(results.path, aRecord.id)
  await expect(writer.writeReused([{ requestIndex: 1n } as never])).rejects.toThrow(TypeError)
})

describe('mode lines', () => {
  test('what was settled later is added to them', async () => {
    await using results = await temporaryFolder()
    await using writer = await createRun(results.path, aRecord.id)
    await writer.appendMode({ kind: 'creating', lease: 'tiny', name: 'transcribench x' })
    await appendModeLines(writer.folder, [{ kind: 'released', lease: 'tiny', note: 'later' }])
    expect((await readModeLines(writer.folder)).map(({ kind }) => kind)).toEqual(['creating', 'released'])
    expect(await readFile(join(writer.folder, runFiles.modes), 'utf8')).not.toContain('\n\n')
  })
})

describe('lines that are added after the death of a run', () => {
  test('can be read where the run died in the middle of a line', async () => {
    await using results = await temporaryFolder()
    await using writer = await createRun(results.path, aRecord.id)
    const { folder } = writer
    await writer.appendMode({ kind: 'creating', lease: 'tiny', name: 'transcribench x' })
    await appendFile(join(folder, runFiles.modes), '{"kind":"crea')
    await appendModeLines(folder, [{ kind: 'released', lease: 'tiny', note: 'later' }])
    expect((await readModeLines(folder)).map(({ kind }) => kind)).toEqual(['creating', 'released'])
    await appendFile(join(folder, runFiles.staged), '{"kind":"stag')
    await appendStagingLine(folder, { kind: 'staging', folder: '/copies' })
    expect(await readStagedFolders(folder)).toEqual(['/copies'])
  })
})

describe('a run whose plan is not whole', () => {
  test.each([runFiles.plan, runFiles.reused])(
    'is not read as a smaller run where the end of %s is missing',
    async (name) => {
      await using results = await temporaryFolder()
      const folder = await writeRun(results.path)
      await appendFile(join(folder, name), '{"kind":"requ')
      await expect(readRun(folder)).rejects.toMatchObject({
        code: 'RUN_UNREADABLE',
        problems: [{ where: expect.stringContaining(name), what: expect.stringContaining('cut off') }],
      })
    },
  )
})

describe('finding a run', () => {
  test('by its name, by a unique beginning, by its path, and as the latest', async () => {
    await using results = await temporaryFolder()
    const older = await writeRun(results.path, '2026-11-20T07-31-02Z-main')
    const newer = await writeRun(results.path, '2026-11-21T07-31-02Z-quick')
    expect(await findRun('latest', results.path)).toBe(newer)
    expect(await findRun('2026-11-20', results.path)).toBe(older)
    expect(await findRun(older, '/nowhere')).toBe(older)
    expect(await findRun('2026-11-21T07-31-02Z-quick', results.path)).toBe(newer)
    const copied = await writeRun(results.path, 'copy of monday')
    expect(await findRun('copy of monday', results.path)).toBe(copied)
    expect(await findRun('latest', results.path)).toBe(newer)
  })

  test('by the name that it alone was given, also where its folder is called otherwise', async () => {
    await using results = await temporaryFolder()
    const write = async (id: string, name: string) => {
      const folder = await writeRun(results.path, id)
      await writeFile(join(folder, runFiles.record), JSON.stringify({ ...aRecord, id, name }))
      return folder
    }
    const slow = await write('2026-11-20T08-31-02Z-slow', 'slow')
    const numbered = await write('2026-11-20T08-31-02Z-fast-2', 'fast')
    await write('2026-11-20T08-31-02Z-slow-9', 'slow-9')
    const spaced = await write('2026-11-20T09-31-02Z-monday-calls', 'monday calls')
    expect(await findRun('slow', results.path)).toBe(slow)
    expect(await findRun('fast', results.path)).toBe(numbered)
    expect(await findRun('monday calls', results.path)).toBe(spaced)
    const again = await write('2026-11-21T08-31-02Z-slow', 'slow')
    await expect(findRun('slow', results.path)).rejects.toMatchObject({
      code: 'RUN_AMBIGUOUS',
      hint: `name one of these by its folder; the newest is ${basename(again)}`,
      problems: [{ what: basename(slow) }, { what: basename(again) }],
    })
    for (let day = 10; day < 25; day += 1) await write(`2026-12-${day}T07-31-02Z-quick`, 'quick')
    await expect(findRun('slwo', results.path)).rejects.toThrow('did you mean "slow"?')
  })

  test('as the latest where two began in the same second: the one that began last, whatever it is called', async () => {
    await using results = await temporaryFolder()
    const folders: string[] = []
    for (const [index, name] of ['quick', 'again', 'quick-2', 'quick-10'].entries()) {
      const second = '2026-11-21T07-31-02Z'
      folders.push(await writeRun(results.path, `${second}-${name}`, `2026-11-21T07:31:02.${100 + index}Z`))
    }
    expect(await listRuns(results.path)).toEqual(folders)
    expect(await findRun('latest', results.path)).toBe(folders.at(-1))
  })

  test('a folder without a record is refused, and a record that cannot be read is not called missing', async () => {
    await using results = await temporaryFolder()
    await expect(readRecord(join(results.path, 'none'))).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
      hint: `list the runs with: ls ${results.path}`,
    })
    const folder = join(results.path, '2026-11-20T07-31-02Z-main')
    await mkdir(join(folder, runFiles.record), { recursive: true })
    await expect(readRecord(folder)).rejects.toMatchObject({ code: 'EISDIR' })
  })

  test('an empty name finds none, also where there is only one', async () => {
    await using results = await temporaryFolder()
    await writeRun(results.path, '2026-11-20T07-31-02Z-main')
    await expect(findRun('', results.path)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  })

  test('an ambiguous or unknown name lists what there is', async () => {
    await using results = await temporaryFolder()
    await writeRun(results.path, '2026-11-20T07-31-02Z-main')
    await writeRun(results.path, '2026-11-20T08-31-02Z-main')
    await expect(findRun('2026-11-20', results.path)).rejects.toMatchObject({
      code: 'RUN_AMBIGUOUS',
      problems: [{ what: '2026-11-20T07-31-02Z-main' }, { what: '2026-11-20T08-31-02Z-main' }],
    })
    await expect(findRun('nightly', results.path)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    await expect(findRun('latest', join(results.path, 'empty'))).rejects.toMatchObject({
      hint: expect.stringContaining('transcribench run'),
    })
  })
})
