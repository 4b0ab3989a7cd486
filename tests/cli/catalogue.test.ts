import { Command } from 'commander'
import { expect, test } from 'vitest'
import { catalogue } from '../../src/cli/catalogue.ts'
import type { Attach } from '../../src/cli/command-context.ts'
import { asTyped } from '../../src/cli/command-context.ts'
import { runCli } from '../journeys/run-cli.ts'

const addOptions: Attach = (command, options) => {
  for (const option of options()) command.addOption(option)
}

const entries = catalogue.flatMap(({ commands }) => commands)

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
  expect(stdout).toContain('--port <number>')
})

test.each(['run', 'capacity'])(
  'the help of %s begins with a dozen options, and the others have headings',
  async (name) => {
    const command = new Command(name)
    const define = await entries.find((entry) => entry.name === name)?.load()
    define?.(command, addOptions)
    const headings = Map.groupBy(command.options, ({ helpGroupHeading }) => helpGroupHeading)
    expect([...headings.keys()].indexOf('Options:')).toBe(0)
    expect(headings.get('Options:')).toHaveLength(12)
    expect(headings.get(undefined)).toBeUndefined()
  },
)

/** Every option of a command and of the commands below it. */
function optionsOf(
  command: Command,
  name: string,
): readonly { readonly name: string; readonly flags: string }[] {
  return [
    ...command.options.map(({ flags }) => ({ name, flags: flags.replace(/^-\w, /, '') })),
    ...command.commands.flatMap((each) => optionsOf(each, `${name} ${each.name()}`)),
  ]
}

// These name what the command works on; everything else has one meaning in all commands.
const byCommand = ['--output', '--csv', '--contender', '--prices']

test('a flag takes the same kind of value in every command that has it', async () => {
  const options = await Promise.all(
    entries.map(async ({ name, load }) => {
      const command = new Command(name)
      const define = await load()
      define(command, addOptions)
      expect([...command.registeredArguments, ...command.options, ...command.commands], name).not.toEqual([])
      return optionsOf(command, name)
    }),
  )
  const kinds = Map.groupBy(options.flat(), ({ flags }) => flags.split(' ')[0] ?? '')
  expect(kinds.size).toBeGreaterThan(100)
  const shared = [...kinds].filter(
    ([flag, uses]) => !byCommand.includes(flag) && new Set(uses.map(({ flags }) => flags)).size > 1,
  )
  expect(shared).toEqual([])
  // The platform that a service is, and the profile by which texts are scored.
  const isIn = (flag: string, name: string): boolean =>
    kinds.get(flag)?.some((use) => use.name === name) === true
  for (const name of ['serve', 'conformance']) expect([name, isIn('--profile', name)]).toEqual([name, false])
  for (const name of ['score', 'wer', 'compare'])
    expect([name, isIn('--platform', name)]).toEqual([name, false])
})

test('every command is printed as the program was started', () => {
  for (const { name } of entries) {
    expect(asTyped(`see transcribench ${name}`, './t')).toBe(`see ./t ${name}`)
  }
  expect(asTyped('transcribench needs Node', './t')).toBe('transcribench needs Node')
})
