import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evaluateRun } from '#analysis/evaluate-run'
import { readRun } from '#journal/run-reader'
import { runPageHtml } from '#results/run-page-file'

/** The report of the quick run that the documentation shows, and the frozen run that it is made from. */
export const exampleReport = 'docs/example/report.html'
const frozenRun = 'docs/example/run'

/** The page as this program makes it from the frozen run. */
export async function makeExampleReport(root: string): Promise<string> {
  const run = await readRun(join(root, frozenRun))
  return await runPageHtml(run, evaluateRun(run), { path: join(root, exampleReport), env: {}, audio: 'none' })
}

/**
 * A page without the parts that change with every change of the program: the bundled script and style, and the
 * policy that holds their hashes. What is left is the skeleton and all data.
 */
export function withoutProgram(html: string): string {
  return html
    .replace(/<style>[\s\S]*?<\/style>/, '<style></style>')
    .replace(/<script>[\s\S]*?<\/script>/, '<script></script>')
    .replace(/'sha256-[^']*'/g, "'sha256-'")
}

/** The page that is to be written: null where the present one shows the same. */
export async function renewedExample(root: string): Promise<string | null> {
  const made = await makeExampleReport(root)
  const path = join(root, exampleReport)
  if (!existsSync(path)) return made
  return withoutProgram(readFileSync(path, 'utf8')) === withoutProgram(made) ? null : made
}
