/** Reads the files of src with what each imports, types included. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export interface SourceFile {
  /** From `src`. */
  readonly path: string
  /** Without comments. */
  readonly code: string
  readonly lineCount: number
  /** As written: `./level.ts`, `#scoring`, `node:path`. */
  readonly imports: readonly string[]
}

/** Every TypeScript file of src. */
export function readSources(): SourceFile[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(root, 'src', path), 'utf8')
      const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
      const imports = [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(
        (match) => match[1] ?? '',
      )
      return { path, code, lineCount: text.split('\n').length - 1, imports }
    })
}

/** Which files of src each file imports; `#run/measure` is `src/run/measure.ts`, but for the names that package.json lists. */
export function importGraph(files: readonly SourceFile[]): Map<string, readonly string[]> {
  const { imports: entryPoints }: { readonly imports: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const paths = new Set(files.map(({ path }) => path))
  const reached = (path: string, target: string): string =>
    target.startsWith('.')
      ? join(path, '..', target)
      : (entryPoints[target]?.replace('./src/', '') ?? `${target.slice(1)}.ts`)
  return new Map(
    files.map(({ path, imports }) => [
      path,
      imports.map((target) => reached(path, target)).filter((target) => paths.has(target)),
    ]),
  )
}
