import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measuredRun, timedOut } from '../analysis/measured-run.ts'
import { runCli } from './run-cli.ts'
import { writeRunFolder } from './run-folder.ts'

/** A recorded run with two contenders and telemetry. */
const example = join(import.meta.dirname, '../../docs/example/run')
const tables = ['attempts', 'telemetry', 'utterances', 'words']

type Row = Readonly<Record<string, unknown>>

let folder: string
let runId: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transcribench-export-'))
  runId = JSON.parse(await readFile(join(example, 'run.json'), 'utf8')).id
})
afterAll(async () => rm(folder, { recursive: true, force: true }))

const pathOf = (table: string, format: string, output = 'all'): string =>
  join(folder, output, table, `run=${runId}`, `${table}.${format}`)

async function parquetRows(path: string): Promise<readonly Row[]> {
  return await parquetReadObjects({ file: await asyncBufferFromFile(path) })
}

/** Whole numbers of a columnar file are of 64 bits. */
function plain(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  )
}

describe('the tables of a run', () => {
  beforeAll(async () => {
    for (const format of ['parquet', 'csv', 'jsonl']) {
      const { code, stderr } = await runCli(['export', example, '-o', 'all', '--format', format], {
        cwd: folder,
      })
      expect(code, stderr).toBe(0)
    }
  })

  test('an export has a folder for each table and a description of all columns', async () => {
    expect((await readdir(join(folder, 'all'))).sort()).toEqual([
      ...tables.slice(0, 1),
      'datapackage.json',
      ...tables.slice(1),
    ])
    const { resources } = JSON.parse(await readFile(join(folder, 'all', 'datapackage.json'), 'utf8'))
    expect(resources).toHaveLength(12)
    const attempts = resources.find(({ name }: Row) => name === 'attempts-csv')
    expect(attempts.path).toEqual([`attempts/run=${runId}/attempts.csv`])
    expect(attempts.schema.fields.find(({ name }: Row) => name === 'sent_at_ms')).toEqual({
      name: 'sent_at_ms',
      type: 'number',
      unit: 'milliseconds',
      description: 'When it was sent, in milliseconds.',
    })
    const undescribed = resources
      .flatMap(({ schema }: { schema: { fields: Row[] } }) => schema.fields)
      .filter(({ description }: Row) => typeof description !== 'string' || description === '')
    expect(undescribed).toEqual([])
  })

  test('a Parquet file carries type, unit and description of its columns', async () => {
    const { schema, key_value_metadata: pairs = [] } = await parquetMetadataAsync(
      await asyncBufferFromFile(pathOf('attempts', 'parquet')),
    )
    const typeOf = (name: string): unknown => schema.find((element) => element.name === name)?.type
    expect(['request', 'sent_at_ms', 'ok', 'text'].map(typeOf)).toEqual([
      'INT64',
      'DOUBLE',
      'BOOLEAN',
      'BYTE_ARRAY',
    ])
    const columns = JSON.parse(pairs.find(({ key }) => key === 'transcribench.columns')?.value ?? '[]')
    expect(columns.map(({ name }: Row) => name)).toEqual(schema.slice(1).map(({ name }) => name))
    expect(columns.find(({ name }: Row) => name === 'audio_seconds')).toEqual({
      name: 'audio_seconds',
      type: 'number',
      unit: 'seconds',
      description: 'Length of the recording in seconds.',
    })
  })

  test('the attempts are those of the journal, line by line', async () => {
    const journal = (await readFile(join(example, 'journal.jsonl'), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    const rows = (await parquetRows(pathOf('attempts', 'parquet'))).map(plain)
    expect(rows).toHaveLength(journal.length)
    for (const [place, line] of journal.entries()) {
      expect(rows[place]).toMatchObject({
        run: runId,
        request: line.index,
        phase: line.phase,
        contender: line.contenderId,
        utterance: line.utteranceId,
        sent_at_ms: line.sentAtMs,
        started_at_ms: line.socket?.startedAtMs ?? null,
        ok: line.outcome.ok,
        text: line.outcome.answer?.text ?? null,
        server_decode_ms: line.outcome.answer?.serverDecodeMs ?? null,
        failure_kind: null,
      })
    }
  })

  test('the utterances are those of utterances.csv, column by column', async () => {
    const { stdout } = await runCli(['report', example, '--format', 'utterances-csv'], { cwd: folder })
    const known: Row[] = parse(stdout.replaceAll('\r\n', '\n'), { columns: true })
    const exported: Row[] = parse(await readFile(pathOf('utterances', 'csv')), { columns: true })
    const keyOf = ({ request }: Row): number => Number(request)
    const inOrder = exported.toSorted((a, b) => keyOf(a) - keyOf(b))
    expect(known.length).toBeGreaterThan(100)
    expect(inOrder).toHaveLength(known.length)
    for (const [place, row] of known.entries()) expect(inOrder[place]).toMatchObject(row)
  })

  test('the aligned words add up to the errors that the summary counts', async () => {
    const summary = JSON.parse(
      (await runCli(['report', example, '--format', 'json'], { cwd: folder })).stdout,
    )
    const words = await parquetRows(pathOf('words', 'parquet'))
    for (const { id, words: counts } of summary.contenders) {
      const own = words.filter(({ contender }) => contender === id)
      const count = (kind: string): number => own.filter((word) => word['kind'] === kind).length
      expect({
        hits: count('hit'),
        substitutions: count('substitution'),
        deletions: count('deletion'),
        insertions: count('insertion'),
      }).toEqual(counts)
    }
  })

  test.each(tables)('%s hold the same values in every format', async (table) => {
    const rows = (await parquetRows(pathOf(table, 'parquet'))).map(plain)
    const lines = (await readFile(pathOf(table, 'jsonl'), 'utf8')).trimEnd().split('\n')
    const objects: Row[] = lines.map((line) => JSON.parse(line))
    const flat = objects.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
        ]),
      ),
    )
    expect(flat).toEqual(rows)
    const cells: Row[] = parse(await readFile(pathOf(table, 'csv')), { columns: true })
    const texts = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)]),
      ),
    )
    expect(cells).toEqual(texts)
  })
})

