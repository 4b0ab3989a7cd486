import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ProtocolName } from '#providers/protocols/protocols'
import { startOpenAiDouble } from '../client/openai-server.ts'
import { environmentOf, providerOf, startDocumentedProvider } from './documented-provider.ts'
import { spokenWords } from './documented-transcripts.ts'
import { behaviours } from './provider-behaviours.ts'
import { argv, runCli } from './run-cli.ts'
import { writeToneCorpus } from './tone-corpus.ts'
import { workplace } from './workplace.ts'

const secret = 'sk-very-secret-0123456789'
const text = 'The cat, sat.'

/** Everything in a run folder: a key belongs in none of it. */
async function textOfAll(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'))
  return (await Promise.all(texts)).join('\n')
}

/** Options of a contender, and what its provider finds in the request, where its documentation says. */
const cases: Readonly<Record<ProtocolName, { readonly options: object; readonly arrives: object }>> = {
  openai: { options: { temperature: 0.4 }, arrives: { temperature: '0.4' } },
  deepgram: {
    options: { smart_format: true, punctuate: false, keyterm: ['Ada', 'Bob'] },
    arrives: { smart_format: 'true', punctuate: 'false', keyterm: ['Ada', 'Bob'] },
  },
  elevenlabs: {
    options: { tag_audio_events: true, seed: 7 },
    arrives: { tag_audio_events: 'true', seed: '7' },
  },
  google: {
    options: { profanityFilter: true },
    arrives: { profanityFilter: true, enableAutomaticPunctuation: true },
  },
  assemblyai: {
    options: { format_text: false, keyterms_prompt: 'Ada' },
    arrives: { format_text: false, keyterms_prompt: ['Ada'] },
  },
  speechmatics: {
    options: { additional_vocab: ['Ada'], 'punctuation_overrides.permitted_marks': ['.'] },
    arrives: { additional_vocab: [{ content: 'Ada' }], punctuation_overrides: { permitted_marks: ['.'] } },
  },
  gladia: {
    options: { 'custom_vocabulary_config.vocabulary': ['Ada'] },
    arrives: { custom_vocabulary: true, custom_vocabulary_config: { vocabulary: ['Ada'] } },
  },
  azure: {
    options: { punctuationMode: 'None' },
    arrives: { punctuationMode: 'None', timeToLiveHours: 6 },
  },
  'azure-fast': {
    options: { 'phraseList.phrases': ['Ada'], profanityFilterMode: 'None' },
    arrives: { phraseList: { phrases: ['Ada'] }, profanityFilterMode: 'None' },
  },
  aws: {
    options: { 'Settings.VocabularyName': 'ours' },
    arrives: { Settings: { VocabularyName: 'ours' } },
  },
}

/** Each word of the reference begins 20 ms after the one of the answer, and ends with it. */
const ctm = spokenWords(text)
  .map(({ word, startMs }) => `one A ${(startMs + 20) / 1000} 0.03 ${word.toLowerCase()}\n`)
  .join('')

/** A run of a contender for each behaviour of a provider, and of one with options, over recordings of which one has times. */
async function runOfAll(protocol: ProtocolName) {
  await using home = await workplace()
  await using provider = await startDocumentedProvider({ protocol, key: secret, text })
  const corpus = await writeToneCorpus(join(home.path, 'corpus'), { one: text, two: text, three: text })
  await home.write(
    'corpus/manifest.jsonl',
    (await readFile(corpus, 'utf8')).replace('}', ',"times":"one.ctm"}'),
  )
  await home.write('corpus/one.ctm', ctm)
  const target = providerOf[protocol]
  const contenders = [
    ...behaviours.map((model) => ({ target, model })),
    { target, model: 'answers', id: 'optional', options: cases[protocol].options },
    // A model of Mistral is asked for segments without a format.
    ...(protocol === 'openai' ? [{ target, model: 'voxtral-mini-2507' }] : []),
  ]
  const config = { corpus, contenders, rounds: 2, warmupRequests: 1, timeout: '60s' }
  await home.write('all.json', JSON.stringify(config))
  const env = environmentOf(protocol, { ...provider, key: secret })
  const run = await runCli(['run', 'all.json'], { cwd: home.path, env })
  const { evaluation, ...recorded } = await home.evaluated()
  return { run, evaluation, recorded, seen: provider.seen, written: await textOfAll(recorded.folder) }
}

