import { join } from 'node:path'
import type { OfflineModelConfig, OfflineRecognizer, TimedTokens } from 'sherpa-onnx-node'
import type { TimedWord } from '#contract/transcription'
import { failed, formatAbove, type Outcome, succeeded } from '#prelude'
import { collectEvery, garbageCollector } from '../garbage-collector.ts'
import { type EngineDelays, type EngineFailure, engineSampleRateHz, type Spoken } from './engine.ts'
import {
  codeOfTag,
  type RoleFiles,
  readOnnxMetadata,
  type SherpaFamily,
  tagOfCode,
} from './sherpa-families.ts'

/** A sherpa-onnx model on disk, and how to run it. */
export interface RecogniserModel {
  readonly family: string
  readonly folder: string
  /** File names by the roles of the family. */
  readonly files: RoleFiles
  readonly threads: number
}

/** A sherpa-onnx model in this process. A damaged file or a bug in native code can end the process. */
export interface Recogniser {
  /** @param language BCP 47 tag; null lets the model detect it */
  transcribe(samples: Float32Array, language: string | null): Promise<Outcome<Spoken, EngineFailure>>
}

/**
 * Minimum input of the encoders' convolutions. sherpa-onnx also returns an empty text for a shorter clip, but
 * after an exception and ten lines on stderr.
 */
const shortestClipSeconds = 0.1

