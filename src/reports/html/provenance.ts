import type { Evaluation } from '#analysis'
import type { Json, RunRecord } from '#journal'
import { formatSeconds } from '../units.ts'
import type { ProvenanceEntry, ProvenanceGroup } from './page-document.ts'

/** How the figures of a run came to be. Holds nothing secret: a run record does not. */
export function provenanceOf(record: RunRecord, evaluation: Evaluation): ProvenanceGroup[] {
  const { host, target, corpus } = record
  const { profile, seed } = evaluation
  const ended = record.endedAt === null ? 'never recorded' : record.endedAt
  return [
    {
      title: 'Run',
      entries: entries({
        run: record.id,
        command: record.command.join(' '),
        status: record.ending === null ? record.status : `${record.status}: ${record.ending.message}`,
        started: record.startedAt,
        ended,
        asrbench: host.asrbenchVersion,
      }),
    },
    {
      title: 'Target',
      entries: entries({
        address: `${target.baseUrl} (${target.kind})`,
        ...(target.health === null
          ? {}
          : { service: `version ${target.health.app_version}, API version ${target.health.api_version}` }),
        ...Object.fromEntries(
          record.contenders.map(({ id, engine, model, language }) => [
            id,
            [engine, model, language].filter((part) => part !== null).join(' · '),
          ]),
        ),
      }),
    },
    {
      title: 'Corpus and scoring',
      entries: entries({
        corpus: `${corpus.name}, ${corpus.utteranceCount} utterances, ${formatSeconds(corpus.audioSeconds)}`,
        'corpus fingerprint': corpus.fingerprint,
        ...(corpus.excluded.length === 0 ? {} : { 'left out': corpus.excluded.join(', ') }),
        profile: profile.id,
        'profile fingerprint': profile.fingerprint,
        alignment: evaluation.alignment,
        'seed of plan and intervals': String(seed),
      }),
    },
    {
      title: 'Machine',
      entries: entries({
        processor: `${host.cpuModel}, ${host.cpuCount} logical`,
        memory: `${(host.memoryBytes / 2 ** 30).toFixed(1)} GiB`,
        system: `${host.platform} ${host.release}, ${host.architecture}`,
        Node: host.nodeVersion,
      }),
    },
    { title: 'Settings', entries: settingEntries(record.config, '') },
  ]
}

/** What to type to measure the same again. */
export function reproduceCommands(record: RunRecord): string[] {
  const { command, corpus } = record
  return [
    `asrbench corpus verify ${corpus.name}`,
    command.length === 0 ? 'asrbench run' : command.join(' '),
    'asrbench compare <this run> latest',
  ]
}

function entries(values: Readonly<Record<string, string>>): ProvenanceEntry[] {
  return Object.entries(values).map(([name, value]) => ({ name, value, source: null }))
}

/** The settings as dotted keys, objects and lists laid out. */
function settingEntries(value: Json, path: string): ProvenanceEntry[] {
  if (value === null || typeof value !== 'object')
    return [{ name: path, value: value === null ? '–' : String(value), source: null }]
  const inner = Object.entries(value)
  if (inner.length === 0) return [{ name: path, value: 'none', source: null }]
  return inner.flatMap(([key, each]) => settingEntries(each, path === '' ? key : `${path}.${key}`))
}
