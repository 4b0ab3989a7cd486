import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Problem } from '#prelude'
import { readTextFile, type TextLine } from '../../texts/text-file.ts'
import type { SourceOptions, SourceRecording } from '../source.ts'

/** How a data set lies on disk. */
export interface Layout {
  /** As typed before a colon: `kaldi:data/test`. */
  readonly name: string
  readonly title: string
  /** What the layout is recognised by, for a person. */
  readonly mark: string
  /** Fixed by the data set, or null. */
  readonly licence: string | null
  readonly language: string | null
  /** @param path absolute; a file or a folder */
  matches(path: string): Promise<boolean>
  /** Reads texts and tables, opens no audio. Everything that is wrong goes to `tree.report`. */
  read(tree: Tree): Promise<readonly SourceRecording[]>
}

/** A source on disk, and the one way for a layout to read from it. */
export interface Tree {
  /** Absolute. */
  readonly root: string
  readonly options: SourceOptions
  /** As problems name a file of the tree. */
  shown(path: string): string
  report(problem: Problem): void
  /** The lines of a text file, gunzipped where its name ends in .gz; an unreadable file is reported. */
  lines(path: string): Promise<readonly TextLine[]>
  /** The audio at a path that a table names; null where it is not allowed or not there, which is reported. */
  audio(named: string, folder: string, where: string): Promise<(() => Promise<Uint8Array>) | null>
}

const unzip = promisify(gunzip)
/** More text than this, unzipped, is made to exhaust memory. */
const maxTextBytes = 2 ** 30

export function openTree(root: string, options: SourceOptions, report: (problem: Problem) => void): Tree {
  const shown = (path: string): string => relative(root, path).split(sep).join('/') || basename(root)
  const allowed = options.audioRoot === null ? [root] : [root, options.audioRoot]
  return {
    root,
    options,
    shown,
    report,
    async lines(path) {
      try {
        const bytes = path.endsWith('.gz')
          ? await unzip(await readFile(path), { maxOutputLength: maxTextBytes })
          : await readFile(path)
        const { lines, problems } = await readTextFile(bytes, shown(path))
        problems.forEach(report)
        return lines
      } catch (error) {
        report({ where: shown(path), what: textFault(error as NodeJS.ErrnoException) })
        return []
      }
    },
    async audio(named, folder, where) {
      const path = isAbsolute(named) ? named : resolve(folder, named)
      const problem = await pathFault(path, named, allowed)
      if (problem !== null) {
        report({ where, ...problem })
        return null
      }
      return () => readFile(path)
    },
  }
}

function textFault({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'is missing'
  if (code === 'ERR_BUFFER_TOO_LARGE') return `unpacks to more than ${maxTextBytes / 2 ** 30} GiB`
  return `cannot be read: ${message}`
}

/** A table of a foreign data set must not make this program read files elsewhere, also not through a link. */
async function pathFault(
  path: string,
  named: string,
  allowed: readonly string[],
): Promise<Omit<Problem, 'where'> | null> {
  const outside = {
    what: `names ${named}, which is outside of the folder of the source`,
    hint: 'where that is meant, name the folder that holds the audio: --audio-root <folder>',
  }
  const isInside = (inner: string, outer: string): boolean => {
    const steps = relative(outer, inner)
    return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps)
  }
  if (!allowed.some((root) => isInside(path, root))) return outside
  const found = await stat(path).catch(() => null)
  if (found === null) return { what: `${named} is missing` }
  if (!found.isFile()) return { what: `${named} is not a file` }
  const real = await realpath(path)
  const roots = await Promise.all(allowed.map((root) => realpath(root)))
  return roots.some((root) => isInside(real, root)) ? null : outside
}

/** The name of a file without folder and extension. */
export function stemOf(path: string): string {
  return basename(path, extname(path))
}

/** Whether there is a file or folder. */
export async function exists(...path: readonly string[]): Promise<boolean> {
  return (await stat(join(...path)).catch(() => null)) !== null
}
