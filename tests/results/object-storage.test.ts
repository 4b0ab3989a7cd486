import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkAddress, isAddress, openDuckDb, storedFiles } from '#results/query-runs'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'

/** A bucket as DuckDB lists it; without the extension it is a folder. */
let bucket: TemporaryFolder
beforeAll(async () => {
  const names = ['run=b/attempts.parquet', 'run=a/attempts.parquet', 'run=a/attempts.csv']
  bucket = await temporaryFolder(Object.fromEntries(names.map((name) => [`attempts/${name}`, ''])))
})
afterAll(() => bucket[Symbol.asyncDispose]())

describe('files of a table in object storage', () => {
  test('are those of all runs, in order, and of Parquet alone', async () => {
    using database = await openDuckDb()
    expect(await storedFiles(database.connection, bucket.path, 'attempts')).toEqual([
      join(bucket.path, 'attempts/run=a/attempts.parquet'),
      join(bucket.path, 'attempts/run=b/attempts.parquet'),
    ])
  })

  test('are none where an export does not have the table', async () => {
    using database = await openDuckDb()
    expect(await storedFiles(database.connection, bucket.path, 'words')).toEqual([])
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
