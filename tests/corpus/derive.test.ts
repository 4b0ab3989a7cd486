import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { activeLevel, rmsLevel } from '#audio/active-level'
import { resample } from '#audio/resampling'
import { decodeSound, encodeWav } from '#audio/sound-stream'
import { type DeriveOptions, deriveCorpus } from '#corpus/derive/derive-corpus'
import { transformations } from '#corpus/derive/plan'
import { readCorpus } from '#corpus/read-corpus'
import type { Corpus } from '#corpus/utterance'
import { verifyCorpus } from '#corpus/verify-corpus'
import { parseMarkup } from '#scoring/formats/trn'
import { wav } from '../audio/zoo/pcm-files.ts'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'
import { caught } from './caught.ts'
import { speechLike, spokenCorpus } from './spoken-corpus.ts'

const three = [
  { id: 'a', text: 'one two', speaker: 'x', seconds: 2 },
  { id: 'b', text: 'three', speaker: 'y', seconds: 3 },
  { id: 'c', text: 'four five six', speaker: 'z', seconds: 2.5 },
]

async function derive(
  folder: string,
  options: Partial<DeriveOptions> & { readonly utterances?: Parameters<typeof spokenCorpus>[1] },
): Promise<Corpus> {
  const manifest = await spokenCorpus(join(folder, 'parent'), options.utterances ?? three)
  const made = await deriveCorpus(manifest, {
    steps: [],
    seed: 1,
    env: {},
    cwd: folder,
    output: 'out',
    ...options,
  })
  return await readCorpus(made.manifestPath, { env: {} })
}

async function samplesOf(path: string): Promise<Float32Array> {
  const decoded = await decodeSound(await readFile(path))
  if (!decoded.ok) throw new Error(decoded.failure.reason)
  return await resample(decoded.value, 16_000)
}

/** A recording of the parent, and what was made of it. */
async function bothOf(folder: string, { utterances }: Corpus, index: number) {
  const audioPath = utterances.at(index)?.audioPath ?? ''
  return [await samplesOf(join(folder, `parent/audio/${index}.wav`)), await samplesOf(audioPath)] as const
}

async function bytesBelow(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  )
  const read = names.map(async ({ parentPath, name }) => [
    join(parentPath, name).slice(folder.length),
    (await readFile(join(parentPath, name))).toString('base64'),
  ])
  return Object.fromEntries(await Promise.all(read))
}

function correlation(left: Float32Array, right: Float32Array): number {
  let [both, own, other] = [0, 0, 0]
  left.forEach((value, index) => {
    both += value * (right[index] ?? 0)
    own += value * value
    other += (right[index] ?? 0) ** 2
  })
  return both / Math.sqrt(own * other)
}

/** GSM is coded by a program that is not part of this one. */
const hasSox = spawnSync('sox', ['--version']).status === 0

describe('the active speech level', () => {
  test('a sine has the level of its root mean square', () => {
    const sine = Float32Array.from(
      { length: 32_000 },
      (_, at) => 0.5 * Math.sin((2 * Math.PI * 1000 * at) / 16_000),
    )
    expect(activeLevel(sine, 16_000)?.levelDbov).toBeCloseTo(20 * Math.log10(0.5 / Math.SQRT2), 0)
  })

  test('pauses do not lower it, and do lower the root mean square', () => {
    const speech = speechLike(4, 1)
    const paused = new Float32Array(speech.length * 3)
    paused.set(speech, speech.length)
    const [own, other] = [activeLevel(speech, 16_000), activeLevel(paused, 16_000)]
    expect(other?.levelDbov).toBeCloseTo(own?.levelDbov ?? 0, 1)
    expect(rmsLevel(paused)).toBeCloseTo(rmsLevel(speech) - 10 * Math.log10(3), 1)
    expect((other?.from ?? 0) / 16_000).toBeGreaterThan(4.4)
    expect((other?.to ?? 0) / 16_000).toBeLessThan(7.7)
  })

  test('digital silence has none', () => {
    expect(activeLevel(new Float32Array(1000), 16_000)).toBeNull()
  })
})

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder[Symbol.asyncDispose]())

