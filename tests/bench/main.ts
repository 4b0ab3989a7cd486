import { layTable } from '#reports/layout/table'
import type { BenchRow } from './bench-row.ts'
import { benchMemory } from './client-memory.ts'
import { benchThroughput } from './client-throughput.ts'
import { benchLoad } from './load.ts'
import { benchRecorder } from './recorder.ts'
import { benchScoring } from './scoring.ts'
import { benchService } from './service-throughput.ts'
import { benchWer } from './wer.ts'

/** `npm run bench [name …]`: every figure beside its baseline, measured in the same run. */
const benches: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
  throughput: benchThroughput,
  memory: benchMemory,
  load: benchLoad,
  recorder: benchRecorder,
  scoring: benchScoring,
  wer: benchWer,
  service: benchService,
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in benches))
if (unknown.length > 0) {
  process.stderr.write(
    `no bench is called ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}\n`,
  )
  process.exit(2)
}

const rows: BenchRow[] = []
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stderr.write(`measuring ${name}\n`)
  rows.push(...(await bench()))
}
const terminal = { width: 160, color: false, unicode: true }
const columns = [
  { header: 'bench', align: 'left', dropOrder: 0, cell: (row: BenchRow) => row.name },
  { header: 'ours', align: 'right', dropOrder: 0, cell: (row: BenchRow) => row.value },
  { header: 'baseline', align: 'right', dropOrder: 0, cell: (row: BenchRow) => row.baseline },
  { header: 'ratio', align: 'right', dropOrder: 0, cell: (row: BenchRow) => row.ratio?.toFixed(2) ?? '' },
  { header: 'goal', align: 'left', dropOrder: 0, cell: (row: BenchRow) => row.goal },
  { header: '', align: 'left', dropOrder: 0, cell: (row: BenchRow) => (row.met ? '✓' : '✗ missed') },
] as const
process.stdout.write(`${layTable(columns, rows, terminal).lines.join('\n')}\n`)
process.exitCode = rows.every((row) => row.met) ? 0 : 3
