import { expect, test } from 'vitest'
import { inTransaction, openDatabase } from '../../src/service/folder/database.ts'
import { temporaryFolder } from '../temporary-folder.ts'

test('a write that does not fit on the disk fails with the words of the disk, and the next one works', async () => {
  await using folder = await temporaryFolder()
  const database = await openDatabase(folder.path)
  try {
    const insert = database.prepare('INSERT INTO unfinished_sounds (file_name) VALUES (?)')
    // What SQLite answers for a full disk, it answers for a full file as well.
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count'])
    database.exec(`PRAGMA max_page_count = ${pages}`)
    expect(() =>
      inTransaction(database, () => {
        for (let index = 0; index < 100; index += 1) insert.run(`${index}${'x'.repeat(1_000)}`)
      }),
    ).toThrow('database or disk is full')
    expect(database.isTransaction).toBe(false)
    inTransaction(database, () => insert.run('small'))
    expect(database.prepare('SELECT count(*) AS count FROM unfinished_sounds').get()).toEqual({ count: 1 })
  } finally {
    database.close()
  }
})
