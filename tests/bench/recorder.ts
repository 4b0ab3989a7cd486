import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Bench, type Task } from 'tinybench'
import { createRun } from '#journal/run-writer'
import { anAttempt } from '../journal/a-run.ts'
import type { BenchRow } from './bench-row.ts'

/** What writing down an attempt costs, beside appending the same bytes to an open file. */
export async function benchRecorder(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-bench-'))
  try {
    await using writer = await createRun(folder, 'run')
    const bare = await open(join(folder, 'bare.jsonl'), 'a')
    const line = `${JSON.stringify(anAttempt)}\n`
    const bench = new Bench({ time: 1000 })
      .add('bare', () => bare.appendFile(line))
      .add('recorder', () => writer.appendAttempt(anAttempt))
    await bench.run()
    await bare.close()
    const [bareMs, recorderMs] = [medianMs(bench.getTask('bare')), medianMs(bench.getTask('recorder'))]
    return [
      {
        name: 'an attempt written to the journal, median',
        value: `${(recorderMs * 1000).toFixed(0)} µs`,
        baseline: `${(bareMs * 1000).toFixed(0)} µs, the same bytes appended`,
        ratio: recorderMs / bareMs,
        goal: 'at most 1.5',
        met: recorderMs / bareMs <= 1.5,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function medianMs(task: Task | undefined): number {
  if (task?.result.state !== 'completed') throw new Error(`the bench ended as ${task?.result.state}`)
  return task.result.latency.p50
}
