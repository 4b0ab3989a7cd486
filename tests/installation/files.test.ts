import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isLocked, lockFile, writeAt } from '#installation/files'
import { temporaryFolder } from '../temporary-folder.ts'

test('bytes are written to their end, where the system takes a part of them at a time, and refused where it takes none', async () => {
  const written = Buffer.alloc(12, '.')
  let room = 9
  const file = {
    async write(bytes: Uint8Array, from: number, length: number, position: number) {
      const bytesWritten = Math.min(length, 3, room)
      if (bytesWritten === 0) throw new Error('ENOSPC')
      room -= bytesWritten
      written.set(bytes.subarray(from, from + bytesWritten), position)
      return { bytesWritten, buffer: bytes }
    },
  } as unknown as Parameters<typeof writeAt>[0]
  await writeAt(file, Buffer.from('abcdefgh'), 2)
  expect(written.toString()).toBe('..abcdefgh..')
  await expect(writeAt(file, Buffer.from('ij'), 10)).rejects.toThrow('ENOSPC')
})

test('a locked file is locked once, and free when its lock is released', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'a.lock')
  expect(await isLocked(path)).toBe(false)
  const lock = await lockFile(path)
  expect([await isLocked(path), await lockFile(path)]).toEqual([true, null])
  lock?.[Symbol.dispose]()
  expect(await isLocked(path)).toBe(false)
  using again = await lockFile(path)
  expect(again).not.toBeNull()
})
