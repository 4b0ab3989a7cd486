import type { Command } from 'commander'
import type { Attach } from './command-context.ts'

/** A command in the help of the whole program, without its implementation. */
interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Loads the module that gives a command its arguments, options and action. */
  load(): Promise<(command: Command, attach: Attach) => void>
}

export interface CommandGroup {
  readonly title: string
  /** An example command line. */
  readonly example: string
  readonly commands: readonly CommandEntry[]
}

/**
 * Every command, in the order of the help. Each is loaded only when it is used, because all of them together are over
 * a thousand modules, and take most of a second.
 */
export const catalogue: readonly CommandGroup[] = [
  {
    title: 'Measure',
    example: 'transcribench run --target openai:http://127.0.0.1:8000/v1 --contender any:whisper-1',
    commands: [
      {
        name: 'run',
        summary: 'measure accuracy and speed; without a config, two local models on ten clips',
        load: async () => (await import('./commands/run.ts')).defineRunCommand,
      },
      {
        name: 'experiment',
        summary: 'measure two or more configs interleaved, until each difference has a verdict',
        load: async () => (await import('./commands/experiment.ts')).defineExperimentCommand,
      },
      {
        name: 'capacity',
        summary: 'find the highest load within a service-level objective (SLO), and the users it serves',
        load: async () => (await import('./commands/capacity.ts')).defineCapacityCommand,
      },
      {
        name: 'calibrate',
        summary: 'measure one contender against itself, to learn how much equal runs differ here',
        load: async () => (await import('./commands/experiment.ts')).defineCalibrateCommand,
      },
      {
        name: 'replay',
        summary: 'repeat a run with the same order, timing and seeds',
        load: async () => (await import('./commands/run.ts')).defineReplayCommand,
      },
      {
        name: 'fleet',
        summary: 'measure on many hosts, each with an agent, into one run',
        load: async () => (await import('./commands/fleet.ts')).defineFleetCommand,
      },
      {
        name: 'init',
        summary: 'write a config to start from, with its schema for editors',
        load: async () => (await import('./commands/config.ts')).defineInitCommand,
      },
      {
        name: 'config',
        summary: 'validate a config; sends nothing',
        load: async () => (await import('./commands/config.ts')).defineConfigCommand,
      },
      {
        name: 'doctor',
        summary: 'check that the target answers, has the models, and that this machine is quiet',
        load: async () => (await import('./commands/doctor.ts')).defineDoctorCommand,
      },
    ],
  },
  {
    title: 'Compare',
    example: 'transcribench compare main latest --fail-if-worse',
    commands: [
      {
        name: 'compare',
        summary: 'compare two runs, or sets of runs, with verdicts; fail where one is worse',
        load: async () => (await import('./commands/compare.ts')).defineCompareCommand,
      },
      {
        name: 'merge',
        summary: 'combine runs of several hosts into one, with a column for the host',
        load: async () => (await import('./commands/merge.ts')).defineMergeCommand,
      },
      {
        name: 'baseline',
        summary: 'name runs that later runs are compared with',
        load: async () => (await import('./commands/baseline.ts')).defineBaselineCommand,
      },
      {
        name: 'history',
        summary: 'show the figures of all runs of a folder, and the runs at which they changed',
        load: async () => (await import('./commands/history.ts')).defineHistoryCommand,
      },
      {
        name: 'wer',
        summary: 'score text files: word and character error rate (WER, CER), one system or several',
        load: async () => (await import('./commands/wer.ts')).defineWerCommand,
      },
    ],
  },
  {
    title: 'Look',
    example: 'transcribench report latest -o report.html',
    commands: [
      {
        name: 'report',
        summary: 'show a run, or write it as HTML, Markdown, CSV, JSON or JUnit',
        load: async () => (await import('./commands/report.ts')).defineReportCommand,
      },
      {
        name: 'view',
        summary: 'browse the runs of a folder and their trends on a local page',
        load: async () => (await import('./commands/view.ts')).defineViewCommand,
      },
      {
        name: 'review',
        summary: 'listen to recordings and correct their references on a local page',
        load: async () => (await import('./commands/review.ts')).defineReviewCommand,
      },
      {
        name: 'score',
        summary: 'score a run again by other rules or references; sends nothing',
        load: async () => (await import('./commands/score.ts')).defineScoreCommand,
      },
      {
        name: 'export',
        summary: 'write runs as tables (Parquet, CSV, JSON Lines) or for Bencher and GitHub',
        load: async () => (await import('./commands/export.ts')).defineExportCommand,
      },
      {
        name: 'query',
        summary: 'ask runs or exported tables in SQL (DuckDB)',
        load: async () => (await import('./commands/query.ts')).defineQueryCommand,
      },
      {
        name: 'explain',
        summary: 'explain an error, a finding, a metric or a profile, with formula and source',
        load: async () => (await import('./commands/explain.ts')).defineExplainCommand,
      },
    ],
  },
  {
    title: 'Corpora',
    example: 'transcribench corpus verify recordings/manifest.jsonl',
    commands: [
      {
        name: 'corpus',
        summary: 'import, fetch, verify, describe, lint, derive and select recordings',
        load: async () => (await import('./commands/corpus.ts')).defineCorpusCommand,
      },
    ],
  },
  {
    title: 'Service',
    example: 'transcribench serve --port 39201',
    commands: [
      {
        name: 'serve',
        summary: 'run the reference service on 127.0.0.1, with a token',
        load: async () => (await import('./commands/serve.ts')).defineServeCommand,
      },
      {
        name: 'models',
        summary: 'list, install and remove models of the reference service',
        load: async () => (await import('./commands/models.ts')).defineModelsCommand,
      },
      {
        name: 'modes',
        summary: 'remove or restore what a crashed run left on a server',
        load: async () => (await import('./commands/conformance.ts')).defineModesCommand,
      },
      {
        name: 'conformance',
        summary: 'check any server against the specification of the API',
        load: async () => (await import('./commands/conformance.ts')).defineConformanceCommand,
      },
    ],
  },
]