describe('deriving a corpus', () => {
  test('the same seed makes the same bytes, another seed makes others', async () => {
    const made: Record<string, string>[] = []
    const utterances = three.slice(0, 2).map((utterance) => ({ ...utterance, seconds: 1 }))
    for (const seed of [1, 1, 2]) {
      await using folder = await temporaryFolder()
      await derive(folder.path, {
        utterances,
        seed,
        steps: ['noise:noise=babble', 'far-field', 'opus', 'mp3'],
      })
      made.push(await bytesBelow(join(folder.path, 'out', 'audio')))
    }
    const [first, second, third] = made
    expect(Object.keys(first ?? {})).toHaveLength(2)
    expect(second).toEqual(first)
    expect(Object.values(third ?? {})).not.toEqual(Object.values(first ?? {}))
  })

  test.each(['white', 'pink', 'babble'])(
    '%s noise has the level that the signal-to-noise ratio asks for',
    async (noise) => {
      const { utterances } = await derive(folder.path, {
        steps: [`noise:noise=${noise}`],
        ladder: 'snr=none,20,5',
      })
      const [clean, ...noisy] = utterances.filter(({ derived }) => derived?.parents[0] === 'b')
      const speech = await samplesOf(clean?.audioPath ?? '')
      const added = await Promise.all(
        noisy.map(async ({ audioPath }) => {
          const samples = await samplesOf(audioPath)
          return samples.map((sample, index) => sample - (speech[index] ?? 0))
        }),
      )
      const level = activeLevel(speech, 16_000)?.levelDbov ?? 0
      expect(added.map((samples) => level - rmsLevel(samples))).toEqual([
        expect.closeTo(20, 0),
        expect.closeTo(5, 0),
      ])
      // The same noise at another level, so that the steps of a ladder differ in nothing else.
      expect(correlation(added[0] ?? new Float32Array(), added[1] ?? new Float32Array())).toBeGreaterThan(
        0.99,
      )
    },
  )

  test('manifest lines name parents, steps with every parameter, the seed and the value on the ladder', async () => {
    const { utterances } = await derive(folder.path, { ladder: 'snr=none,10', seed: 7 })
    expect(utterances.map(({ id }) => id)).toEqual(
      ['a', 'b', 'c'].flatMap((id) => [`${id}.snr-none`, `${id}.snr10`]),
    )
    expect(utterances.at(1)).toMatchObject({ text: 'one two', speaker: 'x' })
    expect(utterances.at(1)?.derived).toEqual({
      parents: ['a'],
      seed: 7,
      steps: [{ name: 'noise', parameters: { snr: 10, noise: 'white', voices: 6 } }],
      ladder: { parameter: 'snr', unit: 'dB', harder: 'lower', value: 10 },
    })
  })

  test('an interrupted call leaves no corpus, and the next one goes on to the same bytes', async () => {
    await using other = await temporaryFolder()
    const controller = new AbortController()
    const options = { ladder: 'snr=20,10,0' }
    const first = derive(folder.path, {
      ...options,
      signal: controller.signal,
      onProgress: (doneCount) => doneCount === 4 && controller.abort(new Error('stopped')),
    })
    await expect(first).rejects.toThrow('stopped')
    expect(await readdir(folder.path)).toEqual(['out.partial', 'parent'])
    const manifest = join(folder.path, 'parent', 'manifest.jsonl')
    const call = { steps: [], seed: 1, env: {}, cwd: folder.path, output: 'out', ...options }
    expect(await deriveCorpus(manifest, call)).toMatchObject({ utteranceCount: 9, writtenCount: 5 })
    await derive(other.path, options)
    expect(await bytesBelow(join(folder.path, 'out'))).toEqual(await bytesBelow(join(other.path, 'out')))
    expect(await deriveCorpus(manifest, call)).toMatchObject({ utteranceCount: 9, writtenCount: 0 })
  })

  test('a folder that another process writes is refused with what is going on, and left alone', async () => {
    const claim = join(folder.path, 'out.partial.pid')
    await writeFile(claim, String(process.ppid))
    const refused = await caught(derive(folder.path, { ladder: 'snr=20,10' }))
    expect(refused).toMatchObject({
      code: 'CORPUS_NOT_WRITABLE',
      message: `another process writes into ${join(folder.path, 'out')}`,
    })
    expect(await readdir(folder.path)).toEqual(['out.partial.pid', 'parent'])
    // A process that was killed leaves its claim.
    await writeFile(claim, '999999999')
    await derive(folder.path, { ladder: 'snr=20,10' })
    expect(await readdir(folder.path)).toEqual(['out', 'parent'])
  })

  test('a folder with anything else in it is refused and left alone', async () => {
    await derive(folder.path, { ladder: 'snr=20,10' })
    const before = await bytesBelow(join(folder.path, 'out'))
    const error = await caught(derive(folder.path, { ladder: 'snr=20,0' }))
    expect(error).toMatchObject({ code: 'DERIVATION_EXISTS' })
    expect(await bytesBelow(join(folder.path, 'out'))).toEqual(before)
    await mkdir(join(folder.path, 'mine'))
    await writeFile(join(folder.path, 'mine', 'letter.txt'), 'dear')
    const mine = await caught(derive(folder.path, { ladder: 'snr=20,0', output: 'mine' }))
    expect(mine.message).toContain('did not write')
  })

  test('a folder that was derived with other bytes of a file is refused, whatever the name of the file', async () => {
    const options = { steps: ['noise:noise=__proto__'] }
    const noiseOf = (level: number) =>
      encodeWav(
        speechLike(1, 7).map((sample) => level * sample),
        16_000,
      )
    await writeFile(join(folder.path, '__proto__'), noiseOf(1))
    await derive(folder.path, options)
    await derive(folder.path, options)
    await writeFile(join(folder.path, '__proto__'), noiseOf(0.5))
    expect(await caught(derive(folder.path, options))).toMatchObject({ code: 'DERIVATION_EXISTS' })
  })

  test('all problems of steps, ladder and files are reported at once', async () => {
    await writeFile(join(folder.path, 'text.wav'), 'no sound')
    const wrong = await caught(
      derive(folder.path, { steps: ['nois', 'opus:foo=1', 'clip:clip', 'noise:snr='], ladder: 'snr=a,1,1' }),
    )
    expect(wrong.problems.map(({ what }) => what)).toEqual([
      'there is no transformation "nois"',
      'opus has no parameter "foo"',
      '"clip" is not of the form parameter=value',
      '"snr=" is not of the form parameter=value',
      '"a" is neither a number nor none',
      'a value is given twice',
    ])
    const values = await caught(derive(folder.path, { steps: ['level:level=3', 'mp3:mp3-bitrate=33'] }))
    expect(values.problems.map(({ where }) => where)).toEqual(['level', 'mp3'])
    const files = await caught(
      derive(folder.path, { steps: ['noise:noise=gone.wav', 'far-field:impulse=text.wav'] }),
    )
    expect(files.problems.map(({ where }) => where)).toEqual(['gone.wav', 'text.wav'])
    expect(await readdir(folder.path)).toEqual(['parent', 'text.wav'])
  })

  const codecs = ['opus:opus-bitrate=64', 'mp3:mp3-bitrate=128', 'mulaw']
  test.each([...codecs, 'level:level=-30', 'clip:clip=3'])(
    '%s keeps length and timing of the speech',
    async (step) => {
      const made = await derive(folder.path, { steps: [step] })
      for (const index of three.keys()) {
        const [parent, own] = await bothOf(folder.path, made, index)
        expect(own.length).toBe(parent.length)
        expect(correlation(parent, own)).toBeGreaterThan(0.8)
      }
    },
  )

  test.each(['32', '40', '64'])('mp3 of %s kbit/s, at any rate, moves no sound', async (bitrate) => {
    const manifest = await spokenCorpus(folder.path, three.slice(0, 1))
    const rising = Float32Array.from(
      { length: 32_000 },
      (_, at) => 0.3 * Math.sin(at * at * 2e-6 + at * 0.05),
    )
    await writeFile(join(folder.path, 'audio/0.wav'), encodeWav(rising, 16_000))
    const made = await deriveCorpus(manifest, {
      steps: [`mp3:mp3-bitrate=${bitrate}`],
      seed: 1,
      env: {},
      cwd: folder.path,
    })
    const { utterances } = await readCorpus(made.manifestPath, { env: {} })
    const own = await samplesOf(utterances.at(0)?.audioPath ?? '')
    expect(own.length).toBe(rising.length)
    expect(correlation(rising, own)).toBeGreaterThan(0.98)
    expect(rmsLevel(own.subarray(-160)) - rmsLevel(rising.subarray(-160))).toBeGreaterThan(-2)
  })

  test.skipIf(!hasSox)(
    'gsm keeps length and timing of the speech, and the same sound makes the same bytes',
    async () => {
      const made = await derive(folder.path, { steps: ['gsm'] })
      const again = await derive(folder.path, { steps: ['gsm'], output: 'again' })
      for (const index of three.keys()) {
        const [parent, own] = await bothOf(folder.path, made, index)
        expect(own.length).toBe(parent.length)
        // The wave of noise is not kept; where it is most alike is its place. 16 samples are a millisecond.
        const shifts = Array.from({ length: 65 }, (_, at) => at - 32)
        const alike = shifts.map((shift) => correlation(parent.subarray(32 + shift, -64), own.subarray(32)))
        expect(Math.abs(shifts[alike.indexOf(Math.max(...alike))] ?? 99)).toBeLessThanOrEqual(2)
        expect(again.utterances.at(index)?.sha256).toBe(made.utterances.at(index)?.sha256)
      }
    },
  )

  test('speed changes the length, and far field adds the reverberation behind the end', async () => {
    const fast = await derive(folder.path, { steps: ['speed:speed=1.25'] })
    expect(fast.utterances.map(({ durationSeconds }) => durationSeconds)).toEqual([1.6, 2.4, 2])
    const far = await derive(folder.path, { steps: ['far-field:rt60=0.5'], output: 'far' })
    expect(far.utterances.at(0)?.durationSeconds).toBeCloseTo(2.5, 3)
  })

  test('an impulse response of one sample changes nothing', async () => {
    await writeFile(join(folder.path, 'one.wav'), encodeWav(Float32Array.of(0, 0, 1), 16_000))
    const made = await derive(folder.path, { steps: ['far-field:impulse=one.wav'] })
    const [parent, own] = await bothOf(folder.path, made, 0)
    expect(Math.max(...own.map((sample, index) => Math.abs(sample - (parent[index] ?? 0))))).toBeLessThan(
      1e-4,
    )
  })

  test('cutting takes speech away, counted from where it begins and ends', async () => {
    const { utterances } = await derive(folder.path, { steps: ['cut:cut-start=0.25,cut-end=0.25'] })
    const [first] = utterances
    expect(first?.text).toBe('one two')
    // One second of speech between pauses of half a second; the envelope lags by some hundredths.
    expect(first?.durationSeconds).toBeGreaterThan(0.3)
    expect(first?.durationSeconds).toBeLessThan(0.75)
  })

  test('joining composes references, with choices where a parent may be said in several ways', async () => {
    const utterances = [
      { id: 'a', text: ['ten (10)', '10'], language: 'en', seconds: 2 },
      { id: 'b', text: 'call {Anne}', language: 'en', seconds: 2 },
      { id: 'c', text: '你好', language: 'zh', seconds: 2 },
      { id: 'd', text: '世界', language: 'zh', seconds: 2 },
      { id: 'e', text: 'far', language: 'en', seconds: 4 },
    ]
    const joined = await derive(folder.path, { steps: ['join:seconds=5,pause=1'], utterances })
    expect(
      joined.utterances.map(({ id, derived, durationSeconds }) => [id, derived?.parents, durationSeconds]),
    ).toEqual([
      ['a+1.join', ['a', 'b'], 5],
      ['e.join', ['e'], 4],
      ['c+1.join', ['c', 'd'], 5],
    ])
    const [first, , chinese] = joined.utterances
    expect(first).toMatchObject({ hasChoices: true, text: '{ ten \\(10\\) / 10 } call \\{Anne\\}' })
    expect(parseMarkup(first?.text ?? '')).toMatchObject({
      parts: [
        { kind: 'alternatives', branches: [[{ words: ['ten', '(10)'] }], [{ words: ['10'] }]] },
        { words: ['call', '{Anne}'] },
      ],
    })
    expect(chinese).toMatchObject({ text: '你好世界', hasChoices: false })
  })

  test('silence and noise alone have empty references and the tag that says so', async () => {
    const silent = await derive(folder.path, { steps: ['no-speech'] })
    expect(silent.utterances.at(0)).toMatchObject({ text: '', tags: ['silence'], speaker: null })
    expect(rmsLevel(await samplesOf(silent.utterances.at(0)?.audioPath ?? ''))).toBe(-Infinity)
    const noisy = await derive(folder.path, {
      steps: ['no-speech:background=pink'],
      ladder: 'floor=-50,-30',
      output: 'b',
    })
    expect(noisy.utterances.at(1)?.tags).toEqual(['no-speech'])
    expect(rmsLevel(await samplesOf(noisy.utterances.at(1)?.audioPath ?? ''))).toBeCloseTo(-30, 1)
  })

  test('what was derived passes verification and can be derived again', async () => {
    await derive(folder.path, { steps: ['mulaw'] })
    const again = await deriveCorpus(join(folder.path, 'out'), {
      steps: [],
      ladder: 'snr=10,0',
      seed: 1,
      env: {},
      cwd: folder.path,
    })
    const corpus = await readCorpus(again.manifestPath, { env: {} })
    expect((await verifyCorpus(corpus)).utterances).toHaveLength(6)
    expect(again.manifestPath).toBe(join(folder.path, 'corpora', 'out-snr', 'manifest.jsonl'))
  })

  test('no two transformations have a parameter of one name, and every parameter is described', () => {
    const parameters = transformations.flatMap((each) => each.parameters)
    expect(new Set(parameters.map(({ name }) => name)).size).toBe(parameters.length)
    expect(parameters.filter(({ description }) => description === '')).toEqual([])
  })
})

test('a recording of more than three hours is refused before anything is derived', async () => {
  const manifest = await spokenCorpus(folder.path, three)
  await writeFile(
    join(folder.path, 'audio/1.wav'),
    wav(new Uint8Array(3 * 3_600_000 + 1_000), { rate: 1_000, block: 1, bits: 8 }),
  )
  const error = await caught(deriveCorpus(manifest, { steps: ['level'], seed: 1, env: {}, cwd: folder.path }))
  expect(error).toMatchObject({
    code: 'DERIVATION_INVALID',
    problems: [
      {
        where: 'manifest.jsonl:2',
        what: expect.stringMatching(/^b {2}lasts 10801 s, and 10800 s \(3 hours\) are/),
      },
    ],
  })
})
