import { bencherJson } from '#reports'
import { trackerFormat } from '../tracker-format.ts'

export const bencher = trackerFormat(
  'bencher',
  'Bencher Metric Format, for bencher run --adapter json',
  bencherJson,
)
