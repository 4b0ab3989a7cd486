import { access, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { Plugin } from 'esbuild'
import type { Evaluation } from '#analysis/documents/evaluation'
import { findMimeType } from '#audio/format'
import { packageFolder } from '#installation/installation'
import type { PlannedUtterance } from '#journal/plan-line'
import type { RecordedRun } from '#journal/run-reader'
import { type RunRecord, readCorpusName } from '#journal/run-record'
import { htmlPage, type PageAssets } from '#reports/html-page'
import { runPage } from '#reports/run/run-page'
import { languages } from '#scoring/profiles/languages/all'
import { resultsErrors } from './errors.ts'

export interface RunPageOptions {
  /** Path of the page to write, from which recordings are addressed. */
  readonly path: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** `linked` plays recordings in place; `embeddedBytes` embeds them up to that size. Default: `linked`. */
  readonly audio?: 'linked' | 'none' | { readonly embeddedBytes: number }
  /** Whether to include references and hypotheses. Default: true. */
  readonly hasTexts?: boolean
  /** Address of the list of runs that the page belongs to; default: none. */
  readonly library?: string
}

/**
 * The page of a run as one HTML file.
 *
 * @throws BenchError PAGE_TOO_LARGE
 */
export async function runPageHtml(
  run: RecordedRun,
  evaluation: Evaluation,
  options: RunPageOptions,
): Promise<string> {
  const addresses = await listAddresses(run, options)
  const { document, rows } = runPage(evaluation, run, {
    hasTexts: options.hasTexts ?? true,
    audioOf: ({ id }) => addresses.get(id) ?? null,
  })
  const { library } = options
  const listed = library === undefined ? document : { ...document, library }
  return htmlPage(listed, await pageAssets(), rows)
}

async function listAddresses(
  { record, utterances }: RecordedRun,
  { path, env, audio = 'linked' }: RunPageOptions,
): Promise<ReadonlyMap<string, string>> {
  if (audio === 'none') return new Map()
  const recordings = await findRecordings(record, utterances, env)
  if (audio !== 'linked') return embedRecordings(recordings, audio.embeddedBytes)
  const folder = dirname(resolve(path))
  return new Map([...recordings].map(([id, file]) => [id, addressFrom(folder, file)]))
}

/** Absolute paths of a run's recordings that still exist, by the id of the utterance. */
export type Recordings = ReadonlyMap<string, string>

/** Finds the recordings of a run in its current corpus. A run outlives its corpus, so missing ones are omitted. */
export async function findRecordings(
  record: RunRecord,
  utterances: readonly PlannedUtterance[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Recordings> {
  const name = readCorpusName(record)
  if (name === null) return new Map()
  // Only a page plays recordings, so the module is not loaded for figures and comparisons.
  const { readCorpus } = await import('#corpus/read-corpus')
  // An unreadable corpus counts as missing, because the figures do not need it.
  const corpus = await readCorpus(name, { env }).catch(() => null)
  if (corpus === null) return new Map()
  const folder = dirname(corpus.manifestPath)
  const found = await Promise.all(
    utterances.map(async ({ id, audio }) => {
      const path = resolve(folder, audio)
      return access(path).then(
        () => [[id, path] as const],
        () => [],
      )
    }),
  )
  return new Map(found.flat())
}

/** The address of a file relative to the folder of a page. */
function addressFrom(folder: string, path: string): string {
  const relativePath = relative(folder, path)
  // There is no relative path to another drive.
  if (isAbsolute(relativePath)) return pathToFileURL(path).href
  return relativePath.split(sep).map(encodeURIComponent).join('/')
}

/**
 * Recordings as data URLs.
 *
 * @throws BenchError PAGE_TOO_LARGE if together they exceed the allowed size
 */
async function embedRecordings(
  recordings: Recordings,
  limitBytes: number,
): Promise<ReadonlyMap<string, string>> {
  const sizes = await Promise.all([...recordings.values()].map(async (path) => (await stat(path)).size))
  const allBytes = sizes.reduce((sum, size) => sum + size, 0)
  if (allBytes > limitBytes) {
    throw resultsErrors.make('PAGE_TOO_LARGE', {
      message: `the ${recordings.size} recordings are ${megabytes(allBytes)} MB, more than the ${megabytes(limitBytes)} MB that a page may carry`,
      hint: `allow more with --embed-audio ${Math.ceil(allBytes / 1e6)}, or do not embed them: without --embed-audio the page plays them from where they are`,
    })
  }
  const embedded = new Map<string, string>()
  for (const [id, path] of recordings) {
    const bytes = await readFile(path)
    embedded.set(id, `data:${findMimeType(path)};base64,${bytes.toString('base64')}`)
  }
  return embedded
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}

/** Paths of the built page relative to the package's root. */
export const builtPage: Readonly<Record<keyof PageAssets, string>> = {
  script: 'dist/page/page.js',
  style: 'dist/page/page.css',
}

/**
 * Script and style of the report page. The package contains them built. A checkout bundles them again whenever their
 * sources have changed, so that they are never stale.
 */
export function pageAssets(): Promise<PageAssets> {
  return import.meta.filename.endsWith('.ts') ? bundlePage() : readBuiltPage()
}

async function readBuiltPage(): Promise<PageAssets> {
  const [script, style] = await Promise.all(
    [builtPage.script, builtPage.style].map((path) => readFile(join(packageFolder, path), 'utf8')),
  )
  return { script: script ?? '', style: style ?? '' }
}

interface Bundle {
  /** Size and modification time of each source file. */
  readonly inputs: Readonly<Record<string, string>>
  readonly assets: PageAssets
}

const keptBundle = join(packageFolder, 'node_modules/.cache/report-page.json')

/** Bundles the page from its sources, or uses the last bundle if none of them has changed. */
export async function bundlePage(): Promise<PageAssets> {
  const bundled = await readKept().catch(() => null)
  if (bundled !== null) return bundled
  const { paths, assets } = await buildPage()
  const bundle: Bundle = { inputs: await readStates(paths), assets }
  // If the checkout is read-only, the page is bundled again next time.
  await mkdir(dirname(keptBundle), { recursive: true })
    .then(() => writeFile(keptBundle, JSON.stringify(bundle)))
    .catch(() => undefined)
  return assets
}

async function readKept(): Promise<PageAssets | null> {
  const { inputs, assets }: Bundle = JSON.parse(await readFile(keptBundle, 'utf8'))
  return isDeepStrictEqual(inputs, await readStates(Object.keys(inputs))) ? assets : null
}

async function readStates(paths: readonly string[]): Promise<Bundle['inputs']> {
  const states = paths.map(async (path) => {
    const { size, mtimeMs } = await stat(join(packageFolder, path))
    return [path, `${size} bytes of ${mtimeMs}`] as const
  })
  return Object.fromEntries(await Promise.all(states))
}

async function buildPage(): Promise<{ readonly paths: readonly string[]; readonly assets: PageAssets }> {
  // esbuild is a dev dependency, which is available because only a checkout calls this.
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: packageFolder,
    entryPoints: ['src/page/main.tsx', 'src/page/page.css'],
    outdir: 'dist',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    tsconfig: 'src/page/tsconfig.json',
    legalComments: 'none',
    charset: 'utf8',
    plugins: [withLanguages],
  })
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return {
    paths: ['package.json', ...languages.map(({ path }) => path), ...Object.keys(metafile.inputs)],
    assets: { script: textOf('.js').trimEnd(), style: textOf('.css').trimEnd() },
  }
}

/** A browser reads no files, so the module that reads a language is replaced by one that contains them all. */
export const withLanguages: Plugin = {
  name: 'languages',
  setup({ onLoad }) {
    onLoad({ filter: /languages[\\/]read-language\.ts$/ }, () => ({
      contents: bundledLanguages(),
      loader: 'js',
    }))
  },
}

/** The source of that module. Number words are half of it, so they are passed as a compact call. */
export function bundledLanguages(): string {
  const files = JSON.stringify(Object.fromEntries(languages.map(({ name, file }) => [name, file()])))
  const shorter = files.replace(/\{"value":("\d+"),"words":\[([^\]]+)\]\}/g, 'n($1,$2)')
  return `const n = (value, ...words) => ({ value, words })
const files = ${shorter}
export const readLanguage = (name) => files[name]
`
}
