import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseThreshold } from '#analysis'
import { type ConfigFile, type ResolvedConfig, readConfig, resolveConfig } from '#config'
import { cliErrors } from './errors.ts'
import type { World } from './world.ts'

/**
 * Puts defaults, the config file, the environment and the flags together.
 *
 * @param path as typed; undefined for a run without a config
 * @throws BenchError CONFIG_INVALID with every problem, FILE_UNREADABLE
 */
export async function loadConfig(
  world: World,
  path: string | undefined,
  flags: Readonly<Record<string, unknown>>,
): Promise<ResolvedConfig> {
  const file = path === undefined ? null : await readFileOf(world, path)
  return resolveConfig({ file, flags, env: world.env, checkThreshold })
}

async function readFileOf(world: World, path: string): Promise<ConfigFile> {
  const text = await readFile(resolve(world.cwd, path), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw cliErrors.make('FILE_UNREADABLE', {
      message: `the config ${path} cannot be read (${cause.code})`,
      hint: 'write one to start from: asrbench init',
      cause,
    })
  })
  return readConfig(text, path, checkThreshold)
}

function checkThreshold(text: string): { readonly what: string; readonly hint?: string } | null {
  const parsed = parseThreshold(text)
  if (!parsed.ok) return parsed.failure
  const { of } = parsed.value.metric.from
  if (of !== 'comparison' && of !== 'speedComparison') return null
  const hint = `measure first, then: asrbench compare <older run> latest --fail-if '${parsed.value.text}'`
  return { what: 'needs an older run to compare with', hint }
}
