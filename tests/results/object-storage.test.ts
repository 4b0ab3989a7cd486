import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkAddress, isAddress, openDuckDb, storedFiles } from '../../src/results/query-runs.ts'

/** A bucket as DuckDB lists it; without the extension it is a folder. */
let bucket: string
beforeAll(async () => {
  bucket = await mkdtemp(join(tmpdir(), 'transcribench-bucket-'))
  const files = [
    'attempts/run=b/attempts.parquet',
    'attempts/run=a/attempts.parquet',
    'attempts/run=a/attempts.csv',
  ]
  for (const file of files) {
    await mkdir(dirname(join(bucket, file)), { recursive: true })
    await writeFile(join(bucket, file), '')
  }
})
afterAll(async () => rm(bucket, { recursive: true, force: true }))

describe('files of a table in object storage', () => {
  test('are those of all runs, in order, and of Parquet alone', async () => {
    using database = await openDuckDb()
    expect(await storedFiles(database.connection, bucket, 'attempts')).toEqual([
      join(bucket, 'attempts/run=a/attempts.parquet'),
      join(bucket, 'attempts/run=b/attempts.parquet'),
    ])
  })

  test('are none where an export does not have the table', async () => {
    using database = await openDuckDb()
    expect(await storedFiles(database.connection, bucket, 'words')).toEqual([])
  })

  test('that cannot be listed are an error with the address and where keys are read', async () => {
    using database = await openDuckDb()
    await expect(storedFiles(database.connection, 's3://bucket/tables', 'words')).rejects.toMatchObject({
      code: 'OBJECT_STORAGE_UNREADABLE',
      message: expect.stringContaining('s3://bucket/tables'),
      hint: expect.stringContaining('AWS_ACCESS_KEY_ID'),
    })
  })
})

describe('an address', () => {
  test('begins with s3, and a path does not', () => {
    expect(isAddress('s3://bucket/tables')).toBe(true)
    expect(isAddress('results/s3')).toBe(false)
  })

  test('loses the slash at its end', () => {
    expect(checkAddress('s3://bucket/tables//')).toBe('s3://bucket/tables')
    expect(checkAddress('s3://bucket')).toBe('s3://bucket')
  })

  test.each([
    's3://',
    's3:///tables',
    's3://key:secret@bucket',
    's3://bucket/tables?key=secret',
    's3://bucket#secret',
  ])('is refused as %s, and no secret is repeated', (name) => {
    expect(() => checkAddress(name)).toThrow(
      expect.objectContaining({
        code: 'OBJECT_STORAGE_UNREADABLE',
        message: expect.not.stringContaining('secret'),
      }),
    )
  })
})
