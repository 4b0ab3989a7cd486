import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { packageFolder } from '#installation'
import type { Attach } from '../attach.ts'
import { cliErrors } from '../errors.ts'

interface InitOptions {
  readonly force?: boolean
}

const defaultPath = 'configs/quick.yaml'

/** `transcribench init`: writes a config to start from. */
export function defineInitCommand(init: Command, attach: Attach): void {
  init.argument('[path]', 'where to write it', defaultPath).option('--force', 'replace a file that is there')
  attach<InitOptions>(init, async (context, { force }, [named]) => {
    const path = resolve(context.cwd, named ?? defaultPath)
    const shipped = join(packageFolder, 'configs')
    const schema = 'config.schema.json'
    await place(path, await readFile(join(shipped, 'quick.yaml'), 'utf8'), force === true)
    await place(join(dirname(path), schema), await readFile(join(shipped, schema), 'utf8'), true)
    context.print(path)
    context.say(`\nread it through, then: transcribench run ${named ?? defaultPath}`)
    return 'done'
  })
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
        hint: 'name another file: transcribench init <path>; or replace it: transcribench init --force',
        cause,
      })
    })
}
