import type { ExportFormat } from '../export-format.ts'
import { type TableWriter, tableFormat } from '../table-format.ts'
import { bencher } from './bencher.ts'
import { csv } from './csv.ts'
import { githubBenchmark } from './github-benchmark.ts'
import { jsonl } from './jsonl.ts'
import { leaderboard } from './leaderboard.ts'
import { parquet } from './parquet.ts'

/** The formats that hold the tables of runs. */
export const tableWriters: readonly TableWriter[] = [parquet, csv, jsonl]

/** Every format of `transcribench export`; the first is the default. */
export const exportFormats: readonly ExportFormat[] = [
  ...tableWriters.map(tableFormat),
  bencher,
  githubBenchmark,
  leaderboard,
]
