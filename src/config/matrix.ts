import type { Problem } from '#prelude'
import { readContender } from './contender-targets.ts'
import type { ConfigFile } from './files/config-file.ts'
import type { ContenderFile } from './files/contender-file.ts'
import type { MatrixFile } from './files/matrix-file.ts'

/** More contenders than this are a mistake in most cases. */
const maxCells = 48

/**
 * Makes a contender of each combination of the dimensions: of every model, or every contender of the config, with every
 * number of threads, every number of requests in flight, and every transport.
 *
 *   model: [tiny, base] × threads: [1, 2, 4] × concurrency: [1, 2] ─► tiny t1 c1, tiny t1 c2, …, base t4 c2
 *
 * @param standard contenders of a config that names none
 * @returns the config with these contenders, or what is wrong with the matrix
 */
export function withMatrix<File extends ConfigFile>(
  file: File,
  standard: readonly ContenderFile[],
): File | readonly Problem[] {
  const { matrix, ...rest } = file
  if (matrix === undefined) return file
  const bases = matrix.model?.map(readContender) ?? file.contenders ?? standard
  const { threads, concurrency, transport } = matrix
  const sizes = [bases, threads, concurrency, transport].flatMap((values) => values?.length ?? [])
  const cellCount = sizes.reduce((product, size) => product * size, 1)
  const problems = [
    ...(matrix.model !== undefined && file.contenders !== undefined ? [bothNamed] : []),
    ...repeatedValues(matrix),
    ...(cellCount > maxCells ? [tooMany(sizes, cellCount)] : []),
  ]
  if (problems.length > 0) return problems
  const cells = bases.flatMap((base) =>
    each(threads).flatMap((ownThreads) =>
      each(concurrency).flatMap((ownConcurrency) =>
        each(transport).map(
          (ownTransport): ContenderFile => ({
            ...base,
            ...(ownThreads === undefined ? {} : { threads: ownThreads }),
            ...(ownConcurrency === undefined ? {} : { concurrency: ownConcurrency }),
            ...(ownTransport === undefined ? {} : { transport: ownTransport }),
          }),
        ),
      ),
    ),
  )
  return { ...(rest as File), contenders: cells }
}

/** Of a dimension that is not there, the one value that says nothing. */
function each<Value>(values: readonly Value[] | undefined): readonly (Value | undefined)[] {
  return values ?? [undefined]
}

const bothNamed: Problem = {
  where: 'matrix.model',
  what: 'the config names contenders as well, and the models of a matrix take their place',
  hint: 'name them in one of the two',
}

function repeatedValues(matrix: MatrixFile): readonly Problem[] {
  return Object.entries(matrix).flatMap(([dimension, values]) => {
    const list: readonly unknown[] = values ?? []
    const twice = list.filter((value, place) => list.indexOf(value) !== place)
    return twice.map((value) => ({
      where: `matrix.${dimension}`,
      what: `names ${String(value)} twice`,
      hint: 'each value makes contenders once',
    }))
  })
}

function tooMany(sizes: readonly number[], cellCount: number): Problem {
  return {
    where: 'matrix',
    what: `${sizes.join(' × ')} = ${cellCount} contenders, and ${maxCells} are the most`,
    hint: 'leave out values, or measure one dimension after the other',
  }
}
