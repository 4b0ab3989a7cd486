import type { Problem } from '#prelude'
import type { Manifest } from '../manifest/manifest.ts'
import { type TakeOptions, takeUtterances } from '../read-corpus.ts'
import { corpusFingerprint, type VerifiedCorpus, type VerifiedUtterance } from '../utterance.ts'
import { type VerifyOptions, verifyBatches } from './verify-corpus.ts'

/** What the file of an utterance was found to be. */
type Measured = Pick<VerifiedUtterance, 'durationSeconds' | 'sha256' | 'sizeBytes' | 'mimeType'>

/** A corpus whose recordings are what its manifest says. */
export interface VerifiedManifest
  extends Pick<VerifiedCorpus, 'name' | 'manifestPath' | 'fingerprint' | 'audioSeconds'> {
  readonly warnings: readonly Problem[]
  /** Reads the manifest once more. */
  utterances(): AsyncIterable<VerifiedUtterance>
}

/**
 * Verifies a corpus of any size: of an utterance, memory holds what its file was found to be.
 *
 * @throws BenchError as `Manifest.batches`, `takeUtterances` and `verifyBatches`
 */
export async function verifyManifest(
  manifest: Manifest,
  take: Omit<TakeOptions, 'sample'>,
  options: VerifyOptions = {},
): Promise<VerifiedManifest> {
  const warnings: Problem[] = []
  // What is wrong with the manifest is known in seconds, so that no recording is opened in vain.
  for await (const _batch of takeUtterances(manifest, take, (warning) => warnings.push(warning)));
  const fingerprint = corpusFingerprint()
  const measured: Measured[] = []
  let audioSeconds = 0
  for await (const batch of verifyBatches(manifest, takeUtterances(manifest, take), {
    ...options,
    onWarning: (warning) => warnings.push(warning),
  })) {
    for (const utterance of batch) {
      fingerprint.add(utterance)
      const { durationSeconds, sha256, sizeBytes, mimeType } = utterance
      measured.push({ durationSeconds, sha256, sizeBytes, mimeType })
      audioSeconds += utterance.durationSeconds
    }
  }
  const { name, manifestPath } = manifest
  async function* utterances(): AsyncGenerator<VerifiedUtterance> {
    let position = 0
    for await (const batch of takeUtterances(manifest, take)) {
      for (const utterance of batch) {
        yield { ...utterance, ...(measured[position] as Measured) }
        position += 1
      }
    }
  }
  return { name, manifestPath, fingerprint: fingerprint.finish(), audioSeconds, warnings, utterances }
}
