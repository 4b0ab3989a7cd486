/**
 * The GitHub Action: compares runs, or measures configs interleaved, shows the result in the summary of the job
 * and on the pull request, and ends with the exit code of the command. Its inputs are in the environment:
 * see `action.yml`.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeComment } from './pull-request-comment.ts'

const { env } = process
const program = join(import.meta.dirname, '../../src/cli/main.js')
const folder = await mkdtemp(join(env['RUNNER_TEMP'] ?? tmpdir(), 'transcribench-comment-'))
const markdownPath = join(folder, 'comment.md')

function linesOf(variable: string): readonly string[] {
  const lines = (env[variable] ?? '').split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

/** The first line finds the comment again: each use of the Action has its own, by an input, the job and its leg of a matrix. */
function keyed(markdown: string): string {
  const [key = '', job = '', matrix = ''] = [
    'TRANSCRIBENCH_COMMENT_KEY',
    'GITHUB_JOB',
    'TRANSCRIBENCH_MATRIX',
  ].map((variable) => env[variable])
  if (`${key}${job}${matrix}` === '') return markdown
  const readable = `${key} ${job}`
    .trim()
    .replaceAll(/[^\w .-]+/g, '-')
    .replaceAll(/-{2,}/g, '-')
  // Readable text may be that of two uses, and values of a matrix may be objects.
  const hash = createHash('sha256')
    .update(JSON.stringify([key, job, matrix]))
    .digest('hex')
    .slice(0, 12)
  return markdown.replace(/^(<!-- transcribench \w+) -->/, `$1 ${readable} ${hash} -->`)
}

const thresholds = linesOf('TRANSCRIBENCH_THRESHOLDS')
const configs = linesOf('TRANSCRIBENCH_EXPERIMENT')
const command =
  configs.length === 0
    ? ['compare', env['TRANSCRIBENCH_BASE'] ?? 'main', env['TRANSCRIBENCH_RUN'] ?? 'latest']
    : ['experiment', ...configs, '--budget', env['TRANSCRIBENCH_BUDGET'] ?? '20min']
const junit = env['TRANSCRIBENCH_JUNIT'] ?? ''
const child = spawn(
  process.execPath,
  [
    ...['--disable-warning=ExperimentalWarning', program, ...command],
    ...['--results', env['TRANSCRIBENCH_RESULTS'] ?? 'results', '--markdown', markdownPath],
    ...thresholds.flatMap((threshold) => ['--threshold', threshold]),
    ...(junit === '' ? [] : ['--junit', junit]),
    ...(env['TRANSCRIBENCH_FAIL_IF_WORSE'] === 'true' ? ['--fail-if-worse'] : []),
    ...(env['TRANSCRIBENCH_STRICT'] === 'true' ? ['--strict'] : []),
  ],
  { stdio: 'inherit' },
)
const [code] = (await once(child, 'close')) as [number | null]
const exitCode = code ?? 1

// What cannot be compared or measured has a file with the reasons; a command that cannot be read has none.
const markdown = await readFile(markdownPath, 'utf8').catch(() => null)
if (env['GITHUB_OUTPUT'] !== undefined) await appendFile(env['GITHUB_OUTPUT'], `exit-code=${exitCode}\n`)
if (markdown !== null && env['GITHUB_STEP_SUMMARY'] !== undefined) {
  await appendFile(env['GITHUB_STEP_SUMMARY'], markdown)
}

const pullRequest = env['TRANSCRIBENCH_PULL_REQUEST'] ?? ''
const [token, repository] = [env['GITHUB_TOKEN'] ?? '', env['GITHUB_REPOSITORY'] ?? '']
if (markdown !== null && env['TRANSCRIBENCH_COMMENT'] === 'true' && pullRequest !== '' && token !== '') {
  const api = env['GITHUB_API_URL'] ?? 'https://api.github.com'
  const written = await writeComment({ api, repository, pullRequest, token, markdown: keyed(markdown) })
  process.stdout.write(
    written.ok ? `comment ${written.what}\n` : `::warning::no comment was written: ${written.why}\n`,
  )
}
process.exitCode = exitCode