// Jobs are waited for: the cases wait at the same time.
describe.concurrent.each(Object.keys(cases) as ProtocolName[])(
  'a provider of the protocol %s as a target',
  (protocol) => {
    let all: Awaited<ReturnType<typeof runOfAll>>
    const figuresOf = (id: string) => all.evaluation.contenders.find(({ contender }) => contender.id === id)
    beforeAll(async () => {
      all = await runOfAll(protocol)
    })

    test('answers, is waited for at its rate limit, and is given up for what lasts, in its own words', () => {
      const { run, evaluation, recorded, seen, written } = all
      expect(run.code, run.stderr).toBe(5)
      for (const model of ['answers', 'slow', 'limited']) {
        const { counts, words } = figuresOf(model) ?? {}
        expect(counts, `${model}\n${run.stderr}`).toMatchObject({ planned: 6, answered: 6, failed: 0 })
        expect(words?.rate, model).toBe(0)
      }
      expect(figuresOf('limited')?.rateLimit.refusedCount).toBeGreaterThan(0)
      const latencies = (model: string) =>
        evaluation.utterances.flatMap(({ contenderId, latencyMs }) =>
          contenderId === model ? [latencyMs ?? 0] : [],
        )
      // The pause that Retry-After asks for is in no latency; what a job takes is.
      expect(Math.min(...latencies('slow'))).toBeGreaterThan(290)
      const limited = [...recorded.attempts].filter(
        ({ contenderId, phase }) => contenderId === 'limited' && phase === 'measure',
      )
      const paused = limited.filter(({ attempt }) => attempt > 1)
      expect(paused.length).toBeGreaterThan(0)
      for (const attempt of paused) {
        const refused = limited.find(
          (one) => one.index === attempt.index && one.attempt === attempt.attempt - 1,
        )
        expect(attempt.sentAtMs - (refused?.endedAtMs ?? Number.NaN)).toBeGreaterThan(990)
        expect(latencies('limited')).toContainEqual(expect.closeTo(attempt.endedAtMs - attempt.sentAtMs, 3))
        expect(attempt.sentAtMs - attempt.dueAtMs).toBeLessThan(attempt.pacedMs ?? 0)
      }
      const isPolled = ['assemblyai', 'speechmatics', 'gladia', 'azure', 'aws'].includes(protocol)
      // A quota that ends in the middle of the run stops its contender after one refusal.
      expect(figuresOf('quota')?.counts).toMatchObject({ answered: 2, failed: 1, notSent: 3 })
      expect(recorded.record.givenUp?.map((one) => one.id).sort()).toEqual(
        expect.arrayContaining(['quota', 'unauthorized']),
      )
      expect(figuresOf('odd')?.counts.answered).toBe(0)
      expect(figuresOf('failing')?.counts.answered).toBe(isPolled ? 0 : 6)
      if (isPolled) expect(figuresOf('failing')?.failures).toMatchObject([{ label: 'TRANSCRIPTION_FAILED' }])
      expect(recorded.record).toMatchObject({ formatVersion: 5, target: { kind: 'provider' } })
      // Recordings that were put into a storage are not left there.
      expect(seen.at(-1)?.storedCount).toBe(0)
      expect(written).toContain(evaluation.run.id)
      expect(run.stdout + run.stderr + written).not.toContain(secret)
    })

    test('receives the options of a contender where its API looks for them', () => {
      const settings = all.seen.flatMap((seen) => (seen.model === 'answers' ? [seen.settings] : []))
      const { arrives } = cases[protocol]
      expect(settings).toContainEqual(expect.objectContaining(arrives))
      expect(settings).toContainEqual(expect.not.objectContaining(arrives))
    })

    test('returns times of words in their own unit, of what was asked for', () => {
      const timesOf = (id: string) =>
        all.evaluation.errorAnalyses.find(({ contenderId }) => contenderId === id)?.times
      const startError = { meanMs: expect.closeTo(20, 6) }
      const endError = { meanMs: expect.closeTo(0, 6) }
      expect(timesOf('answers')).toMatchObject({
        units: ['word'],
        matchedCount: 6,
        startError: { ...startError, wordCount: 6 },
        endError,
      })
      if (protocol === 'openai')
        expect(timesOf('voxtral-mini-2507')).toMatchObject({ units: ['segment'], startError, endError })
    })

    test('is measured without a cost where its price is not known, which the run says', () => {
      const { run, evaluation } = all
      expect(run.stderr).toContain('billed at an unknown price')
      expect(figuresOf('answers')?.cost).toBeNull()
      expect(evaluation.findings).toContainEqual(expect.objectContaining({ code: 'PRICE_UNKNOWN' }))
    })
  },
)

