import { readFile } from 'node:fs/promises'
import type { Connection } from '#client/connection'
import { limits } from '#contract/enums'
import { describeFailure } from '#contract/failures'
import type { Recording } from '#contract/resources'
import { corpusErrors } from '#corpus/errors'
import { type ImportSource, makeSegment, openedPart } from '#corpus/import/source'
import { systemClock } from '#load/clock'
import { openTarget } from './open-target.ts'

/**
 * Dictations on this machine as a source of an import. Each recording that the application has kept is a draft, whose
 * text is the engine's before any post-processing. Newest first.
 *
 * @param target `auto`, a discovery file, or an address
 * @throws BenchError IMPORT_REFUSED if the target runs elsewhere or does not list its recordings, IMPORT_UNUSABLE if
 * it has kept none; errors of opening the target
 */
export async function openDictatedRecordings(
  target: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ImportSource> {
  const usual = { clock: systemClock, connections: 1, readableFolders: [] }
  await using opened = await openTarget({ ...usual, target, env })
  if (opened.discoveryPath === null) {
    throw corpusErrors.make('IMPORT_REFUSED', {
      message: `${opened.description} may run on another machine: its recordings are files there`,
      hint: 'type the command on that machine: transcribench corpus import recordings:',
    })
  }
  const { recordings, total } = await allRecordings(opened.connection)
  const withAudio = recordings.filter(
    ({ status, audioFilePath }) => status === 'completed' && audioFilePath !== '',
  )
  if (withAudio.length === 0) {
    throw corpusErrors.make('IMPORT_UNUSABLE', {
      message: `${opened.description} has kept the audio of none of its ${total} recordings`,
      hint: 'let the application keep recordings, dictate, and type the command again',
    })
  }
  return {
    title: `recordings of ${opened.description}`,
    name: 'recordings',
    licence: null,
    isOfDrafts: true,
    parts: withAudio.map((recording) => ({
      // Parts are keyed by id, because the list may have changed when an interrupted import is resumed.
      key: recording.id,
      open: async () => openedPart([sourceRecording(recording)], []),
    })),
  }
}

function sourceRecording(recording: Recording): ReturnType<typeof openedPart>['recordings'][number] {
  const { id, audioFilePath, mode, date, transcriptionProvider } = recording
  const text = recording.transcribedText === '' ? recording.text : recording.transcribedText
  const engine = transcriptionProvider === '' ? 'an engine' : transcriptionProvider
  return {
    id,
    where: audioFilePath,
    channel: null,
    cutAt: 'given',
    segments: [
      makeSegment({
        text,
        isDraft: true,
        tags: mode === '' ? [] : [mode],
        source: `dictated ${date}; the draft is by ${engine}`,
      }),
    ],
    read: () => readFile(audioFilePath),
  }
}

/** All recordings, requested in pages of 500 until there are no older ones. */
async function allRecordings(connection: Connection) {
  const byId = new Map<string, Recording>()
  let until: string | undefined
  for (;;) {
    const { maximum: limit } = limits.searchResults
    const found = await connection.searchRecordings({ limit, ...(until === undefined ? {} : { until }) })
    if (!found.ok) {
      throw corpusErrors.make('IMPORT_REFUSED', {
        message: `the application does not list its recordings: ${describeFailure(found.failure)}`,
        hint: 'see what it answers: transcribench doctor auto',
      })
    }
    const { recordings, total } = found.value
    const before = byId.size
    for (const recording of recordings) byId.set(recording.id, recording)
    const isLast = byId.size === before || recordings.length < limit
    if (isLast) return { recordings: [...byId.values()], total: Math.max(total, byId.size) }
    until = recordings.map(({ date }) => date).toSorted()[0]
  }
}
