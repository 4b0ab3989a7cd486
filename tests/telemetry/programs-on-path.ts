import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Programs in a folder in front of PATH. */
export interface ProgramsOnPath extends AsyncDisposable {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Shell scripts by the name of the program that they stand in for. */
export async function programsOnPath(scripts: Readonly<Record<string, string>>): Promise<ProgramsOnPath> {
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-programs-'))
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  return {
    folder,
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A script that prints these lines again and again. */
export function printing(lines: readonly string[], everySeconds = 0.05): string {
  return `while :; do cat <<'LINES'\n${lines.join('\n')}\nLINES\nsleep ${everySeconds}\ndone`
}
