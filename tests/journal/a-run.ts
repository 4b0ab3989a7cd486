import { defaultNoSpeechRules } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest, PlannedUtterance } from '#journal/plan-line'
import { type RunRecord, runFormatVersion } from '#journal/run-record'
import type { TelemetryLine } from '#journal/telemetry-line'

/** A complete, small run, for tests to change one thing of. */
export const aRecord: RunRecord = {
  formatVersion: runFormatVersion,
  id: '2026-11-21T07-31-02Z-quick',
  name: 'quick',
  status: 'started',
  startedAt: '2026-11-21T07:31:02.000Z',
  endedAt: null,
  pid: 4242,
  command: ['transcribench', 'run'],
  config: { name: 'quick' },
  seed: 1,
  rounds: 1,
  load: { kind: 'closed', concurrency: 1 },
  scoringProfile: 'basic',
  noSpeech: defaultNoSpeechRules,
  contenders: [
    { id: 'tiny', engine: 'moonshine', model: 'moonshine-tiny', language: 'en', patchedMode: null },
  ],
  skipped: [],
  target: {
    kind: 'embedded',
    baseUrl: 'http://127.0.0.1:39201',
    health: {
      ok: true,
      app_version: '0.1.0',
      api_version: 1,
      port: 39201,
      pid: 4243,
      providers: [],
      post_processing_providers: [],
      local_models: {},
    },
    models: [],
  },
  host: {
    platform: 'linux',
    release: '6.1',
    architecture: 'x64',
    cpuModel: 'a processor',
    cpuCount: 2,
    memoryBytes: 8e9,
    nodeVersion: 'v24.0.0',
    programVersion: '0.1.0',
    speed: { integerMillionsPerSecond: 660, floatBillionsPerSecond: 1.8, memoryBillionsPerSecond: 14 },
    power: null,
  },
  corpus: { name: 'quick', fingerprint: 'f'.repeat(64), utteranceCount: 1, audioSeconds: 2, excluded: [] },
  counts: null,
  ending: null,
}

/** A sample in which nothing could be read. */
export const blank: TelemetryLine = {
  atMs: 0,
  serverCpuSeconds: null,
  serverResidentBytes: null,
  serverPeakResidentBytes: null,
  serverThreadCount: null,
  serverProcessCount: null,
  ownCpuSeconds: null,
  samplerCpuSeconds: null,
  ownLoopDelayMs: null,
  wallAtMs: null,
  hostCpuSeconds: null,
  hostLoad1: null,
  hostCpuStalledSeconds: null,
  hostMemoryStalledSeconds: null,
  hostIoStalledSeconds: null,
  hostSwappedPages: null,
  gpuBusyRate: null,
  gpuMemoryBytes: null,
}

export const anUtterance: PlannedUtterance = {
  kind: 'utterance',
  id: 'one',
  reference: 'the cat sat',
  durationSeconds: 2,
  sha256: 'a'.repeat(64),
  language: 'en',
  speaker: null,
  tags: [],
  source: null,
  audio: 'audio/one.wav',
}

export const aRequest: PlannedRequest = {
  kind: 'request',
  index: 0,
  phase: 'measure',
  round: 1,
  block: 0,
  contenderId: 'tiny',
  utteranceId: 'one',
  send: { kind: 'next' },
}

export const anAttempt: AttemptLine = {
  index: 0,
  attempt: 1,
  phase: 'measure',
  round: 1,
  block: 0,
  contenderId: 'tiny',
  utteranceId: 'one',
  modeId: null,
  transport: 'path',
  audioSeconds: 2,
  bodyBytes: 80,
  dueAtMs: 10,
  sentAtMs: 10.1,
  firstByteAtMs: 90,
  endedAtMs: 91,
  outcome: {
    ok: true,
    answer: {
      text: 'the cat sat',
      rawText: null,
      engine: 'moonshine',
      model: 'moonshine-tiny',
      language: 'en',
      serverLoadMs: 0,
      serverDecodeMs: 70,
      serverLatencyMs: 75,
    },
  },
}