test.concurrent('what a provider refused, or took and could not do, is not counted as spent', async () => {
  await using home = await workplace()
  await using provider = await startDocumentedProvider({ protocol: 'assemblyai', key: secret, text })
  const corpus = await writeToneCorpus(join(home.path, 'corpus'), { one: text })
  const price = {
    usdPerMinute: 0.06,
    priceSource: 'https://provider.example/pricing',
    priceDate: '2026-11-23',
  }
  const contenders = ['answers', 'invalid', 'failing'].map((model) => ({
    target: 'assemblyai',
    model,
    ...price,
  }))
  const config = { corpus, rounds: 1, warmupRequests: 0, contenders }
  await home.write('all.json', JSON.stringify(config))
  const env = environmentOf('assemblyai', { ...provider, key: secret })
  const run = await runCli(['run', 'all.json'], { cwd: home.path, env })
  expect(run.code, run.stderr).toBe(5)
  const { evaluation } = await home.evaluated()
  const spent = evaluation.contenders.map(({ contender, counts, cost }) => [
    contender.id,
    counts.failed,
    cost?.usd,
  ])
  // Half a second is 0.0005 USD.
  expect(spent).toEqual([
    ['answers', 0, expect.closeTo(0.0005, 9)],
    ['invalid', 1, 0],
    ['failing', 1, 0],
  ])
})

