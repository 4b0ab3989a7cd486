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
  /** Null for no upper limit. */
  readonly toSeconds: number | null
  readonly utteranceCount: number
}

/** The content of a corpus in numbers. All durations of a `VerifiedCorpus` are known. */
export interface CorpusDescription {
  readonly name: string
  readonly manifestPath: string
  /** Null where a recording has no hash yet; verification computes it. */
  readonly fingerprint: string | null
  readonly utteranceCount: number
  /** Null where the duration of any recording is unknown. */
  readonly audioSeconds: number | null
  readonly knownDurationCount: number
  /**
   * Number of words in the references before normalisation, by Unicode's word boundaries; of alternative
   * texts only the first counts.
   */
  readonly wordCount: number
  /** References that are empty because there is no speech. */
  readonly emptyReferenceCount: number
  /** References with alternative texts. */
  readonly severalWaysCount: number
  /** Unreviewed texts of an engine. */
  readonly draftCount: number
  readonly hashedCount: number
  /** Number of utterances by value, most frequent first; utterances without the value do not count. */
  readonly languages: readonly Tally[]
  readonly speakers: readonly Tally[]
  readonly tags: readonly Tally[]
  /** Histogram of the known durations, without empty bins at either end. */
  readonly durationHistogram: readonly DurationBin[]
  /** SPDX identifier from source.json or import.json, or null. */
  readonly licence: string | null
  /** Absolute path of the page that documents the source of the recordings, or null. */
  readonly provenancePath: string | null
}

/** Bin edges in seconds, each about twice the previous one, which suits the distribution of utterance lengths. */
const binEdges = [0, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600] as const

/**
 * Counts the content of a corpus batch by batch. Reads source.json and looks for a README.md next to the
 * manifest; opens no audio.
 *
 * @throws BenchError CORPUS_NOT_FETCHABLE where source.json is unusable; what reading the batches throws
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

/** Counts names; `list` returns the most frequent first. */
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

/** @param counts counts of the bins, in order */
function histogram(counts: readonly number[]): readonly DurationBin[] {
  const bins = binEdges.map((fromSeconds, index) => ({
    fromSeconds,
    toSeconds: binEdges[index + 1] ?? null,
    utteranceCount: counts[index] ?? 0,
  }))
  const isUsed = ({ utteranceCount }: DurationBin): boolean => utteranceCount > 0
  return bins.slice(Math.max(0, bins.findIndex(isUsed)), bins.findLastIndex(isUsed) + 1)
}
