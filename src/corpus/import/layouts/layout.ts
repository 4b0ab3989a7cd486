import { open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { constants, gunzip } from 'node:zlib'
import type { Problem } from '#prelude'
import { asUtf8 } from '#prelude/utf16'
import { otherSpelling } from '../../check-audio.ts'
import { readTextFile, type TextLine } from '../../text-file.ts'
import type { SourceOptions, SourceRecording } from '../source.ts'

/** A layout of data sets on disk. */
export interface Layout {
  /** Prefix before a colon, as typed: `kaldi:data/test`. */
  readonly name: string
  readonly title: string
  /** Description for the user of the files that identify the layout. */
  readonly mark: string
  /** BCP 47 tag of most data sets with this layout; the user's choice takes precedence. Default: none. */
  readonly usualLanguage?: string
  /** @param path absolute path of a file or folder */
  matches(path: string): Promise<boolean>
  /** Reads texts and tables, opens no audio, and reports all problems to `tree.report`. */
  read(tree: Tree): Promise<readonly SourceRecording[]>
}

/** A source on disk, through which a layout reads all files. */
export interface Tree {
  /** Absolute path. */
  readonly root: string
  /** The root, or its folder if the root is a file. */
  readonly folder: string
  readonly options: SourceOptions
  /** Name of a file of the tree in problems. */
  shown(path: string): string
  report(problem: Problem): void
  /** The lines of a text file, decompressed if its name ends in .gz; an unreadable file is reported. */
  lines(path: string): Promise<readonly TextLine[]>
  /** A whole text; null, with a report, where a part of it cannot be read. */
  text(path: string): Promise<string | null>
  /**
   * The absolute path of audio that a table names; null, with a report, where it is missing or not allowed. A
   * relative path is searched below --audio-root, the working directory and the table's folder, in this
   * order. Of several names the first existing one is used; problems show the first name.
   */
  find(named: string | readonly string[], folder: string, where: string): Promise<string | null>
  /** Finds audio like `find`, and returns a function that reads it. */
  audio(
    named: string | readonly string[],
    folder: string,
    where: string,
  ): Promise<(() => Promise<Uint8Array>) | null>
}

const unzip = promisify(gunzip)
/** Maximum size of a decompressed text, to bound memory. */
const maxTextBytes = 2 ** 30

export async function openTree(
  root: string,
  cwd: string,
  options: SourceOptions,
  report: (problem: Problem) => void,
): Promise<Tree> {
  const top = (await stat(root)).isFile() ? dirname(root) : root
  const shown = (path: string): string => relative(top, path).split(sep).join('/') || basename(top)
  const { audioRoot } = options
  const read = async (path: string): Promise<{ lines: readonly TextLine[]; isWhole: boolean }> => {
    try {
      const bytes = path.endsWith('.gz')
        ? await unzip(await readFile(path), { maxOutputLength: maxTextBytes })
        : await readFile(path)
      const { lines, problems } = await readTextFile(bytes, shown(path))
      problems.forEach(report)
      return { lines, isWhole: problems.length === 0 }
    } catch (error) {
      report({ where: shown(path), what: textFault(error as NodeJS.ErrnoException) })
      return { lines: [], isWhole: false }
    }
  }
  const find: Tree['find'] = async (names, folder, where) => {
    const [named = '', ...others] = [names].flat()
    const bases = isAbsolute(named) ? [folder] : [audioRoot, cwd, folder].filter((base) => base !== null)
    const faults: string[] = []
    for (const base of bases) {
      const path = resolve(base, named)
      const allowed = [top, base, ...(audioRoot === null ? [] : [audioRoot])]
      const fault = await pathFault(path, allowed)
      if (fault === null) return path
      faults.push(fault)
      for (const other of others) {
        const path = resolve(base, other)
        if ((await pathFault(path, allowed)) === null) return path
      }
    }
    const name = isAbsolute(named) && !faults.includes(isOutside) ? shown(named) : named
    const fault = faults.find((each) => !each.startsWith(isMissing)) ?? (faults.at(-1) as string)
    if (fault === isOutside) report({ where, what: `names ${name}, ${isOutside}`, hint: rootHint })
    else if (isAbsolute(named)) report({ where, what: `${name} ${fault}` })
    else {
      const shownRoot = audioRoot === null ? 'not given' : audioRoot
      const hint = `it was looked for below --audio-root (${shownRoot}), the working directory (${cwd}) and ${folder}`
      report({ where, what: `${name} ${fault}`, hint })
    }
    return null
  }
  return {
    root,
    folder: top,
    options,
    shown,
    report,
    lines: async (path) => (await read(path)).lines,
    async text(path) {
      const { lines, isWhole } = await read(path)
      return isWhole ? lines.map(({ text }) => text).join('\n') : null
    },
    find,
    async audio(names, folder, where) {
      const path = await find(names, folder, where)
      return path === null ? null : () => readFile(path)
    },
  }
}

const isMissing = 'is missing'
const isOutside = 'which is outside of the folder of the source'
const rootHint = 'where that is meant, name the folder that holds the audio: --audio-root <folder>'

function textFault({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'is missing'
  if (code === 'ERR_BUFFER_TOO_LARGE') return `unpacks to more than ${maxTextBytes / 2 ** 30} GiB`
  return `cannot be read: ${message}`
}

/**
 * The fault of a path, to follow its name; null for an allowed file. An untrusted table must not make this
 * program read other files, not even through links.
 */
export async function pathFault(path: string, allowed: readonly string[]): Promise<string | null> {
  const isInside = (inner: string, outer: string): boolean => {
    const steps = relative(outer, inner)
    return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps)
  }
  if (!allowed.some((root) => isInside(path, root))) return isOutside
  const found = await stat(path).catch(() => null)
  if (found === null) return `${isMissing}${await otherSpelling(path)}`
  if (!found.isFile()) return 'is not a file'
  const real = await realpath(path)
  const roots = await Promise.all(allowed.map((root) => realpath(root)))
  return roots.some((root) => isInside(real, root)) ? null : isOutside
}

/** The first characters of a file, which show its format; decompressed for .gz, and empty where it cannot be read. */
export async function readHead(path: string): Promise<string> {
  try {
    // Reading a pipe could block.
    if (!(await stat(path)).isFile()) return ''
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    const bytes = buffer.subarray(0, bytesRead)
    // The partial flush accepts a truncated stream, because only the beginning is read.
    const plain = path.endsWith('.gz')
      ? await unzip(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxHeadBytes })
      : bytes
    return Buffer.from(asUtf8(plain)).toString('utf8')
  } catch {
    return ''
  }
}

const headBytes = 65_536
const maxHeadBytes = 2 ** 26

/**
 * The sorted names in a folder, or none where it cannot be read. For a file: the names in its folder, and its
 * own name in `only`.
 */
export async function namesAt(
  path: string,
): Promise<{ readonly folder: string; readonly names: readonly string[]; readonly only: [string] | null }> {
  const isFile = (await stat(path).catch(() => null))?.isFile() === true
  const folder = isFile ? dirname(path) : path
  const names = (await readdir(folder).catch(() => [])).sort()
  return { folder, names, only: isFile ? [basename(path)] : null }
}

/** The name of a file without folder and extension. */
export function cutEnding(path: string): string {
  return basename(path, extname(path))
}
