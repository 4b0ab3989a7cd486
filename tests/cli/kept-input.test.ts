import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CommandContext, processContext } from '../../src/cli/command-context.ts'
import { keptInput } from '../../src/cli/named-files.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const text = 'engines: {}\n'

function commandIn(home: string): CommandContext {
  const openStandardInput = async function* () {
    yield Buffer.from(text)
  }
  return { ...processContext(), env: { HOME: home }, home, cwd: home, openStandardInput }
}

const keep = (command: CommandContext): Promise<string> =>
  keptInput(command, { ending: '.yaml', what: '--engines', resultsFolder: join(command.cwd, 'results') })

const copiesIn = (home: string): Promise<string[]> =>
  readdir(join(home, '.local', 'share', 'transcribench', 'stdin'))

test('the first command to end leaves standard input to another one that reads the same', async () => {
  await using home = await temporaryFolder()
  const [first, second] = [commandIn(home.path), commandIn(home.path)]
  await keep(first)
  const path = await keep(second)
  await first.end()
  expect(await readFile(path, 'utf8')).toBe(text)
  await second.end()
  expect(await copiesIn(home.path)).toEqual([])
})

test('any number of commands with the same standard input at once find it complete, and leave nothing', async () => {
  await using home = await temporaryFolder()
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const command = commandIn(home.path)
      expect(await readFile(await keep(command), 'utf8')).toBe(text)
      await command.end()
    }),
  )
  expect(await copiesIn(home.path)).toEqual([])
})
