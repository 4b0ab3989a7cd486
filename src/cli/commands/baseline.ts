import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readBaselines, removeBaseline, setBaseline } from '#results/baselines'
import { resultsErrors } from '#results/errors'
import type { Attach } from '../command-context.ts'
import { resultsOption } from '../options.ts'
import { option } from '../typed-options.ts'

const baselineOptions = () => [resultsOption()]
const listOptions = () => [...baselineOptions(), option('--json', 'one JSON document on stdout')]

/** `transcribench baseline`: names for runs that others are compared with. */
export function defineBaselineCommand(baseline: Command, attach: Attach): void {
  const set = baseline
    .command('set')
    .description('give runs a name; `transcribench compare <name> latest` then compares with them')
    .argument('<name>', 'any name without a comma, such as main')
    .argument('<run...>', 'run folders, their names, unique beginnings of them, or latest')
  attach(set, baselineOptions, async (context, options, [name = '', ...runs]) => {
    const problem = nameProblem(name)
    if (problem !== null) {
      throw resultsErrors.make('BASELINE_NAME', {
        message: `"${name}" is not a name for a baseline: ${problem}`,
        hint: 'take the name of a branch: transcribench baseline set main latest',
      })
    }
    const runIds = await setBaseline(name, runs, resolve(context.cwd, options.results))
    context.print(`  ${name} is now ${runIds.join(', ')}`)
    return 'done'
  })

  const list = baseline.command('list').description('list all names with their runs')
  attach(list, listOptions, async (context, options) => {
    const baselines = await readBaselines(resolve(context.cwd, options.results))
    const width = Math.max(0, ...Object.keys(baselines).map((name) => name.length))
    const lines = Object.entries(baselines).map(
      ([name, runs]) => `  ${name.padEnd(width)}  ${runs.join(', ')}`,
    )
    const none = '  there are no baselines; set one with: transcribench baseline set main latest'
    context.printResult(options, baselines, () => lines.join('\n') || none)
    return 'done'
  })

  const remove = baseline.command('remove').description('remove a name; its runs stay').argument('<name>')
  attach(remove, baselineOptions, async (context, options, [name = '']) => {
    const isRemoved = await removeBaseline(name, resolve(context.cwd, options.results))
    if (!isRemoved) {
      throw resultsErrors.make('BASELINE_NAME', {
        message: `there is no baseline "${name}" in ${options.results}`,
        hint: 'see which there are: transcribench baseline list',
      })
    }
    context.print(`  ${name} is no baseline any more`)
    return 'done'
  })
}

/** Why a name is invalid: it is used like a run and in comma-separated lists, so it must not be ambiguous there. */
function nameProblem(name: string): string | null {
  if (name.trim() === '') return 'it is empty'
  if (name.includes(',')) return 'a comma separates runs'
  if (name.trim() !== name) return 'it begins or ends with a blank'
  if (name === '__proto__') return 'it cannot be a key of baselines.json'
  return name === 'latest' ? 'it means the newest run' : null
}
