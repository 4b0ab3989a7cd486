import { layTable, type TableColumn } from './table.ts'
import { foreign, inSigns, labelled, paint, type Terminal } from './terminal.ts'
import { counted, formatCount, formatSeconds } from './units.ts'

/** What is decided before the first request. */
export interface PlanText {
  readonly contenderIds: readonly string[]
  /** Left out because the target does not have them. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[]
  readonly utteranceCount: number
  readonly rounds: number
  readonly measuredCount: number
  readonly warmupCount: number
  readonly corpusName: string
  readonly audioSeconds: number
  /** In words: `closed, 1 in flight`. */
  readonly schedule: string
  readonly transport: string
  readonly target: string
  /** Null where the target does not say. */
  readonly serviceVersion: string | null
  readonly warnings: readonly string[]
}

/** What will happen, before it happens. */
export function renderPlan(plan: PlanText, terminal: Terminal): string {
  const line = (label: string, text: string): string => labelled(label, foreign(text), 8, terminal)
  const { contenderIds, utteranceCount, rounds, measuredCount, warmupCount } = plan
  const product =
    `${counted(contenderIds.length, 'contender')} × ${counted(utteranceCount, 'utterance')} × ` +
    `${counted(rounds, 'round')} = ${counted(measuredCount, 'request')}`
  const warmup = warmupCount === 0 ? '' : `, after ${formatCount(warmupCount)} to warm up`
  const lines = [
    line('plan', product + warmup),
    line('', contenderIds.join(' · ')),
    line(
      'corpus',
      `${plan.corpusName} · ${counted(utteranceCount, 'utterance')} · ${formatSeconds(plan.audioSeconds)} of audio · verified`,
    ),
    line('load', `${plan.schedule} · audio sent as ${plan.transport}`),
    line('target', plan.target + (plan.serviceVersion === null ? '' : ` · service ${plan.serviceVersion}`)),
    ...plan.skipped.map(({ id, reason }) => line('skipped', `${id}: ${reason}`)),
  ]
  const warnings = plan.warnings.map((warning) =>
    labelled(paint(inSigns('~', terminal), 'caution', terminal), foreign(warning), 1, terminal),
  )
  return [...lines, ...warnings].join('\n')
}

/** One setting of a config as it will be used, and where it comes from. */
export interface SettingText {
  /** As in the file: `load.concurrency`. */
  readonly key: string
  readonly value: unknown
  /** `default`, `configs/quick.yaml:3:5`, `--rounds`, `ASRBENCH_TARGET`. */
  readonly from: string
}

const settingColumns: readonly TableColumn<SettingText>[] = [
  { header: 'setting', align: 'left', dropOrder: 0, cell: ({ key }) => key },
  { header: 'value', align: 'left', dropOrder: 0, cell: ({ value }) => foreign(JSON.stringify(value) ?? '') },
  { header: 'from', align: 'left', dropOrder: 0, cell: ({ from }) => foreign(from) },
]

/** Every setting with its value and its origin: what `--dry-run` shows. */
export function renderDryRun(settings: readonly SettingText[], terminal: Terminal): string {
  return layTable(settingColumns, settings, '  ', terminal).lines.join('\n')
}
