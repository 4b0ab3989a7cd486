import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The null server in a separate process, with a discovery file, and a folder that goes with it. */
export interface NullService extends AsyncDisposable {
  readonly port: number
  readonly folder: string
  readonly discoveryPath: string
}

/** @param delayMs how long a transcription is waited for */
export async function startNullService(delayMs = 0): Promise<NullService> {
  const program = fileURLToPath(import.meta.resolve('./client-null-server.ts'))
  const child = spawn(process.execPath, [program, String(delayMs)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-bench-'))
  const discoveryPath = join(folder, 'local-api.json')
  await writeFile(discoveryPath, JSON.stringify({ port, token: 'bench', pid: child.pid }), { mode: 0o600 })
  return {
    port,
    folder,
    discoveryPath,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
