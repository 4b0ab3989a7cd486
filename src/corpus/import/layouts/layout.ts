import { open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { constants, gunzip } from 'node:zlib'
import type { Problem } from '#prelude'
import { asUtf8 } from '#prelude/utf16'
import { otherSpelling } from '../../check-audio.ts'
import { readTextFile, type TextLine } from '../../text-file.ts'
import type { SourceOptions, SourceRecording } from '../source.ts'

/** How a data set lies on disk. */
export interface Layout {
  /** As typed before a colon: `kaldi:data/test`. */
  readonly name: string
  readonly title: string
  /** What the layout is recognised by, for a person. */
  readonly mark: string
  /** BCP 47 tag of most data sets of this layout; one that the user names wins. Default: none. */
  readonly usualLanguage?: string
  /** @param path absolute; a file or a folder */
  matches(path: string): Promise<boolean>
  /** Reads texts and tables, opens no audio. Everything that is wrong goes to `tree.report`. */
  read(tree: Tree): Promise<readonly SourceRecording[]>
}

/** A source on disk, and the one way for a layout to read from it. */
export interface Tree {
  /** Absolute. */
  readonly root: string
  /** The root, or the folder of the file that it is. */
  readonly folder: string
  readonly options: SourceOptions
  /** As problems name a file of the tree. */
  shown(path: string): string
  report(problem: Problem): void
  /** The lines of a text file, gunzipped where its name ends in .gz; an unreadable file is reported. */
  lines(path: string): Promise<readonly TextLine[]>
  text(path: string): Promise<string>
  /**
   * The absolute path of audio that a table names; null where it is not allowed or not there, which is reported. A relative one
   * is looked for below --audio-root, the working directory and the folder of the table, in this order. Of several names, the
   * first that is there counts, and problems name the first.
   */
  find(named: string | readonly string[], folder: string, where: string): Promise<string | null>
  /** How to read it. */
  audio(
    named: string | readonly string[],
    folder: string,
    where: string,
  ): Promise<(() => Promise<Uint8Array>) | null>
}

const unzip = promisify(gunzip)
/** More text than this, unzipped, is made to exhaust memory. */
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
  const lines = async (path: string): Promise<readonly TextLine[]> => {
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
      const given = audioRoot === null ? 'not given' : audioRoot
      const hint = `it was looked for below --audio-root (${given}), the working directory (${cwd}) and ${folder}`
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
    lines,
    text: async (path) => (await lines(path)).map(({ text }) => text).join('\n'),
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
 * What is wrong with an absolute path, in words that follow its name; null where nothing is. A table of a foreign data set must not make this program read files elsewhere, also not through a link. */
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

/** The first characters of a file, by which its kind is known; gunzipped where its name ends in .gz, empty where it cannot be read. */
export async function readHead(path: string): Promise<string> {
  try {
    // A pipe would be waited for.
    if (!(await stat(path)).isFile()) return ''
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    const bytes = buffer.subarray(0, bytesRead)
    // The beginning of a stream has no end, which is no fault here.
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
 * What a folder holds, sorted; nothing where it cannot be read. Of the path of a file, what its folder holds, and its own name
 * alone.
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
