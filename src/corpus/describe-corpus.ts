import { dirname, join } from 'node:path'
import { exists } from '#installation/files'
import type { TranscriptPart } from '#scoring/alignment/networks'
import { parseMarkup } from '#scoring/formats/trn'
import type { Manifest } from './manifest/manifest.ts'
import { findImportFile, readSourceFile } from './provenance.ts'
import { corpusFingerprint, type Utterance } from './utterance.ts'
import { wordCounter } from './words.ts'

interface Tally {
  readonly name: string
  readonly utteranceCount: number
}

interface DurationBin {
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
  /** Texts of an engine that no person has reviewed. */
  readonly draftCount: number
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
 * Counts what a corpus holds, batch by batch. Reads source.json next to the manifest and looks for a README.md; opens no
 * audio.
 *
 * @throws BenchError CORPUS_NOT_FETCHABLE when source.json is there and unusable; what reading the batches throws
 */
export async function describeCorpus(
  { name, manifestPath }: Pick<Manifest, 'name' | 'manifestPath'>,
  batches: Iterable<readonly Utterance[]> | AsyncIterable<readonly Utterance[]>,
): Promise<CorpusDescription> {
  const folder = dirname(manifestPath)
  const licence = (await readSourceFile(folder))?.licence ?? (await findImportFile(folder))?.licence ?? null
  const fingerprint = corpusFingerprint()
  const countWords = wordCounter()
  const [languages, speakers, tags] = [tally(), tally(), tally()]
  const bins = binEdges.map(() => 0)
  let [utteranceCount, knownDurationCount, audioSeconds, wordCount] = [0, 0, 0, 0]
  let [emptyReferenceCount, severalWaysCount, draftCount, hashedCount] = [0, 0, 0, 0]
  const add = (utterance: Utterance): void => {
    const { durationSeconds, text, alternatives, hasChoices, isDraft, sha256 } = utterance
    utteranceCount += 1
    if (durationSeconds !== null) {
      knownDurationCount += 1
      audioSeconds += durationSeconds
      const bin = binEdges.findLastIndex((edge) => durationSeconds >= edge)
      bins[bin] = (bins[bin] ?? 0) + 1
    }
    wordCount += countWords(firstWay(utterance), utterance.language)
    if (text === '') emptyReferenceCount += 1
    if (alternatives.length > 0 || hasChoices) severalWaysCount += 1
    if (isDraft) draftCount += 1
    if (sha256 !== null) hashedCount += 1
    fingerprint.add(utterance)
    languages.add(utterance.language)
    speakers.add(utterance.speaker)
    utterance.tags.forEach(tags.add)
  }
  for await (const batch of batches) batch.forEach(add)
  return {
    name,
    manifestPath,
    fingerprint: hashedCount === utteranceCount ? fingerprint.finish() : null,
    utteranceCount,
    audioSeconds: knownDurationCount < utteranceCount ? null : audioSeconds,
    knownDurationCount,
    wordCount,
    emptyReferenceCount,
    severalWaysCount,
    draftCount,
    hashedCount,
    languages: languages.list(),
    speakers: speakers.list(),
    tags: tags.list(),
    durationHistogram: histogram(bins),
    licence,
    provenancePath: (await exists(folder, 'README.md')) ? join(folder, 'README.md') : null,
  }
}

function firstWay({ text, hasChoices }: Utterance): string {
  const parsed = hasChoices ? parseMarkup(text) : null
  return parsed?.ok === true ? listWords(parsed.parts).join(' ') : text
}

function listWords(parts: readonly TranscriptPart[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'words') return part.words
    return part.kind === 'optional' ? [part.word] : listWords(part.branches[0] ?? [])
  })
}

/** Most frequent first. */
function tally(): { add(name: string | null): void; list(): readonly Tally[] } {
  const counts = new Map<string, number>()
  return {
    add(name) {
      if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
    },
    list: () =>
      [...counts]
        .map(([name, utteranceCount]) => ({ name, utteranceCount }))
        .sort(
          (left, right) => right.utteranceCount - left.utteranceCount || (left.name < right.name ? -1 : 1),
        ),
  }
}

/** @param counts of the bins, in their order */
function histogram(counts: readonly number[]): readonly DurationBin[] {
  const bins = binEdges.map((fromSeconds, index) => ({
    fromSeconds,
    toSeconds: binEdges[index + 1] ?? null,
    utteranceCount: counts[index] ?? 0,
  }))
  const isUsed = ({ utteranceCount }: DurationBin): boolean => utteranceCount > 0
  return bins.slice(Math.max(0, bins.findIndex(isUsed)), bins.findLastIndex(isUsed) + 1)
}
