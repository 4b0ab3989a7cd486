import { type ExecFileException, execFile } from 'node:child_process'
import { access, constants, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { knownHome } from '#installation'

export interface NpmCall {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Folder that npm runs in; a `.npmrc` there counts. */
  readonly directory: string
  readonly signal?: AbortSignal | undefined
}

const maxAnswerMs = 10 * 60_000
const run = promisify(execFile)

/**
 * Runs npm, because npm alone knows which registry, proxy and credentials this machine uses.
 *
 * @returns its stdout
 * @throws Error with the last lines that npm said
 */
export async function runNpm(args: readonly string[], call: NpmCall): Promise<string> {
  const isWindows = process.platform === 'win32'
  await using cache = await cacheFor(call)
  try {
    const { stdout } = await run(isWindows ? 'npm.cmd' : 'npm', args, {
      cwd: call.directory,
      env: {
        ...call.environment,
        ...cache.environment,
        npm_config_update_notifier: 'false',
        npm_config_loglevel: 'error',
      },
      // Windows starts .cmd files through the shell only; the arguments are checked names and versions.
      shell: isWindows,
      timeout: maxAnswerMs,
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    })
    return stdout
  } catch (error) {
    call.signal?.throwIfAborted()
    throw new Error(describeNpmFailure(error as ExecFileException), { cause: error })
  }
}

interface Cache extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>
}

/** npm keeps a cache in the home folder and does nothing without one; a system user has no home. */
async function cacheFor({ environment, directory }: NpmCall): Promise<Cache> {
  const home = knownHome(environment)
  const isSet = environment['npm_config_cache'] !== undefined
  if (
    process.platform === 'win32' ||
    isSet ||
    (home !== null && ((await isWritable(join(home, '.npm'))) || (await isWritable(home))))
  ) {
    return { environment: {}, [Symbol.asyncDispose]: async () => undefined }
  }
  const folder = await mkdtemp(join(directory, '.npm-cache-'))
  return {
    environment: { npm_config_cache: folder },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}

function describeNpmFailure(error: ExecFileException): string {
  if (error.code === 'ENOENT') return 'npm was not found; it comes with Node.js'
  if (error.killed === true) return `npm did not answer within ${maxAnswerMs / 60_000} minutes`
  const said = (error.stderr ?? '')
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('A complete log'))
  return `npm: ${said.slice(0, 3).join(' ') || error.message}`
}
