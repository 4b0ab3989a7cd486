import type { Command } from 'commander'
import { shellWord } from '#prelude'
import { renderDryRun } from '#reports/plan'
import type { Attach } from '../attach.ts'
import { cliErrors } from '../errors.ts'
import { findConfig } from '../input/find-config.ts'
import { loadConfig } from '../input/load-config.ts'

/** `transcribench config check`: whether a config can be used, without any audio. */
export function defineConfigCommand(config: Command, attach: Attach): void {
  config.on('command:*', ([typed = '']: readonly string[]) => {
    throw cliErrors.make('COMMAND_LINE_INVALID', {
      message: `"${typed}" is no command of transcribench config`,
      hint: `check a config: transcribench config check ${shellWord(typed)}`,
    })
  })
  const check = config
    .command('check')
    .description('check a config without audio and targets, and show every setting with its source')
    .argument(
      '[config]',
      'the file, - for standard input; default: transcribench.config.yaml or .json here or above',
    )
    .option('--json', 'one JSON document on stdout')
  attach<{ readonly json?: boolean }>(check, async (context, { json }, [typed]) => {
    const path = typed ?? (await findConfig(context.cwd))
    if (path === undefined) throw noConfig()
    const { config: resolved, sources, values } = await loadConfig(context, path, {})
    if (json === true) context.print(JSON.stringify({ config: resolved, sources }, null, 2))
    else {
      const settings = Object.entries(values).map(([key, value]) => ({
        key,
        value,
        from: sources[key] ?? 'default',
      }))
      context.print(renderDryRun(settings, context.output))
      context.say(`\n${path} can be used: transcribench run ${typed ?? ''}`.trimEnd())
    }
    return 'done'
  })
}

function noConfig(): Error {
  return cliErrors.make('FILE_UNREADABLE', {
    message: 'there is no transcribench.config.yaml or .json in this folder or above it',
    hint: 'write one: transcribench init transcribench.config.yaml',
  })
}
