import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder that is gone when its scope ends. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
  /** Writes a file, with its folders, and returns its absolute path. */
  write(name: string, content: string | Uint8Array): Promise<string>
}

/** @param files that it holds at first, by their names */
export async function temporaryFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'transcribench-test-'))
  const write = async (name: string, content: string | Uint8Array): Promise<string> => {
    const file = join(path, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
    return file
  }
  for (const [name, content] of Object.entries(files)) await write(name, content)
  return {
    path,
    write,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
