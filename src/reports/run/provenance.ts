import type { Evaluation } from '#analysis/documents/evaluation'
import { type Json, type RecordedContender, type RunRecord, readCorpusName } from '#journal/run-record'
import { settingsInWords, shellWord } from '#prelude'
import type { ProvenanceEntry, ProvenanceGroup } from '../layout/page-document.ts'
import { counted, formatCount, formatSeconds } from '../layout/units.ts'

/** The conditions of a run's figures. They contain no secret, because a run record contains none. */
export function describeProvenance(record: RunRecord, evaluation: Evaluation): ProvenanceGroup[] {
  const { host, target, corpus } = record
  const { profile, seed } = evaluation
  const ended = record.endedAt === null ? 'never recorded' : record.endedAt
  return [
    {
      title: 'Run',
      entries: entries({
        run: record.id,
        command: typed(record.command),
        status: record.ending === null ? record.status : `${record.status}: ${record.ending.message}`,
        started: record.startedAt,
        ended,
        transcribench: host.programVersion,
      }),
    },
    {
      title: 'Target',
      // Entries are a list, not an object, because a target may have the name of a contender.
      entries: [
        ...(record.targets === undefined
          ? entries({ address: `${target.baseUrl} (${target.kind})` })
          : record.targets.map(({ id, baseUrl, kind, machine }) =>
              entry(id, `${baseUrl} (${kind}, ${machine})`),
            )),
        ...(target.health === null
          ? []
          : entries({
              service: `version ${target.health.app_version}, API version ${target.health.api_version}`,
            })),
        ...record.contenders.map(
          ({ id, target: ownTarget, engine, model, language, options, defaultOptions, ...price }) =>
            entry(
              id,
              [
                ownTarget ?? null,
                engine,
                model,
                language,
                settingsInWords({ ...defaultOptions, ...options }) || null,
                priceWords(price),
              ]
                .filter((part) => part !== null)
                .join(' · '),
            ),
        ),
      ],
    },
    {
      title: 'Corpus and scoring',
      entries: entries({
        corpus: `${corpus.name}, ${countUtterances(corpus)}, ${formatSeconds(corpus.audioSeconds)}`,
        'corpus fingerprint': corpus.fingerprint,
        ...(corpus.excluded.length === 0 ? {} : { excluded: corpus.excluded.join(', ') }),
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
        ...Object.fromEntries(unreadEntries(evaluation)),
      }),
    },
    { title: 'Settings', entries: settingEntries(record.config, '', record.settingSources ?? {}) },
  ]
}

export function reproduceCommands(record: RunRecord): string[] {
  const { command, corpus } = record
  return [
    // A corpus at a path is not found by its name.
    `transcribench corpus verify ${shellWord(readCorpusName(record) ?? corpus.name)}`,
    command.length === 0 ? 'transcribench run' : typed(command),
    'transcribench compare <this run> latest',
  ]
}

function typed(command: RunRecord['command']): string {
  return command.map(shellWord).join(' ')
}

function entries(values: Readonly<Record<string, string>>): ProvenanceEntry[] {
  return Object.entries(values).map(([name, value]) => entry(name, value))
}

function entry(name: string, value: string): ProvenanceEntry {
  return { name, value, source: null }
}

type Sources = NonNullable<RunRecord['settingSources']>

/** The settings as dotted keys, objects and lists flattened. */
function settingEntries(value: Json, path: string, sources: Sources): ProvenanceEntry[] {
  const source = findSource(path, sources)
  const entryOf = (text: string, from = source): ProvenanceEntry[] => [
    { name: path, value: text, source: from },
  ]
  // A key that is absent from a given object has its default.
  if (value === null) return entryOf('–', source === null ? null : (sources[path] ?? 'default'))
  if (typeof value !== 'object') return entryOf(String(value))
  const inner = Object.entries(value)
  if (inner.length === 0) return entryOf('none')
  return inner.flatMap(([key, each]) => settingEntries(each, path === '' ? key : `${path}.${key}`, sources))
}

/** Keys that a config file writes differently than the resolved config. */
const writtenAs: Readonly<Record<string, string>> = {
  requestTimeoutSeconds: 'timeout',
  'retries.backOffSeconds': 'retries.backOff',
}

/**
 * The source of a setting, or of the object or list that contains it. An object counts as given if some of its keys
 * were; null if nothing was recorded.
 */
function findSource(path: string, sources: Sources): ProvenanceEntry['source'] {
  const parts = (writtenAs[path] ?? path).split('.')
  for (let length = parts.length; length > 0; length -= 1) {
    const key = parts.slice(0, length).join('.')
    const exact = sources[key]
    if (exact !== undefined) return exact
    const contained = Object.entries(sources).find(
      ([each, source]) => each.startsWith(`${key}.`) && source !== 'default',
    )
    if (length < parts.length && contained !== undefined) return contained[1]
  }
  return null
}

function priceWords(
  contender: Pick<RecordedContender, 'usdPerMinute' | 'priceSource' | 'priceDate'>,
): string | null {
  const { usdPerMinute, priceSource, priceDate } = contender
  if (usdPerMinute == null || priceSource == null || priceDate == null) return null
  return `${usdPerMinute} USD a minute (${priceSource}, read ${priceDate})`
}

function unreadEntries({
  resources: { unread },
}: Pick<Evaluation, 'resources'>): readonly (readonly [what: string, reason: string])[] {
  if (unread === undefined) return []
  const all: readonly (readonly [string, string | null])[] = [
    ['server process', unread.server],
    ['graphics processors', unread.gpu],
    ['energy of the processor', unread.rapl],
    ['energy from a battery', unread.battery],
  ]
  return all.flatMap(([what, reason]) => (reason === null ? [] : [[what, `not read: ${reason}`] as const]))
}

type Counted = Pick<Evaluation['corpus'], 'utteranceCount' | 'sampledFrom'>

/** `18 utterances`; `20 of 436 utterances` for a sample. */
export function countUtterances({ utteranceCount, sampledFrom }: Counted): string {
  return sampledFrom == null
    ? counted(utteranceCount, 'utterance')
    : `${formatCount(utteranceCount)} of ${counted(sampledFrom, 'utterance')}`
}

/** The language detected in references whose manifest names none, and how to change it. */
export function writtenWords(language: string): string {
  const name = new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language
  return `references read as ${name}; --profile sets another one`
}

/** Text for references without a language in which no single language was detected. */
export const unnamedLanguage =
  'the corpus names no language; for English: --profile english, or "language": "en" in its manifest'

export interface Scored extends Pick<Evaluation, 'profile'> {
  readonly scoring: Pick<Evaluation['scoring'], 'fingerprint' | 'corrections'>
}

export function describeScore({ profile, scoring }: Scored): readonly string[] {
  return scoreWords(
    profile.id,
    scoring.fingerprint.slice(0, 8),
    scoring.corrections?.correctedIds.length ?? 0,
  )
}

/** @param fingerprint its first characters */
export function scoreWords(
  profileId: string,
  fingerprint: string,
  correctedCount: number,
): readonly string[] {
  return [
    `${profileId}, score file ${fingerprint}`,
    ...(correctedCount === 0 ? [] : [counted(correctedCount, 'corrected reference')]),
  ]
}
