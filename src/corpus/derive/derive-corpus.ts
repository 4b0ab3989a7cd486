import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { resample } from '#audio/resampling'
import { decodeSound } from '#audio/sound-stream'
import { counted, failed, fingerprint, type Outcome, type Problem, seededRandom } from '#prelude'
import { corpusErrors, undecodable } from '../errors.ts'
import { hashFile } from '../files.ts'
import type { CorpusEnvironment } from '../locate.ts'
import { readCorpus } from '../read-corpus.ts'
import type { VerifiedCorpus, VerifiedUtterance } from '../utterance.ts'
import { verifyCorpus } from '../verify-corpus.ts'
import { type DeriveRequest, derivedUtterances, planDerivation, type Rung } from './plan.ts'
import type { DeriveContext, Draft, Sound } from './transformation.ts'
import { type DerivedFolder, writeDerived } from './write-derived.ts'

export interface DeriveOptions extends CorpusEnvironment, DeriveRequest {
  /** The same seed gives the same bytes. */
  readonly seed: number
  /** Folder of the new corpus. Default: `corpora/<name>-<ladder or steps>`. */
  readonly output?: string | undefined
  /** Called with non-fatal problems, such as drafts that are left out. */
  readonly onWarning?: (warning: Problem) => void
  /** Called after each utterance, whether new or existing. */
  readonly onProgress?: (doneCount: number, utteranceCount: number) => void
  readonly signal?: AbortSignal
}

/**
 * Derives a corpus: applies the same steps to each utterance, once per value of a ladder. It writes 16-bit
 * mono WAV to `<output>.partial`, which is renamed when complete; a repeated call resumes.
 *
 * @throws BenchError of `readCorpus` and `verifyCorpus`; DERIVATION_INVALID with all problems of steps,
 *   ladder and files; DERIVATION_EXISTS where the output has other content; CORPUS_NOT_WRITABLE; the signal's
 *   reason
 */
export async function deriveCorpus(nameOrPath: string, options: DeriveOptions): Promise<DerivedFolder> {
  const { seed, signal, onWarning } = options
  const cwd = options.cwd ?? process.cwd()
  const parent = await verifyCorpus(
    await readCorpus(nameOrPath, options),
    signal === undefined ? {} : { signal },
  )
  for (const warning of parent.warnings) onWarning?.(warning)
  const read = soundCache(readSound)
  const utterances = parent.utterances.map((utterance) => createDraft(utterance, read))
  const { rungs, problems } = planDerivation(options, utterances)
  const files = new Set(rungs.flatMap(({ steps }) => steps.flatMap((step) => step.files)))
  const paths = new Map([...files].map((file) => [file, resolve(cwd, file)]))
  refuse([...tooLong(parent), ...problems, ...(await unusable(paths))])
  const context: DeriveContext = {
    utterances,
    randomFor: ({ parents }, purpose) =>
      // 32 bits of a fingerprint seed each stream, so that streams of different purposes are independent.
      seededRandom(Number.parseInt(fingerprint({ seed, parents, purpose }).slice(0, 8), 16) | 0),
    readSound: async (file, sampleRateHz) => {
      const sound = await read(paths.get(file) ?? resolve(cwd, file))
      return { samples: await resample(sound, sampleRateHz), sampleRateHz }
    },
  }
  const derived = derivedUtterances(rungs, { context, seed })
  const folder = resolve(cwd, options.output ?? join('corpora', `${parent.name}-${defaultSuffix(rungs)}`))
  return await writeDerived(derived, {
    folder,
    identity: {
      parent: { name: parent.name, fingerprint: parent.fingerprint },
      rungs: rungs.map(({ steps, ladder }) => ({
        steps: steps.map(({ name, parameters }) => ({ name, parameters })),
        ladder,
      })),
      seed,
      files: await hashes(paths),
    },
    ...options,
  })
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  throw corpusErrors.make('DERIVATION_INVALID', {
    message: `this corpus cannot be derived: ${counted(problems.length, 'problem')}, nothing was written`,
    hint: 'the transformations and their parameters: transcribench corpus derive --help',
    problems,
  })
}

/** Maximum length of a recording in hours; at 48 kHz, input and output take two gigabytes each. */
const maxHours = 3

function tooLong({ utterances, manifestPath }: VerifiedCorpus): readonly Problem[] {
  return utterances
    .filter(({ durationSeconds }) => durationSeconds > maxHours * 3600)
    .map(({ id, line, durationSeconds }) => ({
      where: `${basename(manifestPath)}:${line}`,
      what: `${id}  lasts ${Math.ceil(durationSeconds)} s, and ${maxHours * 3600} s (${maxHours} hours) are the most that can be changed; cut it into shorter files`,
    }))
}

async function unusable(paths: ReadonlyMap<string, string>): Promise<readonly Problem[]> {
  const problems: Problem[] = []
  for (const [file, path] of paths) {
    const opened = await openSound(path)
    if (!opened.ok) problems.push({ where: file, what: opened.failure })
  }
  return problems
}

async function hashes(paths: ReadonlyMap<string, string>): Promise<Readonly<Record<string, string>>> {
  const hashed: (readonly [file: string, sha256: string])[] = []
  for (const [file, path] of paths) hashed.push([file, await hashFile(path)])
  return Object.fromEntries(hashed)
}

async function openSound(path: string): Promise<Outcome<Sound, string>> {
  try {
    const decoded = await decodeSound(await readFile(path))
    return decoded.ok ? decoded : failed(decoded.failure.reason)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return failed(`cannot be read: ${error.message}`)
    throw error
  }
}

async function readSound(path: string): Promise<Sound> {
  const opened = await openSound(path)
  if (opened.ok) return opened.value
  throw undecodable(path, opened.failure)
}

function createDraft(utterance: VerifiedUtterance, read: (path: string) => Promise<Sound>): Draft {
  return { ...utterance, parents: [utterance.id], sound: () => read(utterance.audioPath) }
}

function defaultSuffix([first]: readonly Rung[]): string {
  return first?.ladder?.parameter ?? first?.steps.map(({ name }) => name).join('-') ?? 'derived'
}

/** Maximum number of cached samples, about 128 MB. */
const keptSamples = 32_000_000

/** Caches recently read sounds, because every rung and every babble reads them again. */
function soundCache(read: (path: string) => Promise<Sound>): (path: string) => Promise<Sound> {
  const sounds = new Map<string, Sound>()
  let size = 0
  return async (path) => {
    const sound = sounds.get(path) ?? (await read(path))
    if (sounds.delete(path)) size -= sound.samples.length
    sounds.set(path, sound)
    size += sound.samples.length
    for (const [oldest, { samples }] of sounds) {
      if (size <= keptSamples || oldest === path) break
      sounds.delete(oldest)
      size -= samples.length
    }
    return sound
  }
}
