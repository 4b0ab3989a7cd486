import { readdirSync, readFileSync } from 'node:fs'

/** The living children of this process, or of another, that run a program of that name. Linux only. */
export function childrenRunning(name: string, parent: number = process.pid): number[] {
  return descendantsOf(parent).filter((pid) => read(`/proc/${pid}/cmdline`).includes(name))
}

/** All living processes below one, children and theirs. */
export function descendantsOf(parent: number): number[] {
  const children = threadsOf(parent).flatMap((thread) =>
    read(`/proc/${parent}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((pid) => [pid, ...descendantsOf(pid)])
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    // It has ended.
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended, or the kernel keeps no such list.
    return ''
  }
}
