import { expect, test } from 'vitest'
import { onDemand } from '#prelude'

interface Figures {
  readonly sum: number
  readonly mean: number
  readonly name: string
}

function asked(): { readonly made: string[]; readonly figures: Figures } {
  const made: string[] = []
  const figures: Figures = onDemand<Figures>({
    sum: () => {
      made.push('sum')
      return 6
    },
    mean: () => {
      made.push('mean')
      return figures.sum / 3
    },
    name: () => 'figures',
  })
  return { made, figures }
}

test('computes a field on its first access, once, also when another field needs it', () => {
  const { made, figures } = asked()
  expect(made).toEqual([])
  expect(figures.name).toBe('figures')
  expect(made).toEqual([])
  expect([figures.mean, figures.sum, figures.mean]).toEqual([2, 6, 2])
  expect(made).toEqual(['mean', 'sum'])
})

test('a copy and a document have every field, in the order of their declaration', () => {
  expect(JSON.stringify(asked().figures)).toBe('{"sum":6,"mean":2,"name":"figures"}')
  const { figures } = asked()
  expect(figures.mean).toBe(2)
  expect({ ...figures }).toEqual({ sum: 6, mean: 2, name: 'figures' })
})
