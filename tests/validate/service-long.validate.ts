import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { engineSampleRateHz } from '#service/engines/engine'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { describeWith, missingHere, modelsDir, samplesOf } from './real-speech.ts'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'

const hours = 2
const mostBytes = 48 * 2 ** 20
const peakGoalBytes = 600e6

/** Clips and words of each that Moonshine Tiny hears whatever is around them. */
const clips = [
  ['librivox-0870', ['consider', 'prudently']],
  ['librivox-0880', ['young', 'man']],
  ['librivox-0890', ['cold', 'selfish']],
  ['librivox-0920', ['married', 'respectable']],
  ['librivox-0930', ['amiable', 'himself']],
] as const

const missing = [
  ...(await missingHere('moonshine-tiny', 'silero-vad', 'the quick corpus')),
  ...(spawnSync('ffmpeg', ['-version']).status === 0 ? [] : ['ffmpeg']),
]

interface LongRecording extends AsyncDisposable {
  readonly path: string
  readonly folder: TemporaryFolder
  /** Of every clip in it, in order. */
  readonly words: readonly string[]
}

/** Two hours of the clips, with silences of 0.3 to 3 s between them, encoded as they are made. */
async function makeRecording(name: string, encoder: readonly string[]): Promise<LongRecording> {
  const folder = await temporaryFolder()
  const path = join(folder.path, name)
  const input = ['-f', 'f32le', '-ar', String(engineSampleRateHz), '-ac', '1', '-i', '-']
  const ffmpeg = spawn('ffmpeg', ['-loglevel', 'error', ...input, ...encoder, path], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const exited = once(ffmpeg, 'exit')
  const sounds = await Promise.all(clips.map(([clip]) => samplesOf(clip)))
  const words: string[] = []
  for (let made = 0, index = 0; made < hours * 3600 * engineSampleRateHz; index += 1) {
    const [, spoken] = clips[index % clips.length] ?? clips[0]
    const silence = new Float32Array(Math.round((0.3 + ((index * 7) % 28) / 10) * engineSampleRateHz))
    for (const part of [sounds[index % sounds.length] ?? silence, silence]) {
      made += part.length
      const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
      if (!ffmpeg.stdin.write(bytes)) await once(ffmpeg.stdin, 'drain')
    }
    words.push(...spoken)
  }
  ffmpeg.stdin.end()
  await exited
  return { path, folder, words, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

async function serve(recording: LongRecording): Promise<ServiceProcess> {
  return startServiceProcess({
    catalogue: null,
    dataDir: join(recording.folder.path, 'data'),
    modelsDir,
    allowDirs: [recording.folder.path],
    requestTimeoutSeconds: 3600,
    warmUp: ['moonshine-tiny'],
  })
}

function ask(
  service: ServiceProcess,
  { path }: LongRecording,
  signal?: AbortSignal,
): Promise<{ readonly text: string }> {
  const body = JSON.stringify({
    engine: 'moonshine',
    model: 'moonshine-tiny',
    file: path,
    timestamp_granularities: ['segment'],
  })
  return service.send('POST', '/transcribe', { body, ...(signal === undefined ? {} : { signal }) })
}

/** How many of the words come in their order: each is looked for behind the one before it, not too far away. */
function inOrder(heard: readonly string[], words: readonly string[]): number {
  let [at, count] = [0, 0]
  for (const word of words) {
    const found = heard.indexOf(word, at)
    if (found === -1 || found > at + 120) continue
    at = found + 1
    count += 1
  }
  return count
}

describeWith(missing, 'two hours of speech', () => {
  test.each([
    ['Opus', 'long.opus', ['-c:a', 'libopus', '-b:a', '24k']],
    ['MP3', 'long.mp3', ['-c:a', 'libmp3lame', '-b:a', '32k']],
    ['stereo M4A', 'long.m4a', ['-ac', '2', '-ar', '44100', '-c:a', 'aac', '-b:a', '40k']],
    ['stereo AAC', 'long.aac', ['-ac', '2', '-ar', '44100', '-c:a', 'aac', '-b:a', '40k']],
  ])('as %s are written down in their order, in bounded memory', async (_format, name, encoder) => {
    await using recording = await makeRecording(name, encoder)
    expect((await stat(recording.path)).size).toBeLessThan(mostBytes)
    await using service = await serve(recording)
    const startedAtMs = performance.now()
    const answer = JSON.parse((await ask(service, recording)).text)
    const tookSeconds = (performance.now() - startedAtMs) / 1000
    expect(answer).toMatchObject({ ok: true })
    const { mostBytes: peakBytes } = service.memory()
    const heard: string[] = answer.text.toLowerCase().match(/[a-z]+/g) ?? []
    const found = inOrder(heard, recording.words)
    const doubled = heard.filter((word) => word === 'respectable').length
    const expected = recording.words.filter((word) => word === 'respectable').length
    process.stdout.write(
      `${name}: ${tookSeconds.toFixed(0)} s, peak ${(peakBytes / 1e6).toFixed(0)} MB, ` +
        `${found} of ${recording.words.length} words in order, ${answer.segments.length} segments\n`,
    )
    expect(found / recording.words.length).toBeGreaterThan(0.97)
    expect(Math.abs(doubled - expected) / expected).toBeLessThan(0.03)
    expect(answer.segments.map((segment: { text: string }) => segment.text).join(' ')).toBe(answer.text)
    expect(peakBytes).toBeLessThan(peakGoalBytes)
  })

  test('that are given up in the middle are worked on no more', async () => {
    await using recording = await makeRecording('long.opus', ['-c:a', 'libopus', '-b:a', '24k'])
    await using service = await serve(recording)
    const leaving = new AbortController()
    const asked = ask(service, recording, leaving.signal).catch(() => null)
    const idle = service.processorSeconds()
    // It is well within its pieces when it has worked for ten seconds.
    while (service.processorSeconds() < idle + 10) await sleep(200)
    leaving.abort()
    expect(await asked).toBe(null)
    // The piece under way may end; no further one is begun.
    await sleep(4_000)
    const after = service.processorSeconds()
    await sleep(4_000)
    expect(service.processorSeconds() - after).toBeLessThan(0.4)
  })
})
