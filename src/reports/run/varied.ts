import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import { settingsInWords } from '#prelude'

/** `10 dB`; `none` for the version without the step. */
export function conditionText(value: number | null, unit: string): string {
  if (value === null) return 'none'
  const number = Number(value.toPrecision(3)).toString().replace('-', '−')
  return unit === '' ? number : `${number} ${unit}`
}

/** A dimension that a matrix varies. */
export type DimensionName = 'model' | 'options' | 'threads' | 'concurrency' | 'transport'

type Contender = ContenderEvaluation['contender']

interface DimensionWords {
  readonly title: string
  /** The value of this dimension, as an axis and a table name it. */
  valueOf(contender: Contender): string
  /** The value in a list of several dimensions: `2 threads`. */
  partOf(value: string): string
}

const dimensionWords: Readonly<Record<DimensionName, DimensionWords>> = {
  model: {
    title: 'model',
    valueOf: ({ id, model, patchedMode }) => model ?? patchedMode ?? id,
    partOf: (value) => value,
  },
  options: {
    title: 'options',
    valueOf: ({ options }) => settingsInWords(options ?? {}) || 'default',
    partOf: (value) => (value === 'default' ? 'default options' : value),
  },
  threads: {
    title: 'threads',
    valueOf: ({ threads }) => String(threads ?? 'default'),
    partOf: (value) => `${value} ${value === '1' ? 'thread' : 'threads'}`,
  },
  concurrency: {
    title: 'requests in flight',
    valueOf: ({ concurrency }) => String(concurrency ?? 'default'),
    partOf: (value) => `${value} in flight`,
  },
  transport: {
    title: 'transport',
    valueOf: ({ transport }) => transport ?? 'default',
    partOf: (value) => value,
  },
}

const dimensionNames = Object.keys(dimensionWords) as readonly DimensionName[]

/** One dimension of a matrix: a line for each combination of the values of the others. */
export interface Dimension {
  readonly name: DimensionName
  readonly title: string
  /** Values in the order of the config. */
  readonly values: readonly string[]
  readonly lines: readonly {
    /** The other values: `moonshine-tiny, 2 threads`; empty if there is no other dimension. */
    readonly label: string
    readonly contenders: readonly ContenderEvaluation[]
  }[]
}

/** The dimensions of a run whose contenders are the cells of a matrix; empty for any other. */
export function listDimensions(contenders: readonly ContenderEvaluation[]): readonly Dimension[] {
  const isSwept = contenders.some(
    ({ contender: { options, threads, concurrency, transport } }) =>
      (options ?? threads ?? concurrency ?? transport) !== undefined,
  )
  const valuesOf = (name: DimensionName): readonly string[] => [
    ...new Set(contenders.map(({ contender }) => dimensionWords[name].valueOf(contender))),
  ]
  const varied = dimensionNames.filter((name) => valuesOf(name).length > 1)
  const cellCount = varied.reduce((product, name) => product * valuesOf(name).length, 1)
  // If contenders were skipped or have equal values, they form no grid.
  const cells = new Map(contenders.map((one) => [labelText(one.contender, varied), one]))
  if (!isSwept || cells.size !== contenders.length || cellCount !== contenders.length) return []
  return varied.map((name): Dimension => {
    const others = varied.filter((other) => other !== name)
    const values = valuesOf(name)
    const nameOf = ({ contender }: ContenderEvaluation): string => dimensionWords[name].valueOf(contender)
    const lines = Map.groupBy(contenders, ({ contender }) => labelText(contender, others))
    return {
      name,
      title: dimensionWords[name].title,
      values,
      lines: [...lines].map(([label, members]) => ({
        label,
        // A config may list them in any order.
        contenders: members.toSorted((a, b) => values.indexOf(nameOf(a)) - values.indexOf(nameOf(b))),
      })),
    }
  })
}

function labelText(contender: Contender, dimensions: readonly DimensionName[]): string {
  return dimensions
    .map((name) => dimensionWords[name].partOf(dimensionWords[name].valueOf(contender)))
    .join(', ')
}
