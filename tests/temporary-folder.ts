import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder that is gone when its scope ends. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
  /** Writes a file, with its folders, and returns its absolute path. */
  write(name: string, content: string | Uint8Array): Promise<string>
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'transcribench-test-'))
  return {
    path,
    write: async (name, content) => {
      const file = join(path, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
      return file
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