/** Loads a model. Loading and decoding run in Node's thread pool, off the event loop. */
export async function loadRecogniser(
  family: SherpaFamily,
  { folder, files, threads }: Omit<RecogniserModel, 'family'>,
): Promise<Outcome<Recogniser, EngineFailure>> {
  const at = (role: string): string => join(folder, files[role] ?? '')
  const metadata = await readOnnxMetadata(at(family.describedBy))
  const configFor = (language: string): { readonly modelConfig: OfflineModelConfig } => ({
    modelConfig: {
      ...family.config({ at, language, metadata }),
      tokens: at('tokens'),
      numThreads: threads,
      provider: 'cpu',
      debug: 0,
    },
  })
  try {
    // The library is imported here, so that platforms without it can still list and explain models.
    const { default: sherpa } = await import('sherpa-onnx-node')
    const create = (language: string): Promise<OfflineRecognizer> =>
      sherpa.OfflineRecognizer.createAsync(configFor(language))
    const first = await create('')
    const use = family.forcing === 'apart' ? useApart(first, create) : useInTurns(first, configFor)
    const codes = family.languageCodes(files, metadata)
    return succeeded(loaded(use, family, codes, family.frameSeconds(metadata)))
  } catch (error) {
    return failed({
      code: 'ENGINE_UNAVAILABLE',
      message: `The engine could not be started: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'sherpa-onnx-node ships for Linux, macOS and Windows on x64 and arm64 as optional packages.',
    })
  }
}

function loaded(
  use: UseRecognizer,
  { displayName, maxClipSeconds, forcing }: SherpaFamily,
  codes: readonly string[],
  frameSeconds: number | null,
): Recogniser {
  // sherpa-onnx frees a stream only when the garbage collector finds it unreachable. The collector does not
  // count its native memory, and so rarely runs: two hours of speech added 190 MB, or 40 MB with a collection
  // after every four streams. Collecting the young generation is enough, because such a stream is still in
  // it.
  const collectStreams = collectEvery(maxWaitingBytes)
  // A model of a single language needs no language code.
  const only = codes.length === 1 ? tagOfCode(codes[0] ?? '') : null
  return {
    async transcribe(samples, language) {
      const durationSeconds = samples.length / engineSampleRateHz
      if (durationSeconds < shortestClipSeconds) return succeeded({ text: '', language: only })
      if (durationSeconds > maxClipSeconds) {
        const message = `${displayName} takes up to ${maxClipSeconds} s at once, not ${formatAbove(durationSeconds, maxClipSeconds)} s.`
        return failed({ code: 'TRANSCRIPTION_FAILED', message })
      }
      // sherpa-onnx ends the process for a code that the model does not have.
      const code = forcing === null || only !== null ? '' : codeOfTag(language, codes)
      return use(code, async (recognizer, delays) => {
        const stream = recognizer.createStream()
        stream.acceptWaveform({ samples, sampleRate: engineSampleRateHz })
        const answer = await recognizer.decodeAsync(stream)
        collectStreams(samples.byteLength)
        const { text, lang = '' } = answer
        // A multilingual model reports a language even for silence. Without text and language the decoding
        // has failed, and the reason is only on stderr.
        if (text === '' && lang === '' && codes.length > 1) {
          const message = `${displayName} could not decode the recording: its files are no export that sherpa-onnx reads.`
          return failed({ code: 'TRANSCRIPTION_FAILED', message })
        }
        const words = frameSeconds === null ? undefined : wordTimes(answer, frameSeconds, durationSeconds)
        return succeeded({ text, language: only ?? languageTag(lang), words, delays })
      })
    },
  }
}

/** Runs work with a recogniser that is set to a language; an empty code means detection. */
type UseRecognizer = <Result>(
  code: string,
  work: (recognizer: OfflineRecognizer, delays: EngineDelays | undefined) => Promise<Result>,
) => Promise<Result>

/**
 * Uses one recogniser for all languages. Clips of one language are decoded concurrently. Others, and all that
 * follow, wait until no decode is running, because a decode reads the language midway.
 */
function useInTurns(
  recognizer: OfflineRecognizer,
  configFor: (code: string) => { readonly modelConfig: OfflineModelConfig },
): UseRecognizer {
  const waiting: { readonly code: string; readonly begin: () => void }[] = []
  let [current, count] = ['', 0]

  function admit(): void {
    for (;;) {
      const [next] = waiting
      if (next === undefined || (count > 0 && next.code !== current)) return
      waiting.shift()
      if (next.code !== current) recognizer.setConfig(configFor(next.code))
      current = next.code
      count += 1
      next.begin()
    }
  }

  return async (code, work) => {
    const arrivedAtMs = performance.now()
    let isDelayed = false
    await new Promise<void>((begin) => {
      waiting.push({ code, begin })
      admit()
      isDelayed = waiting.length > 0
    })
    const delays = isDelayed ? { loadMs: 0, waitMs: performance.now() - arrivedAtMs } : undefined
    try {
      return await work(recognizer, delays)
    } finally {
      count -= 1
      admit()
    }
  }
}

/** Maximum number of idle recognisers of one model, because each language loads the model again. */
const maxApart = 3

/** Uses one recogniser per language, loaded for its first clip. The least recently used one is freed. */
function useApart(
  first: OfflineRecognizer,
  create: (code: string) => Promise<OfflineRecognizer>,
): UseRecognizer {
  const recognizers = new Map([['', { loading: Promise.resolve(first), isLoaded: true, userCount: 0 }]])
  const collect = garbageCollector('major')

  function freeUnused(): void {
    for (const [code, { userCount }] of recognizers) {
      if (recognizers.size <= maxApart) return
      if (userCount > 0) continue
      recognizers.delete(code)
      // The collector frees the native memory with the object.
      setImmediate(collect)
    }
  }

  return async (code, work) => {
    const arrivedAtMs = performance.now()
    const entry = recognizers.get(code) ?? { loading: create(code), isLoaded: false, userCount: 0 }
    // Re-inserting keeps the map in order of last use.
    recognizers.delete(code)
    recognizers.set(code, entry)
    entry.userCount += 1
    const wasLoaded = entry.isLoaded
    try {
      const recognizer = await entry.loading
      entry.isLoaded = true
      return await work(
        recognizer,
        wasLoaded ? undefined : { loadMs: performance.now() - arrivedAtMs, waitMs: 0 },
      )
    } finally {
      entry.userCount -= 1
      if (!entry.isLoaded) recognizers.delete(code)
      freeUnused()
    }
  }
}

/** Maximum size of uncollected samples: four recordings of 30 s. */
const maxWaitingBytes = 8 * 2 ** 20

/** The BCP 47 tag of a reported language. Whisper reports `en`, SenseVoice `<|en|>`, other models nothing. */
export function languageTag(lang: string): string | null {
  const code = /^(?:<\|)?([a-z]{2,3})(?:\|>)?$/.exec(lang)?.[1]
  return code === undefined ? null : tagOfCode(code)
}

/** A token that is part of a character: a byte in text form, or undecodable bytes. */
const partOfCharacter = /<0x[0-9A-F]{2}>|\uFFFD/g

/** Scripts without spaces between words, in which each token counts as a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * Joins tokens to words with times. A word ends with its last token that has a letter or digit. For models
 * without durations, that is the end of the frame in which the token was found.
 *
 *   tokens   ▁the  ▁qu  ick  .        words   the  0.2–0.4
 *   from      0.2  0.6  0.8  1.4              quick.  0.6–1.1
 *   for       0.2  0.2  0.3  0.1
 *
 * @param frameSeconds length of a frame of the model
 * @returns undefined where the tokens have no times, or do not match the text
 */
export function wordTimes(
  { text, tokens = [], timestamps = [], durations = [] }: TimedTokens,
  frameSeconds: number,
  clipSeconds: number,
): readonly TimedWord[] | undefined {
  if (timestamps.length !== tokens.length) return undefined
  const words = findWords(text, tokens)
  if (words === null) return undefined
  const inClip = (seconds: number): number => Math.round(1000 * Math.min(seconds, clipSeconds)) / 1000
  const endOf = (token: number): number => {
    const start = timestamps[token] ?? 0
    const duration = durations[token]
    if (duration !== undefined) return start + duration
    return Math.min(start + frameSeconds, timestamps[token + 1] ?? Number.POSITIVE_INFINITY)
  }
  return words.flatMap(({ offset, first }, index): TimedWord[] => {
    const next = words[index + 1]
    const word = text.slice(offset, next?.offset).trim()
    if (word === '') return []
    let last = (next?.first ?? tokens.length) - 1
    while (last > first && !/[\p{L}\p{N}\uFFFD]/u.test(tokens[last] ?? '')) last -= 1
    const start = inClip(timestamps[first] ?? 0)
    return [{ word, start, end: Math.max(start, inClip(endOf(last))) }]
  })
}

interface FoundWord {
  /** Offset in the text. */
  readonly offset: number
  /** Index of its first token. */
  readonly first: number
}

/** @returns null where the tokens do not form the text */
function findWords(text: string, tokens: readonly string[]): readonly FoundWord[] | null {
  const words: FoundWord[] = []
  let offset = 0
  let isAfterBlank = true
  // Characters that are split over tokens can only be read from the text.
  let isGap = false
  for (const [first, token] of tokens.entries()) {
    const letters = token.replaceAll(partOfCharacter, '').trim()
    const isPart = token.search(partOfCharacter) !== -1
    if (letters === '' && !isPart) {
      isAfterBlank = true
      continue
    }
    const found = letters === '' ? offset : text.indexOf(letters, offset)
    const skipped = text.slice(offset, found)
    if (found === -1 || (!isGap && !isPart && skipped.trim() !== '')) return null
    // Consecutive parts of one character belong to one word.
    const isUnspaced = unspaced.test(letters.slice(0, 1)) || (!isGap && unspaced.test(text[offset - 1] ?? ''))
    if (isAfterBlank || /^\s/.test(token) || isUnspaced) {
      words.push({ offset: letters === '' || isPart ? offset : found, first })
    }
    isAfterBlank = /\s$/.test(token)
    isGap = isPart
    offset = found + letters.length
  }
  return isGap || text.slice(offset).trim() === '' ? words : null
}
