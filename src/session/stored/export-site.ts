import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { evaluateRun } from '#analysis'
import { listRuns, readRun } from '#journal'
import { BenchError, type Problem } from '#prelude'
import { htmlPage } from '#reports'
import { folderUnwritable } from '../export/folder-unwritable.ts'
import { pageAssets } from './page-assets.ts'
import { readLibrary } from './read-library.ts'
import { runPageHtml } from './run-page.ts'
import { storedScoring } from './score-run.ts'
import { documentHtml, readCapacity } from './stored-document.ts'

export interface SiteOptions {
  /** Absolute path; made where it is missing. */
  readonly output: string
  /** Whether to include references and hypotheses. */
  readonly hasTexts: boolean
}

export interface ExportedSite {
  /** Absolute path of its first page. */
  readonly index: string
  /** Runs with a page. */
  readonly runCount: number
  /** Runs that are listed without a page, with the reason. */
  readonly unreadable: readonly Problem[]
}

const runFolder = 'runs'

/**
 * Writes the library of runs as pages that any web server can show: the list with trends, and a page for each run. A page
 * holds no recordings and loads nothing.
 *
 * @throws BenchError EXPORT_UNWRITABLE
 */
export async function exportSite(results: string, { output, hasTexts }: SiteOptions): Promise<ExportedSite> {
  const addresses = new Map<string, string>()
  const unreadable: Problem[] = []
  try {
    await mkdir(join(output, runFolder), { recursive: true })
    for (const folder of await listRuns(results)) {
      const id = basename(folder)
      const html = await pageOf(folder, hasTexts)
      if (html instanceof BenchError) unreadable.push({ where: id, what: html.message })
      else {
        const address = `${runFolder}/${id}.html`
        await writeFile(join(output, address), html)
        addresses.set(id, address)
      }
    }
    const addressOf = (id: string): string | null => {
      const address = addresses.get(id)
      return address === undefined ? null : address.split('/').map(encodeURIComponent).join('/')
    }
    const library = await readLibrary(results, { addressOf, canCompare: false })
    const index = join(output, 'index.html')
    await writeFile(index, htmlPage(library, await pageAssets()))
    return { index, runCount: addresses.size, unreadable }
  } catch (error) {
    throw folderUnwritable(output, error)
  }
}

/** A run that cannot be read is no reason to leave out the others. */
async function pageOf(folder: string, hasTexts: boolean): Promise<string | BenchError> {
  try {
    const finding = await readCapacity(folder)
    if (finding !== null) return await documentHtml({ kind: 'capacity', finding })
    const run = await readRun(folder)
    const options = { path: folder, env: {}, audio: 'none', hasTexts, library: '../index.html' } as const
    return await runPageHtml(run, evaluateRun(run, await storedScoring(folder)), options)
  } catch (error) {
    if (error instanceof BenchError) return error
    throw error
  }
}
