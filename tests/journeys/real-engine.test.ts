import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resample } from '#audio/resampling'
import { decodeSound, encodeWav } from '#audio/sound-stream'
import { listRuns } from '#journal/find-run'
import { readRun } from '#journal/run-reader'
import { listModels } from '#service/models/known-models'
import { defaultModelsDir } from '#service/settings'
import { runCli, startCli } from './run-cli.ts'
import { workplace } from './workplace.ts'

const root = join(import.meta.dirname, '../..')
const env = { ...process.env } as Record<string, string>
const models = await listModels({ modelsDir: defaultModelsDir({ HOME: homedir(), ...env }) })
const areInstalled = models
  .filter((model) => model.id.startsWith('moonshine-'))
  .every((model) => model.installed)
const isFetched = await readFile(join(root, 'corpora/quick/audio/cards-001.wav')).then(
  () => true,
  () => false,
)

/** Without a warm-up that goes on until latencies settle. */
const tinyOnce = [
  ...['--contender', 'moonshine:moonshine-tiny', '--rounds', '1'],
  ...['--warmup', '1', '--max-warmup', '0'],
]

/** Texts by contender and utterance, of all rounds. */
async function textsOf(results: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const [folder = ''] = await listRuns(results)
  const texts = new Map<string, Set<string>>()
  for (const { contenderId, utteranceId, outcome } of (await readRun(folder)).attempts) {
    const key = `${contenderId} ${utteranceId}`
    texts.set(key, (texts.get(key) ?? new Set()).add(outcome.ok ? outcome.answer.text : outcome.failure.kind))
  }
  return texts
}

// `./scripts/test` installs the models and fetches the recordings before; without them there is nothing real to run.
describe.skipIf(!areInstalled)('real engines on real speech', () => {
  test('the embedded run and a run against `transcribench serve` give the same texts, and comparing them says so', async () => {
    await using home = await workplace()
    const [embedded, served] = [join(home.path, 'embedded'), join(home.path, 'served')]
    const corpus = join(root, 'corpora/quick/manifest.jsonl')
    const flags = ['run', '--corpus', corpus, ...tinyOnce]
    const alone = await runCli([...flags, '--results', embedded], { cwd: home.path, env })
    expect(alone, alone.stderr).toMatchObject({ code: 0 })

    const serve = startCli(
      ['serve', '--data-dir', join(home.path, 'service'), '--models-dir', defaultModelsDir(env)],
      {
        cwd: home.path,
        env,
      },
    )
    await serve.said(/Ctrl-C stops it/)
    const discovery = join(home.path, 'service', 'local-api.json')
    const besides = await runCli([...flags, '--target', discovery, '--results', served], {
      cwd: home.path,
      env,
    })
    expect(besides, besides.stderr).toMatchObject({ code: 0 })
    serve.process.kill('SIGINT')
    expect(await serve.ended).toMatchObject({ code: 0 })
    await expect(readFile(discovery)).rejects.toMatchObject({ code: 'ENOENT' })

    const texts = await textsOf(embedded)
    expect(await textsOf(served)).toEqual(texts)
    expect(texts.size).toBe(10)
    for (const said of texts.values()) expect(said.size).toBe(1)

    const [[base = ''], [run = '']] = await Promise.all([listRuns(embedded), listRuns(served)])
    const compared = await home.cli('compare', base, run, '--json')
    expect(compared, compared.stderr).toMatchObject({ code: 0 })
    for (const contender of JSON.parse(compared.stdout).contenders) {
      expect(contender.pairedUtteranceCount).toBe(10)
      for (const rate of contender.rates) {
        expect(rate).toMatchObject({ difference: 0, interval: { low: 0, high: 0 }, verdict: 'equivalent' })
      }
      for (const speed of contender.speed) {
        // Where other programs were busy during one of the runs, its speeds are not even described.
        const note = /^(descriptive only|not comparable: other programs kept .* busy)$/
        expect(speed.verdict).toBeNull()
        if (speed.reason === null || speed.note !== null) expect(speed.note).toMatch(note)
      }
    }
    const failing = await home.cli('compare', base, run, '--threshold', 'wer <= 0.1%')
    expect(failing).toMatchObject({ code: 3 })
    expect(failing.stdout).toContain('descriptive only')
  })

  test('a long recording that the service cuts is reported with its places, on the screen and in the journal', async () => {
    await using home = await workplace()
    const clips = await Promise.all(
      ['librivox-0870', 'librivox-0880', 'librivox-0890', 'librivox-0920', 'librivox-0930'].map(
        async (id) => {
          const decoded = await decodeSound(await readFile(join(root, `corpora/quick/audio/${id}.wav`)))
          if (!decoded.ok) throw new Error(decoded.failure.reason)
          return resample(decoded.value, 16_000)
        },
      ),
    )
    const samples = [...clips, ...clips.slice(0, 2)].flatMap((clip) => [...clip, ...new Float32Array(12_000)])
    await home.write('long.wav', encodeWav(Float32Array.from(samples), 16_000))
    const line = { id: 'long', audio: 'long.wav', text: 'what was said', language: 'en' }
    await home.write('manifest.jsonl', `${JSON.stringify(line)}\n`)
    const { stdout } = await runCli(['run', '--corpus', 'manifest.jsonl', ...tinyOnce], {
      cwd: home.path,
      env,
    })
    expect(stdout).toContain('transcribench report latest --details')
    const details = await runCli(['report', 'latest', '--details'], { cwd: home.path, env })
    expect(details.stdout.replaceAll(/\s+/g, ' '), stdout).toMatch(
      /the service cut 1 long recording at silences for moonshine-tiny: long at \d+\.\d s/,
    )
    const [folder = ''] = await home.runs()
    const [attempt] = (await readRun(folder)).attempts.filter(({ phase }) => phase === 'measure')
    const cuts = attempt?.outcome.ok === true ? (attempt.outcome.answer.cutsSeconds ?? []) : []
    expect(cuts.length).toBeGreaterThanOrEqual(1)
    expect(cuts.every((second) => second > 5 && second < samples.length / 16_000)).toBe(true)
  })
})

test('the recordings of the quick corpus are there when the models are', () => {
  expect(isFetched || !areInstalled).toBe(true)
})