test.concurrent('one run over the built-in service, a server and two providers has one report, with the costs by hand', async () => {
  await using home = await workplace()
  await using deepgram = await startDocumentedProvider({ protocol: 'deepgram', key: secret, text })
  await using assemblyai = await startDocumentedProvider({
    protocol: 'assemblyai',
    key: secret,
    text: 'the cat sat',
  })
  await using server = await startOpenAiDouble({ textOf: (name) => (name === 'one.wav' ? text : 'the hat') })
  const engines = [{ kind: 'command', id: 'says', program: 'sh', arguments: ['-c', 'echo the cat'] }]
  await home.write('engines.json', JSON.stringify({ engines }))
  // Of 0.5 s and 0.6 s.
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: text, two: text })
  const price = { priceSource: 'https://provider.example/pricing', priceDate: '2026-11-23' }
  const config = {
    corpus: manifest,
    rounds: 4,
    warmupRequests: 1,
    engines: 'engines.json',
    contenders: [
      { engine: 'command', model: 'says' },
      { target: server.target, model: 'large' },
      { target: 'deepgram', model: 'slow', usdPerMinute: 0.6, ...price },
      { target: 'assemblyai', id: 'jobs', model: 'answers', usdPerMinute: 0.06, ...price },
    ],
  }
  await home.write('all.json', JSON.stringify(config))
  const env = {
    ...environmentOf('deepgram', { ...deepgram, key: secret }),
    ...environmentOf('assemblyai', { ...assemblyai, key: secret }),
  }
  const options = { cwd: home.path, env }
  const plan = await runCli(['run', 'all.json', '--dry-run'], options)
  // 8 requests, 4.4 s, and a warm-up of 0.5 s or 0.6 s: 0.08 minutes; 0.6 USD a minute are 0.05 USD.
  expect(plan.stdout).toMatch(/slow: 0\.1 minutes of audio, about 0\.05 USD/)
  const run = await runCli(['run', 'all.json'], options)
  expect(run.code, run.stderr).toBe(0)
  const { evaluation, ...recorded } = await home.evaluated()
  expect(recorded.attempts.filter(({ outcome }) => !outcome.ok)).toEqual([])
  expect(recorded.record.targets?.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    'embedded embedded',
    `${server.target} openai`,
    'deepgram provider',
    'assemblyai provider',
  ])
  const costs = new Map(evaluation.contenders.map(({ contender, cost }) => [contender.id, cost]))
  const warmup = (id: string): number =>
    recorded.attempts.find((line) => line.contenderId === id && line.phase === 'warmup')?.audioSeconds ?? 0
  expect(costs.get('slow')?.audioSeconds).toBeCloseTo(4.4 + warmup('slow'), 6)
  expect(costs.get('slow')?.usd).toBeCloseTo(((4.4 + warmup('slow')) / 60) * 0.6, 9)
  expect(costs.get('jobs')?.usd).toBeCloseTo(((4.4 + warmup('jobs')) / 60) * 0.06, 9)
  expect(costs.get('says')).toBeNull()
  expect(costs.get('slow')?.usdPerAudioHour).toBeCloseTo(36, 9)
  const shown = await runCli(['report', 'latest', '--table', 'targets'], options)
  // Both answer everything without an error: an error-free hour costs what an hour costs.
  expect(shown.stdout).toMatch(/slow +this machine +0\.0%.* 36\.00 +36\.00/)
  expect(shown.stdout).toMatch(/jobs +this machine +0\.0%.* 3\.60 +3\.60/)
  expect(shown.stdout).toMatch(/large +this machine +33\.3%/)
})

test.concurrent('a model that retires is named by doctor and before a run of its provider, as known and as the server lists it', async () => {
  await using home = await workplace()
  await using provider = await startDocumentedProvider({ protocol: 'openai', key: secret, text })
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: text })
  const env = { OPENAI_API_KEY: secret, OPENAI_BASE_URL: provider.baseUrl }
  const options = { cwd: home.path, env }
  const doctor = await runCli(['doctor', 'openai'], options)
  expect(doctor.code, doctor.stdout).toBe(0)
  expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'slow is shut down on 2027-01-31, as its server lists it',
  )
  const typed = ['run', '--target', 'openai', '--corpus', manifest, '--rounds', '1', '--warmup', '0']
  const run = await runCli([...typed, '--contender', 'any:slow', '--contender', 'any:whisper-1'], options)
  const said = run.stderr.replaceAll(/\s+/g, ' ')
  expect(said).toContain('slow is shut down on 2027-01-31')
  expect(said).toContain('whisper-1 is shut down on 2027-02-26: gpt-transcribe')
  const other = ['--target', `openai:${provider.baseUrl}`, '--key-from', 'OPENAI_API_KEY', ...typed.slice(3)]
  const elsewhere = await runCli(['run', ...other, '--contender', 'openai:whisper-1'], options)
  expect(elsewhere.code, elsewhere.stderr).toBe(0)
  expect(elsewhere.stderr.replaceAll(/\s+/g, ' ')).not.toContain('whisper-1 is shut down')
  const keyless = await home.cli('doctor', 'deepgram')
  expect(keyless.stdout).toContain('DEEPGRAM_API_KEY')
  await using deepgram = await startDocumentedProvider({ protocol: 'deepgram', key: secret, text })
  const ready = await runCli(['doctor', 'deepgram'], {
    cwd: home.path,
    env: environmentOf('deepgram', { ...deepgram, key: secret }),
  })
  expect(ready.stdout).toContain('transcribench run --target deepgram --contender any:nova-3 --fetch')
})

