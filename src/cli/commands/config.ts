import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { packageFolder } from '#installation/installation'
import { parseJson, shellWord } from '#prelude'
import { type FoundContender, type FoundContenders, findContenders } from '#run/target/find-contenders'
import type { Attach, CommandContext } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { configNames, findConfig, loadConfig } from '../load-config.ts'
import { standardStream } from '../named-files.ts'
import { renderDryRun } from '../plan-text.ts'
import { option } from '../typed-options.ts'

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
  attach(
    check,
    () => [option('--json', 'one JSON document on stdout')],
    async (context, options, [typed]) => {
      const path = typed ?? (await findConfig(context.cwd))
      if (path === undefined) throw noConfig()
      const resolved = await loadConfig(context, path, {})
      const { config, sources } = resolved
      context.printResult(options, { config, sources }, () => renderDryRun(resolved, context.output))
      if (options.json !== true)
        context.say(
          `\n${path} can be used: transcribench run ${typed === undefined ? '' : shellWord(typed)}`.trimEnd(),
        )
      return 'done'
    },
  )
}

function noConfig(): Error {
  return cliErrors.make('FILE_UNREADABLE', {
    message: 'there is no transcribench.config.yaml or .json in this folder or above it',
    hint: 'write one: transcribench init transcribench.config.yaml',
  })
}

const [defaultPath] = configNames
/** Name of the schema in the first line of the config, by which editors find it. */
const schemaName = 'config.schema.json'

/** `transcribench init`: writes a config with the contenders found on this machine. */
export function defineInitCommand(init: Command, attach: Attach): void {
  init.argument('[path]', 'where to write it, - for standard output', defaultPath)
  attach(
    init,
    () => [option('--force', 'replace a file that is there')],
    async (context, { force }, [named = defaultPath]) => {
      const shipped = join(packageFolder, 'configs')
      const quick = await readFile(join(shipped, 'quick.yaml'), 'utf8')
      const found = await findContenders(context.env)
      const text = withContenders(quick, found)
      if (named === standardStream) {
        context.print(text.trimEnd())
        return 'done'
      }
      const path = resolve(context.cwd, named)
      const schemaPath = join(dirname(path), schemaName)
      const schema = await readFile(join(shipped, schemaName), 'utf8')
      if (force !== true) await checkReplaceable(schemaPath, schema)
      await place(path, text, force === true)
      await place(schemaPath, schema, true)
      context.print(path)
      sayFound(context, found)
      context.say(
        `\nread it through, then: transcribench run${named === defaultPath ? '' : ` ${shellWord(named)}`}`,
      )
      return 'done'
    },
  )
}

function sayFound({ say }: CommandContext, { contenders, billed }: FoundContenders): void {
  const byTarget = Map.groupBy(contenders, ({ target }) => target)
  for (const [target, models] of byTarget) say(`  ${target}: ${models.map(({ model }) => model).join(', ')}`)
  if (contenders.length === 0) {
    say('  no model is installed and no target answers: the config names two models; add --fetch to the run')
  }
  for (const { target, model } of billed) say(`  ${target}: ${model}, as a comment, because it costs money`)
}

/** Maximum number of contenders in the config, to keep a first run short; others are comments. */
const maxMeasured = 4

/** The config with the contenders that were found; unchanged if none was. */
function withContenders(config: string, { contenders, billed }: FoundContenders): string {
  const lines = contenders.map((one, index) =>
    index < maxMeasured ? describeFound(one) : comment(describeFound(one)),
  )
  const paid = billed.map(
    (one) => `${comment(describeFound(one))}   # costs money: its key is in the environment`,
  )
  const block = /^contenders:\n((?: {2}.*\n)+)/m
  const [, standard = ''] = block.exec(config) ?? []
  const listed = lines.length === 0 ? standard.trimEnd().split('\n') : lines
  return config.replace(block, () => `contenders:\n${[...listed, ...paid].join('\n')}\n`)
}

function describeFound({ target, engine, model }: FoundContender): string {
  const keys = engine === null ? { target, model } : { target, engine, model }
  const parts = Object.entries(keys).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return `  - { ${parts.join(', ')} }`
}

function comment(line: string): string {
  return line.replace('  - ', '  # - ')
}

/**
 * Checks that the schema can be replaced: an older schema may be, but not another program's file of that name.
 *
 * @throws BenchError FILE_EXISTS
 */
async function checkReplaceable(path: string, schema: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch(() => null)
  if (present === null || readTitle(present) === readTitle(schema)) return
  throw cliErrors.make('FILE_EXISTS', {
    message: `${path} is there already, and is not the schema of a transcribench config`,
    hint: 'name a config in another folder: transcribench init <path>; or add --force to replace both',
  })
}

function readTitle(schema: string): unknown {
  const value = parseJson(schema)
  return typeof value === 'object' && value !== null && 'title' in value ? value.title : undefined
}

async function place(path: string, text: string, mayReplace: boolean): Promise<void> {
  const write = (): Promise<void> => writeFile(path, text, { flag: mayReplace ? 'w' : 'wx' })
  const makeFolder = async (cause: NodeJS.ErrnoException): Promise<void> => {
    if (cause.code !== 'ENOENT') throw cause
    await mkdir(dirname(path))
    await write()
  }
  await write()
    .catch(makeFolder)
    .catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') {
        throw cliErrors.make('FILE_UNWRITABLE', {
          message: `${path} cannot be written (${cause.code})`,
          hint: 'name a file in a folder that is there and that you may write: transcribench init my-run.yaml',
          cause,
        })
      }
      throw cliErrors.make('FILE_EXISTS', {
        message: `${path} is there already, and may hold your settings`,
        hint: 'name another file: transcribench init <path>; or add --force to replace it',
        cause,
      })
    })
}
