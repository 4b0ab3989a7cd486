import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { failed, type Outcome, ownProgram, succeeded } from '#prelude'
import type { ModelToCheck } from './check-model-program.ts'

/** Loading the largest of these models takes half a minute from a slow disk. */
const longestCheckMs = 300_000

const program = ownProgram(import.meta.url, 'check-model-program')

/**
 * Loads a model and lets it hear a second of silence, in a process of its own: native code may end the process
 * over files that it does not like.
 *
 * @returns why it cannot be used, in the engine's words
 */
export function checkModel(
  model: ModelToCheck,
  signal?: AbortSignal,
): Promise<Outcome<void, { readonly reason: string }>> {
  const limit = AbortSignal.timeout(longestCheckMs)
  const stop = signal === undefined ? limit : AbortSignal.any([signal, limit])
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [...program.execArgv, fileURLToPath(program.url), JSON.stringify(model)],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        signal: stop,
        killSignal: 'SIGKILL',
      },
    )
    let words = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-4_000)
    })
    child.once('error', (error) => {
      resolve(failed({ reason: limit.aborted ? 'loading it took more than five minutes' : error.message }))
    })
    child.once('close', (code, killedBy) => {
      if (code === 0) return resolve(succeeded(undefined))
      const ending = killedBy === null ? `exit code ${code}` : `signal ${killedBy}`
      resolve(failed({ reason: lastWords(words) ?? `the engine ended with ${ending} without a word` }))
    })
  })
}

/** The engine's last complaint; what comes before it is mostly its configuration. */
function lastWords(text: string): string | null {
  const line = text
    .split('\n')
    .map((words) => words.trim())
    .findLast((words) => words !== '')
  // sherpa-onnx begins with the place in its own sources.
  return line?.replace(/^\S+\.(?:cc|h):\S+:\d+\s+/, '') ?? null
}