test.concurrent('recordings beyond the limits of a provider are refused before the run, each by its name', async () => {
  await using home = await workplace()
  await using provider = await startDocumentedProvider({ protocol: 'google', key: secret, text })
  const references = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`long-${index}`, text]))
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { short: text, ...references }, 61)
  const env = environmentOf('google', { ...provider, key: secret })
  const options = { cwd: home.path, env }
  const typed = argv`run --corpus ${manifest} --contender google#answers --rounds 1 --warmup 0`
  const refused = await runCli(typed, options)
  expect(refused.code).toBe(2)
  const said = refused.stderr.replaceAll(/\s+/g, ' ')
  expect(said).toContain('3 of 4 utterances are beyond the limits of a provider')
  expect(said).toContain('long-2 61.3 s, and Google Cloud takes 60 s')
  expect(said).toContain('--exclude long-0,long-1,long-2')
  expect(provider.seen.filter(({ model }) => model !== null)).toHaveLength(0)
  const without = await runCli([...typed, '--exclude', 'long-0,long-1,long-2'], options)
  expect(without.code, without.stderr).toBe(0)
  // The limit is 900 a minute: the one request takes no time of it.
  expect(without.stderr).toMatch(/pace +answers: 900 requests a minute at most, the limit of Google Cloud/)
})

test.concurrent('a file larger than a provider takes is refused before the run, with both sizes', async () => {
  await using home = await workplace()
  await using provider = await startDocumentedProvider({ protocol: 'openai', key: secret, text })
  // 16-bit samples at 16 kHz: 820.6 s are 26.26 MB, and 819.2 s are taken.
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { short: text, large: text }, 820)
  const env = { OPENAI_API_KEY: secret, OPENAI_BASE_URL: provider.baseUrl }
  const typed = ['run', '--corpus', manifest, '--rounds', '1', '--warmup', '0']
  const refused = await runCli([...typed, '--contender', 'openai#answers'], { cwd: home.path, env })
  expect(refused.code, refused.stderr).toBe(2)
  const said = refused.stderr.replaceAll(/\s+/g, ' ')
  expect(said).toContain('1 of 2 utterances are beyond the limits of a provider')
  expect(said).toMatch(/large 26,2\d\d,\d{3} bytes, and OpenAI takes 26,214,400/)
  expect(provider.seen.filter(({ model }) => model !== null)).toHaveLength(0)
  expect(await home.runs()).toEqual([])
})

test.concurrent('a limit of requests per minute spreads the requests, and is in no latency', async () => {
  await using home = await workplace()
  await using provider = await startDocumentedProvider({ protocol: 'google', key: secret, text })
  const manifest = await writeToneCorpus(join(home.path, 'corpus'), { one: text, two: text, three: text })
  const options = { cwd: home.path, env: environmentOf('google', { ...provider, key: secret }) }
  const contenders = [{ target: 'google', model: 'answers', requestsPerMinute: 120 }]
  const config = { corpus: manifest, contenders, rounds: 2, warmupRequests: 0 }
  await home.write('paced.json', JSON.stringify(config))
  const run = await runCli(['run', 'paced.json'], options)
  expect(run.code, run.stderr).toBe(0)
  expect(run.stderr).toMatch(/pace +answers: 120 requests a minute at most: 2\.5 s or more/)
  const { evaluation, ...recorded } = await home.evaluated()
  const inOrder = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b)
  const sent = inOrder(recorded.attempts.map(({ sentAtMs }) => sentAtMs))
  // The first of six may be late, which makes no other one early.
  expect(sent.at(-1)).toBeGreaterThanOrEqual(5 * 500)
  const latencies = inOrder(evaluation.utterances.map(({ latencyMs }) => latencyMs ?? 0))
  const lengths = inOrder(recorded.attempts.map(({ endedAtMs, sentAtMs }) => endedAtMs - sentAtMs))
  expect(latencies).toEqual(lengths.map((length) => expect.closeTo(length, 3)))
})

test.concurrent('what a provider of an account needs is asked for at once', async () => {
  await using home = await workplace()
  const env = { AWS_REGION: 'eu-central-1' }
  const doctor = await runCli(['doctor', 'aws'], { cwd: home.path, env })
  expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'Amazon Transcribe needs AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_BUCKET',
  )
})