describe('documents for programs that follow figures', () => {
  test('a run is written in the Bencher Metric Format with its intervals', async () => {
    const { code, stdout } = await runCli(['export', example, '-o', 'out', '--format', 'bencher'], {
      cwd: folder,
    })
    expect([code, stdout.trim()]).toEqual([0, `out/${runId}.bencher.json`])
    const document = JSON.parse(await readFile(join(folder, stdout.trim()), 'utf8'))
    const summary = JSON.parse(
      (await runCli(['report', example, '--format', 'json'], { cwd: folder })).stdout,
    )
    expect(Object.keys(document)).toEqual(summary.contenders.map(({ id }: Row) => id))
    for (const { id, metrics } of summary.contenders) {
      const { value, interval } = metrics.wer
      expect(document[id].wer).toEqual({ value, lower_value: interval.low, upper_value: interval.high })
      const metric = Object.values<Row>(document[id])
      expect(metric.every((each) => Object.values(each).every(Number.isFinite))).toBe(true)
    }
  })

  test('a run is written for github-action-benchmark with the figures of which less is better', async () => {
    const args = ['export', example, '-o', 'out', '--format', 'github-benchmark']
    const { stdout } = await runCli(args, { cwd: folder })
    const entries: Row[] = JSON.parse(await readFile(join(folder, stdout.trim()), 'utf8'))
    expect(entries.map(({ name }) => name)).toContain('moonshine-tiny latency.p95')
    expect(entries.some(({ name }) => String(name).endsWith('rtfx'))).toBe(false)
    for (const entry of entries) {
      expect(entry).toMatchObject({
        name: expect.any(String),
        unit: expect.any(String),
        value: expect.any(Number),
      })
    }
  })

  test('a run that is not valid has tables, and is not written for such a program', async () => {
    const run = measuredRun({ utterances: [{ id: 'a', reference: 'one' }], fate: () => timedOut })
    const id = '2026-11-22T07-00-00Z-failed'
    await writeRunFolder(run, join(folder, 'results'), id)
    const refused = await runCli(['export', id, '-o', 'out', '--format', 'bencher'], { cwd: folder })
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain(`${id} is not valid`)
    const { code } = await runCli(['export', id, '-o', 'out', '--format', 'jsonl'], { cwd: folder })
    expect(code).toBe(0)
    const text = await readFile(join(folder, 'out', 'attempts', `run=${id}`, 'attempts.jsonl'), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ ok: false, failure_kind: 'timedOut', text: null })
  })
})

describe('an export that cannot be made', () => {
  test('all runs that are not there are named at once', async () => {
    const { code, stderr } = await runCli(['export', 'nowhere', 'neither', '-o', 'out'], { cwd: folder })
    expect(code).toBe(2)
    expect(stderr).toContain('there is no run "nowhere"')
    expect(stderr).toContain('there is no run "neither"')
  })

  test('a run that is named twice is refused', async () => {
    const { code, stderr } = await runCli(['export', example, example, '-o', 'out'], { cwd: folder })
    expect(code).toBe(2)
    expect(stderr).toContain('named more than once')
  })

  test('a file in the place of the folder is reported with what to do', async () => {
    await writeFile(join(folder, 'taken'), '')
    const { code, stderr } = await runCli(['export', example, '-o', 'taken'], { cwd: folder })
    expect(code).toBe(2)
    expect(stderr).toContain('cannot be written')
    expect(stderr).toContain('name a folder')
  })
})
