import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '#audio/sound-stream'
import type { RuleResult } from '#conformance/run-conformance-cases'
import type { Platform } from '#contract/enums'
import { type CheckedConformance, type ConformanceRequest, checkConformance } from '#run/target/conformance'
import { startService } from '#service/service'
import type { RunningService } from '#service/settings'
import { saying, startChatServer } from '../service/chat-server.ts'
import { type ScriptedAnswer, scriptedCatalogue } from '../service/scripted-catalogue.ts'

const sampleRateHz = 16_000

const spoken: ScriptedAnswer = {
  text: 'Hello wonderful world.',
  delayMs: 50,
  segments: [{ id: 0, start: 0, end: 1, text: 'Hello wonderful world.' }],
  words: [{ word: 'Hello', start: 0, end: 0.5 }],
}

/** A service of one profile with a microphone, a language model, recordings kept, a model that answers and one that is absent. */
export interface ConformingService extends AsyncDisposable {
  readonly service: RunningService
  /** A folder that the service may read. */
  readonly folder: string
}

export async function startConforming(
  profile: Platform,
  languages: readonly string[] = [],
): Promise<ConformingService> {
  const top = await mkdtemp(join(tmpdir(), 'transcribench-conforming-'))
  const folder = await mkdtemp(join(top, 'readable-'))
  const microphoneFile = join(top, 'microphone.wav')
  await writeFile(microphoneFile, encodeWav(new Float32Array(sampleRateHz).fill(0.1), sampleRateHz))
  const chat = await startChatServer(() => saying('Hello, world.'))
  const service = await startService({
    profile,
    dataDir: join(top, 'data'),
    allowDirs: [folder],
    record: true,
    microphoneFile,
    env: { OLLAMA_BASE_URL: chat.baseUrl },
    catalogue: scriptedCatalogue({
      // A dictation takes long enough to be cancelled.
      echo: { languages, byFile: { 'microphone.wav': { ...spoken, delayMs: 400 } }, otherwise: spoken },
      absent: { installed: false },
    }),
  })
  return {
    service,
    folder,
    async [Symbol.asyncDispose]() {
      await service.stop()
      await chat[Symbol.asyncDispose]()
      await rm(top, { recursive: true, force: true })
    },
  }
}

/**
 * A service as it is on a server: no microphone, and cloud providers without a key.
 *
 * @param engines of which the models are listed all the same
 */
export async function startKeyless(
  profile: Platform,
  engines: string | null = 'engines: [{ kind: openai, provider: groq }]',
): Promise<ConformingService> {
  const top = await mkdtemp(join(tmpdir(), 'transcribench-keyless-'))
  const folder = await mkdtemp(join(top, 'readable-'))
  const enginesFile = join(top, 'engines.yaml')
  if (engines !== null) await writeFile(enginesFile, engines)
  const service = await startService({
    profile,
    dataDir: join(top, 'data'),
    allowDirs: [folder],
    ...(engines === null ? {} : { enginesFile }),
    env: {},
  })
  return {
    service,
    folder,
    async [Symbol.asyncDispose]() {
      await service.stop()
      await rm(top, { recursive: true, force: true })
    },
  }
}

/** Every case that the profile allows, against a discovery file. */
export function checkAll(
  target: string,
  platform: Platform,
  changes: Partial<ConformanceRequest> = {},
): Promise<CheckedConformance> {
  return checkConformance({
    target,
    platform,
    writes: true,
    isDisposable: true,
    only: [],
    folder: null,
    env: {},
    ...changes,
  })
}

export function idsOf(results: readonly RuleResult[], kind: RuleResult['verdict']['kind']): string[] {
  return results.filter(({ verdict }) => verdict.kind === kind).map(({ rule }) => rule.id)
}

/** Rules with what was seen, for a test that fails to say why. */
export function brokenWith(results: readonly RuleResult[]): string[] {
  return results.flatMap(({ rule, verdict }) =>
    verdict.kind === 'broken' ? [`${rule.id}: ${verdict.seen}`] : [],
  )
}
