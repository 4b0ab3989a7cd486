import { stat } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { evaluateRun } from '#analysis/evaluate-run'
import { findMimeType } from '#audio/format'
import { type CorrectionsFile, correctionsPath, readCorrections } from '#corpus/corrections'
import { readCorpus } from '#corpus/read-corpus'
import { findRunCorpus, type RecordedRun, readRun } from '#journal/run-reader'
import { servedHtml } from '#reports/html-page'
import {
  type BoardRow,
  type CorpusPage,
  type CorrectionRequest,
  type PageCorrection,
  type PageUtterance,
  pageFormatVersion,
} from '#reports/layout/page-document'
import type { ServedPage } from '#reports/page'
import { runPage } from '#reports/run/run-page'
import { openLineFile, reviewErrors } from '#review/correction-file'
import { type PageServer, type PageServerOptions, startPageServer } from '#review/page-server'
import { defaultProfile } from '#scoring/profiles/index'
import { resultsErrors } from './errors.ts'
import { pageAssets } from './page-assets.ts'
import { findRecordings, type Recordings } from './run-page-file.ts'

export interface ReviewOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Name of the reviewer, recorded with every correction. */
  readonly by: string
  /** Port number; 0 for a free one. */
  readonly port: number
  readonly today: () => Date
  /** Shell command that applies corrections to a run. */
  scoreCommand(folder: string): string
}

/** A served page for correcting references, until it is disposed. */
export interface Reviewing extends AsyncDisposable {
  /** Link for one tab. */
  readonly address: string
  /** Absolute path of the corrections file. */
  readonly file: string
  readonly utteranceCount: number
  /** Number of suspect references, which all contenders contradict with the same words, or of a corpus's drafts. */
  readonly doubtCount: number
  readonly isCorpus: boolean
  /** Number of utterances with a playable recording. */
  readonly audibleCount: number
}

/**
 * Serves the page of a run for correcting the references of its corpus.
 *
 * @throws BenchError of the journal's and the corpus's tables, CORPUS_GONE, CORRECTIONS_UNREADABLE,
 *   CORRECTIONS_UNWRITABLE, REVIEW_PORT_TAKEN
 */
export async function reviewRun(folder: string, options: ReviewOptions): Promise<Reviewing> {
  const run = await readRun(folder)
  const name = await findRunCorpus(run)
  if (name === null) {
    throw resultsErrors.make('CORPUS_GONE', {
      message: `${basename(folder)} does not say which corpus it was made of`,
      hint: 'review the corpus itself: transcribench review <corpus>',
    })
  }
  const file = await correctionsPath(name, { env: options.env })
  const recordings = await findRecordings(run, options.env)
  const evaluation = evaluateRun(run)
  const { document, rows } = runPage(evaluation, run, { audioOf: findAddress(recordings) })
  return await startReviewing(file, recordings, options, {
    page: (corrections, correcting) => ({ document, rows, corrections, correcting }),
    board: (corrections) => countBoard(run, corrections),
    references: new Map(
      run.utterances.map(({ id, reference, alternatives = [] }) => [id, [reference, ...alternatives]]),
    ),
    utteranceCount: rows.length,
    doubtCount: evaluation.audit.suspects.length,
    scoreCommand: options.scoreCommand(folder),
  })
}

/**
 * Serves a corpus alone for correcting its references.
 *
 * @param nameOrPath as for `readCorpus`
 * @throws as `reviewRun`
 */
export async function reviewCorpus(nameOrPath: string, options: ReviewOptions): Promise<Reviewing> {
  const { env } = options
  const corpus = await readCorpus(nameOrPath, { env }, { drafts: true })
  const recordings = new Map(corpus.utterances.map(({ id, audioPath }) => [id, audioPath]))
  const audioOf = findAddress(recordings)
  const rows = corpus.utterances.map(
    ({ id, text, durationSeconds, speaker, language, tags }): PageUtterance => ({
      id,
      reference: text,
      seconds: durationSeconds ?? 0,
      speaker,
      language,
      tags,
      audio: audioOf({ id }),
      texts: [],
      attempts: [],
    }),
  )
  const document: CorpusPage = {
    kind: 'corpus',
    formatVersion: pageFormatVersion,
    title: corpus.name,
    scoring: {
      profileId: defaultProfile(
        corpus.utterances.at(0)?.language ?? null,
        'canonical',
        corpus.utterances.map(({ text }) => text),
      ).id,
      rules: [],
      isComplete: true,
    },
    utteranceCount: rows.length,
    draftIds: corpus.utterances.flatMap(({ id, isDraft }) => (isDraft ? id : [])),
  }
  return await startReviewing(await correctionsPath(nameOrPath, { env }), recordings, options, {
    page: (corrections, correcting) => ({ document, rows, corrections, correcting }),
    board: () => [],
    references: new Map(rows.map(({ id, reference }) => [id, [reference ?? '']])),
    utteranceCount: rows.length,
    doubtCount: document.draftIds.length,
    scoreCommand: null,
  })
}

