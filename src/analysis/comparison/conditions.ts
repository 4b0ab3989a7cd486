import type { RecordedContender, RecordedTarget, RunRecord } from '#journal'
import type { Condition } from '../documents/comparison.ts'
import { evaluatedLoad } from '../figures/evaluated-load.ts'

/**
 * How the runs of two sides were made, side by side in words, so that a reader sees what else differs besides the
 * contender. Where the runs of one side differ among themselves, all of it is named.
 */
export function conditionsOf(
  base: readonly RunRecord[],
  run: readonly RunRecord[],
  contenders: { readonly base: readonly RecordedContender[]; readonly run: readonly RecordedContender[] },
): readonly Condition[] {
  const both = (key: Condition['key'], describe: (record: RunRecord) => string): Condition => ({
    key,
    base: [...new Set(base.map(describe))].join(' or '),
    run: [...new Set(run.map(describe))].join(' or '),
  })
  return [
    {
      key: 'contender',
      base: contenders.base.map(describeContender).join(' · '),
      run: contenders.run.map(describeContender).join(' · '),
    },
    both('corpus', ({ corpus }) => `${corpus.name} (${corpus.fingerprint.slice(0, 12)})`),
    both('load', (record) => evaluatedLoad(record).description),
    both('rounds', ({ rounds }) => `${rounds} round${rounds === 1 ? '' : 's'}`),
    both('machine', ({ host }) => describeMachine(host)),
    both('service', (record) =>
      targetsOf(record)
        .map(({ health }) => `service ${health?.app_version ?? 'of unknown version'}`)
        .join(', '),
    ),
    both('target', (record) => targetWords(record)),
    both('transcribench', ({ host }) => `transcribench ${host.programVersion}`),
  ]
}

/**
 * What answered, with its address: `openai http://10.0.0.5:8000/v1`. A query is left out, which may hold a key. The built-in service
 * and one that is found have another port each time they start, which is no difference.
 */
export function targetWords(record: Pick<RunRecord, 'target' | 'targets'>): string {
  const words = targetsOf(record).map(({ kind, baseUrl }) => {
    if (kind === 'embedded' || kind === 'discovered' || !URL.canParse(baseUrl)) return kind
    const { origin, pathname } = new URL(baseUrl)
    return `${kind} ${origin}${pathname.replace(/\/$/, '')}`
  })
  return words.join(', ')
}

function targetsOf({ target, targets }: Pick<RunRecord, 'target' | 'targets'>): readonly RecordedTarget[] {
  return targets ?? [target]
}

/** `AMD Ryzen 7, 8 processors, linux`. */
export function describeMachine({ cpuModel, cpuCount, platform }: RunRecord['host']): string {
  return `${cpuModel}, ${cpuCount} processors, ${platform}`
}

function describeContender({ id, engine, model, language }: RecordedContender): string {
  const parts = [engine, model === id ? null : model, language].filter((part) => part !== null)
  return parts.length === 0 ? id : `${id} (${parts.join(', ')})`
}
