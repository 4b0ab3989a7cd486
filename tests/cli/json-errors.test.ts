import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { BenchError, exitCodes } from '#prelude'
import { type CommandContext, processContext } from '../../src/cli/command-context.ts'
import { buildProgram, endingOfMisuse } from '../../src/cli/command-line.ts'
import { allExplanations } from '../../src/cli/commands/explain.ts'
import { reportFailure } from '../../src/cli/failure.ts'

/** A context whose stdout is kept, and whose stderr goes nowhere. */
function keptContext(): { readonly context: CommandContext; readonly printed: string[] } {
  const printed: string[] = []
  const real = processContext()
  const stderr = Object.assign(Object.create(real.stderr), { write: () => true })
  return { printed, context: { ...real, stderr, print: (text) => void printed.push(text) } }
}

const withSubcommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withSubcommands),
]

async function misused(typed: readonly string[]): Promise<{ ending: string | null; printed: string[] }> {
  const { context, printed } = keptContext()
  const program = await buildProgram(typed, () => undefined)
  for (const command of withSubcommands(program)) command.configureOutput({ writeErr: () => undefined })
  const error = await program.parseAsync([...typed], { from: 'user' }).catch((thrown: unknown) => thrown)
  return { ending: endingOfMisuse(error, typed, context), printed }
}

describe('a command with --json', () => {
  test('prints a user’s mistake as one document, with all its problems and the exit code', async () => {
    const { context, printed } = keptContext()
    const error = new BenchError('CORPUS_UNREADABLE', 'badInput', {
      message: 'm.jsonl cannot be used',
      hint: 'mend it',
      problems: [{ where: 'm.jsonl:1', what: 'has no "id"' }],
    })
    expect(await reportFailure(error, context, true)).toBe('badInput')
    expect(printed.map((text) => JSON.parse(text))).toEqual([
      {
        error: {
          code: 'CORPUS_UNREADABLE',
          message: 'm.jsonl cannot be used',
          hint: 'mend it',
          problems: [{ where: 'm.jsonl:1', what: 'has no "id"' }],
          exitCode: exitCodes.badInput.code,
        },
      },
    ])
  })

  test('prints no second document where the result is printed already', async () => {
    const { context, printed } = keptContext()
    const error = new BenchError('FILE_UNWRITABLE', 'badInput', { message: 'no space', hint: 'make room' })
    expect(await reportFailure(error, { ...context, hasPrinted: true }, true)).toBe('badInput')
    expect(printed).toEqual([])
  })

  test('prints a bug in transcribench as one document', async () => {
    const { context, printed } = keptContext()
    expect(await reportFailure(new TypeError('x is not a function'), context, true)).toBe('bug')
    expect(printed.map((text) => JSON.parse(text))).toEqual([
      {
        error: {
          code: 'BUG',
          message: 'x is not a function',
          hint: null,
          problems: [],
          exitCode: exitCodes.bug.code,
        },
      },
    ])
  })

  test.each([
    [
      ['score', 'latest', '--pofile', 'basic', '--json'],
      "unknown option '--pofile'",
      'Did you mean --profile?',
    ],
    [['report', 'latest', '--format', 'json', '--scor'], "unknown option '--scor'", 'Did you mean'],
    [['explian', '--json'], "unknown command 'explian'", 'Did you mean explain?'],
    [['compare', 'latest', '--json'], "missing required argument 'run'", 'transcribench --help'],
  ])('a misspelt command line is one: %j', async (typed, message, hint) => {
    const { ending, printed } = await misused(typed)
    expect(ending).toBe('badInput')
    const [{ error }, ...others] = printed.map((text) => JSON.parse(text))
    expect(others).toEqual([])
    expect(error).toMatchObject({ code: 'COMMAND_LINE_INVALID', message, problems: [], exitCode: 2 })
    expect(error.hint).toContain(hint)
    expect(allExplanations().map(({ name }) => name)).toContain(error.code)
  })

  test('leaves stdout empty without --json', async () => {
    expect(await misused(['score', 'latest', '--pofile', 'basic'])).toEqual({
      ending: 'badInput',
      printed: [],
    })
    expect(await misused(['score', 'latest', '--pofile', '--', '--json'])).toMatchObject({ printed: [] })
  })
})

test('what a report calls flakiness is explained by that name, and every name of a figure is taken once', () => {
  const known = allExplanations()
  const figures = known.filter(({ kind }) => ['error-analysis', 'metric', 'profile'].includes(kind))
  const names = figures.flatMap(({ name, aliases }) => [name, ...aliases]).map((name) => name.toLowerCase())
  expect(known.find(({ aliases }) => aliases.includes('flakiness'))?.name).toBe('repeats')
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('every error, failure and finding is explained under a unique name, and no example is empty', () => {
  const known = allExplanations()
  const names = known.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  expect(known.flatMap(({ parts }) => parts).filter(({ text }) => text.includes('""'))).toEqual([])
})
