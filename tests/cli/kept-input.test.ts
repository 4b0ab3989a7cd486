import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CommandContext, processContext } from '../../src/cli/command-context.ts'
import { keptInput } from '../../src/cli/input/kept-input.ts'
import { temporaryFolder } from '../journal/temporary-folder.ts'

const text = 'engines: {}\n'

function commandIn(home: string): CommandContext {
  const openStandardInput = async function* () {
    yield Buffer.from(text)
  }
  return { ...processContext(), env: {}, home, cwd: home, openStandardInput }
}

const keep = (command: CommandContext): Promise<string> =>
  keptInput(command, { ending: '.yaml', what: '--engines', resultsFolder: join(command.cwd, 'results') })

test('the first command to end leaves standard input to another one that reads the same', async () => {
  await using home = await temporaryFolder()
  const [first, second] = [commandIn(home.path), commandIn(home.path)]
  const [path, same] = [await keep(first), await keep(second)]
  expect(same).toBe(path)
  await first.end()
  expect(await readFile(path, 'utf8')).toBe(text)
  await second.end()
  expect((await readdir(join(path, '..'))).filter((name) => name.endsWith('.claim'))).toEqual([])
})

test('any number of commands with the same standard input at once find it complete', async () => {
  await using home = await temporaryFolder()
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const command = commandIn(home.path)
      expect(await readFile(await keep(command), 'utf8')).toBe(text)
      await command.end()
    }),
  )
})
