import { join } from 'node:path'
import { packageFolder } from '#installation'
import { type RatingScale, ratingScale } from '#reports'
import { parseYaml } from '#yaml'
import type { CommandContext } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { readNamed } from '../input/read-named.ts'

const shipped = 'configs/ratings.yaml'

/**
 * Reads where the bars of `--ratings` change.
 *
 * @param path as typed; true for the scale that comes with the program
 * @throws BenchError FILE_UNREADABLE, RATINGS_INVALID
 */
export async function readRatingScale(context: CommandContext, path: string | true): Promise<RatingScale> {
  const shown = path === true ? shipped : path
  const text = await readNamed(context, path === true ? join(packageFolder, shipped) : path, {
    what: 'the scale',
    hint: `copy ${shipped} and change it; without a file --ratings takes that one`,
  })
  const { document, faults: syntax, lineAt } = parseYaml(text)
  const faults = syntax.map(({ at: [start], what, advice }) => {
    const { line, column } = lineAt(start)
    return { where: `${shown}:${line}:${column}`, what, hint: advice }
  })
  const parsed = ratingScale.safeParse(faults.length === 0 ? document.toJS() : null)
  if (parsed.success) return parsed.data
  throw cliErrors.make('RATINGS_INVALID', {
    message: `${shown} is no scale of ratings`,
    hint: `compare it with ${shipped}, which explains both lists`,
    problems:
      faults.length === 0
        ? parsed.error.issues.map((issue) => ({ where: issue.path.join('.'), what: issue.message }))
        : faults,
  })
}
