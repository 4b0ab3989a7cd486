import { Command } from 'commander'
import { expect, test } from 'vitest'
import { catalogue } from '../../src/cli/catalogue.ts'
import { runCli } from '../journeys/run-cli.ts'

const entries = catalogue.flatMap(({ commands }) => commands)

test.each(entries)('transcribench $name is defined by the module that the catalogue names', async (entry) => {
  const command = new Command(entry.name)
  const define = await entry.load()
  define(command, () => undefined)
  const { registeredArguments, options, commands } = command
  expect(registeredArguments.length + options.length + commands.length).toBeGreaterThan(0)
})

test('the help lists every command under its group, with an example for each group', async () => {
  const { stdout, code } = await runCli(['--help'], { cwd: import.meta.dirname })
  expect(code).toBe(0)
  let position = 0
  for (const { title, commands } of catalogue) {
    for (const word of [`\n${title}:\n`, ...commands.map(({ name }) => `\n  ${name} `)]) {
      position = stdout.indexOf(word, position)
      expect(position, word).toBeGreaterThan(0)
    }
  }
  for (const { example } of catalogue) expect(stdout).toContain(example)
})

test('help with a command shows the arguments and options of that command', async () => {
  const { stdout } = await runCli(['help', 'view'], { cwd: import.meta.dirname })
  expect(stdout).toContain('--port <port>')
})