interface Reviewed {
  page(corrections: readonly PageCorrection[], correcting: ServedPage['correcting']): ServedPage
  board(corrections: CorrectionsFile): readonly BoardRow[]
  readonly references: ReadonlyMap<string, readonly string[]>
  readonly utteranceCount: number
  readonly doubtCount: number
  readonly scoreCommand: string | null
}

async function startReviewing(
  file: string,
  recordings: Recordings,
  { by, port, today }: ReviewOptions,
  reviewed: Reviewed,
): Promise<Reviewing> {
  // The file is opened before the page is served, so that an unreadable one is reported now, not after an hour.
  await correctionsSoFar(file)
  const lines = await openLineFile(file)
  const options: PageServerOptions = {
    html: servedHtml(await pageAssets()),
    port,
    document: async () =>
      reviewed.page((await correctionsSoFar(file)).lines, {
        by,
        file: relative(process.cwd(), file),
        scoreCommand: reviewed.scoreCommand,
      }),
    recordings: new Map([...recordings].map(([id, path]) => [id, { path, mediaType: findMimeType(path) }])),
    correcting: {
      correct: async (request) => {
        refuseStale(request, reviewed.references, (await correctionsSoFar(file)).lines)
        const correction: PageCorrection = { ...request, when: today().toISOString(), by }
        await lines.append(correction)
        return correction
      },
      board: async () => reviewed.board(await correctionsSoFar(file)),
    },
  }
  const server: PageServer = await startPageServer(options).catch(async (error: unknown) => {
    await lines[Symbol.asyncDispose]()
    throw error
  })
  return {
    address: server.address,
    file,
    utteranceCount: reviewed.utteranceCount,
    doubtCount: reviewed.doubtCount,
    isCorpus: reviewed.scoreCommand === null,
    audibleCount: recordings.size,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await lines[Symbol.asyncDispose]()
    },
  }
}

/** Refuses a correction that `correctReferences` would ignore when scoring. */
function refuseStale(
  { utteranceId, before }: CorrectionRequest,
  references: ReadonlyMap<string, readonly string[]>,
  corrections: CorrectionsFile['lines'],
): void {
  const texts = references.get(utteranceId)
  const corrected = corrections.filter((line) => line.utteranceId === utteranceId).map(({ after }) => after)
  if (texts !== undefined && [...texts, ...corrected].includes(before)) return
  throw reviewErrors.make('CORRECTION_REFUSED', {
    message:
      texts === undefined
        ? `there is no utterance "${utteranceId}" here`
        : `"${before}" is not the reference of "${utteranceId}"`,
    hint: 'reload the page, and correct the text that it shows then',
  })
}

async function correctionsSoFar(file: string): Promise<CorrectionsFile> {
  const found = await stat(file).catch(() => null)
  return found === null ? { source: file, fingerprint: '', lines: [] } : await readCorrections(file)
}

/** The board as `transcribench score <run> --corrections` would compute it. */
function countBoard(run: RecordedRun, corrections: CorrectionsFile): readonly BoardRow[] {
  const { contenders, profile } = evaluateRun(run, corrections.lines.length === 0 ? {} : { corrections })
  return contenders.map(({ contender, [profile.leads]: { rate, interval, counts } }) => ({
    contenderId: contender.id,
    rate,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    counts,
  }))
}

function findAddress(recordings: Recordings): (utterance: { readonly id: string }) => string | null {
  return ({ id }) => (recordings.has(id) ? `/audio/${encodeURIComponent(id)}` : null)
}
