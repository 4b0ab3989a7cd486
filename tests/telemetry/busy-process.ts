import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A process that keeps one processor busy, under a name that a careless reader of /proc trips over. */
export async function startBusyProcess(): Promise<AsyncDisposable & { readonly pid: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-telemetry-'))
  const program = join(folder, 'a ) b c d e (')
  // A shell, since Node renames its process.
  await symlink('/bin/sh', program)
  const child = spawn(program, ['-c', 'echo busy; while :; do :; done'], {
    argv0: 'sh',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return {
    pid: child.pid ?? Number.NaN,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

/** A shell that waits for its child, which keeps one processor busy. */
export async function startParentOfBusy(): Promise<AsyncDisposable & { readonly pid: number }> {
  const parent = spawn('/bin/sh', ['-c', 'sh -c "echo busy; while :; do :; done" & wait'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const pid = parent.pid ?? Number.NaN
  await once(parent.stdout, 'data')
  return {
    pid,
    async [Symbol.asyncDispose]() {
      const ended = once(parent, 'exit')
      process.kill(-pid, 'SIGKILL')
      await ended
    },
  }
}
