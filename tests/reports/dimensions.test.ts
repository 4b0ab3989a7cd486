import { expect, test } from 'vitest'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import { listDimensions } from '#reports/page'

const contender = (model: string, options?: Readonly<Record<string, boolean>>): ContenderEvaluation => {
  const id = `${model} ${JSON.stringify(options ?? {})}`
  const own = { id, engine: null, model, language: null, patchedMode: null }
  return { contender: options === undefined ? own : { ...own, options } } as ContenderEvaluation
}

test('each value of a dimension is next to its contender, in whatever order a config names them', () => {
  const contenders = [
    contender('tiny'),
    contender('large', { punctuate: true }),
    contender('tiny', { punctuate: true }),
    contender('large'),
  ]
  const dimensions = listDimensions(contenders).map(({ name, values, lines }) => ({
    name,
    values,
    lines: lines.map(({ label, contenders: own }) => [label, own.map(({ contender: { id } }) => id)]),
  }))
  const [plain, set] = ['{}', '{"punctuate":true}']
  expect(dimensions).toEqual([
    {
      name: 'model',
      values: ['tiny', 'large'],
      lines: [
        ['default options', [`tiny ${plain}`, `large ${plain}`]],
        ['punctuate=true', [`tiny ${set}`, `large ${set}`]],
      ],
    },
    {
      name: 'options',
      values: ['default', 'punctuate=true'],
      lines: [
        ['tiny', [`tiny ${plain}`, `tiny ${set}`]],
        ['large', [`large ${plain}`, `large ${set}`]],
      ],
    },
  ])
})

test('contenders that are no grid have no dimensions', () => {
  expect(listDimensions([contender('tiny'), contender('large', { punctuate: true })])).toEqual([])
})
