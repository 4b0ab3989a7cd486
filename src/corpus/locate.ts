import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dataDirectory } from '#installation/installation'
import { nearest, shellWord } from '#prelude'
import { corpusErrors } from './errors.ts'

/** Environment in which corpora are looked up. */
export interface CorpusEnvironment {
  /** Names the data directory, and the npm registry for fetching. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder for names and relative paths. Default: the working directory. */
  readonly cwd?: string
}

/** Where a corpus was found: by name on one of the shelves, or by its path. */
type Place = 'working' | 'data' | 'shipped' | 'path'

export interface CorpusLocation {
  readonly name: string
  /** The name or path as it was typed, quoted for a shell, because a corpus at a path is not found by its name. */
  readonly argument: string
  /** Absolute path. */
  readonly manifestPath: string
  readonly place: Place
}

/** File names of manifests, in order of precedence within a folder. */
const manifestNames = ['manifest.jsonl', 'manifest.json', 'manifest.csv', 'manifest.tsv']
const manifestExtensions = ['.jsonl', '.ndjson', '.json', '.csv', '.tsv']

export function dataShelf(env: CorpusEnvironment['env']): string {
  return join(dataDirectory(env), 'corpora')
}

/** Folder of the corpora in the package, next to both `src` and `dist`. */
export function shippedShelf(): string {
  return fileURLToPath(new URL('../../corpora', import.meta.url))
}

/**
 * The path of a manifest from a folder. Undefined for a corpus that its name finds from any folder, because the path would
 * show folders of this machine.
 */
export function manifestFrom(
  folder: string,
  manifestPath: string,
  env: CorpusEnvironment['env'],
): string | undefined {
  const isNamed = [dataShelf(env), shippedShelf()].includes(dirname(dirname(manifestPath)))
  return isNamed ? undefined : relative(folder, manifestPath)
}

function shelves({ env, cwd = process.cwd() }: CorpusEnvironment) {
  return [
    { place: 'working', folder: join(cwd, 'corpora') },
    { place: 'data', folder: dataShelf(env) },
    { place: 'shipped', folder: shippedShelf() },
  ] as const
}

/**
 * Finds the manifest of a name or path.
 *
 * @throws BenchError CORPUS_UNKNOWN, with the known names
 */
export async function locateCorpus(
  nameOrPath: string,
  environment: CorpusEnvironment,
): Promise<CorpusLocation> {
  const isPath = /[\\/]/.test(nameOrPath) || manifestExtensions.includes(extname(nameOrPath).toLowerCase())
  if (isPath || nameOrPath === '' || nameOrPath.startsWith('.'))
    return await locatePath(nameOrPath, environment)
  for (const { place, folder } of shelves(environment)) {
    const manifestPath = await findManifest(join(folder, nameOrPath))
    if (manifestPath !== null)
      return { name: nameOrPath, argument: shellWord(nameOrPath), manifestPath, place }
  }
  const { cwd = process.cwd() } = environment
  const found = await stat(resolve(cwd, nameOrPath)).catch(() => null)
  if (found !== null) throw pathWithoutFolder(nameOrPath, found.isDirectory())
  const corpora = await listCorpora(environment)
  const meant = nearest(nameOrPath, corpora)
  const folders = [...new Set(shelves(environment).map(({ folder }) => folder))]
  throw corpusErrors.make('CORPUS_UNKNOWN', {
    message: `there is no corpus named "${nameOrPath}"${meant === null ? '' : `; did you mean "${meant}"?`}`,
    hint:
      `known here: ${corpora.join(', ') || 'none'} (looked in ${folders.join(', ')}). ` +
      'A corpus of your own is named by its path: --corpus ./my-corpus/manifest.jsonl',
  })
}

/** Reports a path that was read as a name: without a slash or a manifest's extension, a word is a name. */
function pathWithoutFolder(name: string, isFolder: boolean): Error {
  return corpusErrors.make('CORPUS_UNKNOWN', {
    message: isFolder
      ? `"${name}" is a folder and no corpus by its name`
      : `"${name}" is a file and no manifest by its name, which ends in ${manifestExtensions.join(', ')}`,
    hint: `if it is meant all the same, name it with its folder: ./${name}`,
  })
}

async function locatePath(path: string, { cwd = process.cwd() }: CorpusEnvironment): Promise<CorpusLocation> {
  const absolute = resolve(cwd, path)
  const found = await stat(absolute).catch(() => null)
  const manifestPath = found?.isDirectory() === true ? await findManifest(absolute) : found && absolute
  if (manifestPath !== null) {
    const isUsual = manifestNames.includes(basename(manifestPath))
    const name = isUsual ? basename(dirname(manifestPath)) : basename(manifestPath, extname(manifestPath))
    return { name, argument: shellWord(path), manifestPath, place: 'path' }
  }
  throw corpusErrors.make('CORPUS_UNKNOWN', {
    message:
      found === null ? `there is no manifest at ${absolute}` : `the folder ${absolute} has no manifest in it`,
    hint:
      found === null
        ? `a manifest is a file such as ${manifestNames[0]}, with one utterance a line; look at one: transcribench corpus show quick`
        : `make one of the recordings in it: transcribench corpus import ${shellWord(path)}`,
  })
}

async function findManifest(folder: string): Promise<string | null> {
  for (const name of manifestNames) {
    const path = join(folder, name)
    if ((await stat(path).catch(() => null))?.isFile() === true) return path
  }
  return null
}

/**
 * Names that `readCorpus` finds: in `./corpora`, in the data directory, and among the corpora of
 * transcribench.
 *
 * @returns distinct names, sorted
 */
export async function listCorpora(environment: CorpusEnvironment): Promise<readonly string[]> {
  const names = new Set<string>()
  for (const { folder } of shelves(environment)) {
    // A missing shelf has no corpora.
    for (const entry of await readdir(folder).catch(() => [])) {
      if ((await findManifest(join(folder, entry))) !== null) names.add(entry)
    }
  }
  return [...names].sort()
}
