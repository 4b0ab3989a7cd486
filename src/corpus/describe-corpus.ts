import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseMarkup, type TranscriptPart } from '#scoring'
import { findImportFile } from './import/import-file.ts'
import { readSourceFile } from './source-file.ts'
import type { Corpus, Utterance } from './utterance.ts'

export interface Tally {
  readonly name: string
  readonly utteranceCount: number
}

export interface DurationBin {
  readonly fromSeconds: number
  /** Null: no upper end. */
  readonly toSeconds: number | null
  readonly utteranceCount: number
}

/** What is in a corpus, in numbers. Of a `VerifiedCorpus` all durations are known. */
export interface CorpusDescription {
  readonly name: string
  readonly manifestPath: string
  /** Null where a recording has no hash yet: verifying reads it from the audio. */
  readonly fingerprint: string | null
  readonly utteranceCount: number
  /** Null where the length of any recording is not known. */
  readonly audioSeconds: number | null
  readonly knownDurationCount: number
  /**
   * Words of the references as written, by Unicode's word boundaries, before any normalisation; of what may be said in
   * several ways the first one.
   */
  readonly wordCount: number
  /** References that are empty because nothing is said. */
  readonly emptyReferenceCount: number
  /** References that may be said in several ways. */
  readonly severalWaysCount: number
  readonly hashedCount: number
  /** Most frequent first. Utterances without the value are not among them. */
  readonly languages: readonly Tally[]
  readonly speakers: readonly Tally[]
  readonly tags: readonly Tally[]
  /** Of the known durations; without the empty bins at both ends. */
  readonly durationHistogram: readonly DurationBin[]
  /** SPDX identifier from source.json or import.json, or null. */
  readonly licence: string | null
  /** Absolute path of the page that documents the source of the recordings, or null. */
  readonly provenancePath: string | null
}

/** In seconds, each about twice the one before, as lengths of utterances spread. */
const binEdges = [0, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600] as const

/**
 * Counts what a corpus holds. Reads source.json next to the manifest and looks for a README.md; opens no audio.
 *
 * @throws BenchError CORPUS_NOT_FETCHABLE when source.json is there and unusable
 */
export async function describeCorpus(corpus: Corpus): Promise<CorpusDescription> {
  const { utterances } = corpus
  const folder = dirname(corpus.manifestPath)
  const durations = utterances.flatMap(({ durationSeconds }) => durationSeconds ?? [])
  const provenancePath = join(folder, 'README.md')
  const hasProvenance = await access(provenancePath).then(
    () => true,
    () => false,
  )
  return {
    name: corpus.name,
    manifestPath: corpus.manifestPath,
    fingerprint: utterances.every(({ sha256 }) => sha256 !== null) ? corpus.fingerprint : null,
    utteranceCount: utterances.length,
    audioSeconds:
      durations.length < utterances.length ? null : durations.reduce((sum, seconds) => sum + seconds, 0),
    knownDurationCount: durations.length,
    wordCount: countWords(utterances),
    emptyReferenceCount: utterances.filter(({ text }) => text === '').length,
    severalWaysCount: utterances.filter(
      ({ alternatives, hasChoices }) => alternatives.length > 0 || hasChoices,
    ).length,
    hashedCount: utterances.filter(({ sha256 }) => sha256 !== null).length,
    languages: tally(utterances.map(({ language }) => language)),
    speakers: tally(utterances.map(({ speaker }) => speaker)),
    tags: tally(utterances.flatMap(({ tags }) => tags)),
    durationHistogram: histogram(durations),
    licence: (await readSourceFile(folder))?.licence ?? (await findImportFile(folder))?.licence ?? null,
    provenancePath: hasProvenance ? provenancePath : null,
  }
}

/** @see Unicode Standard Annex 29; the language decides where words end that no blanks divide */
function countWords(utterances: readonly Utterance[]): number {
  const segmenters = new Map<string | null, Intl.Segmenter>()
  let count = 0
  for (const utterance of utterances) {
    const { language } = utterance
    const segmenter =
      segmenters.get(language) ?? new Intl.Segmenter(language ?? undefined, { granularity: 'word' })
    segmenters.set(language, segmenter)
    for (const { isWordLike } of segmenter.segment(firstWay(utterance))) count += isWordLike === true ? 1 : 0
  }
  return count
}

function firstWay({ text, hasChoices }: Utterance): string {
  const parsed = hasChoices ? parseMarkup(text) : null
  return parsed?.ok === true ? wordsOf(parsed.parts).join(' ') : text
}

function wordsOf(parts: readonly TranscriptPart[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'words') return part.words
    return part.kind === 'optional' ? [part.word] : wordsOf(part.branches[0] ?? [])
  })
}

function tally(names: readonly (string | null)[]): readonly Tally[] {
  const counts = new Map<string, number>()
  for (const name of names) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .map(([name, utteranceCount]) => ({ name, utteranceCount }))
    .sort((left, right) => right.utteranceCount - left.utteranceCount || (left.name < right.name ? -1 : 1))
}

function histogram(durations: readonly number[]): readonly DurationBin[] {
  const bins = binEdges.map((fromSeconds, index) => {
    const toSeconds = binEdges[index + 1] ?? null
    const isInside = (seconds: number): boolean => seconds >= fromSeconds && seconds < (toSeconds ?? Infinity)
    return { fromSeconds, toSeconds, utteranceCount: durations.filter(isInside).length }
  })
  const isUsed = ({ utteranceCount }: DurationBin): boolean => utteranceCount > 0
  return bins.slice(Math.max(0, bins.findIndex(isUsed)), bins.findLastIndex(isUsed) + 1)
}
