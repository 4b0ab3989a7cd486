import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openProviderServer } from '#client/provider-server'
import { providerAccess } from '#providers/access'
import { protocols } from '#providers/protocols/protocols'
import { findProvider, providerData } from '#providers/providers'
import { contentOf, everyRequest, sampleOf } from '../providers/requests.ts'
import { deriveFacts, mockDocument, npmPackages, openApiDocuments } from './provider-documents.ts'

const cache = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'transcribench',
  'live',
  'providers',
)
const fixtures = join(import.meta.dirname, '..', 'providers', 'published')

/** @returns what could not be had */
async function fetchDocuments(): Promise<readonly string[]> {
  await mkdir(cache, { recursive: true })
  const wanted = Object.entries(npmPackages).map(([name, version]) => `${name}@${version}`)
  const marker = join(cache, 'installed.json')
  const installed = existsSync(marker) ? await readFile(marker, 'utf8') : ''
  if (installed !== JSON.stringify(wanted)) {
    await writeFile(join(cache, 'package.json'), '{"private":true}')
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--silent']
    await promisify(execFile)('npm', [...args, ...wanted], { cwd: cache })
    await writeFile(marker, JSON.stringify(wanted))
  }
  const failed: string[] = []
  for (const { file, repository, commit, path } of Object.values(openApiDocuments)) {
    if (existsSync(join(cache, file))) continue
    const address = `https://raw.githubusercontent.com/${repository}/${commit}/${path}`
    const text = await fetch(address).then(
      async (answer) => (answer.ok ? answer.text() : null),
      () => null,
    )
    if (text === null) failed.push(address)
    else await writeFile(join(cache, file), text)
  }
  return failed
}

/** Every name in what we send. */
function sentNames(): ReadonlySet<string> {
  const names = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(name)
      collect(inner)
    }
  }
  for (const step of providerData.flatMap(everyRequest)) collect(contentOf(step).content)
  return names
}

/** Recordings that are sent to a mock server: each model, option and wish for times, and languages that need another code. */
function callsOf(id: string) {
  const provider = findProvider(id)
  if (provider === null) throw new TypeError(`no provider ${id}`)
  const times = protocols[provider.protocol].timestamps
  return provider.models.flatMap(({ id: model }) => {
    const plain = { model, language: 'en', timestamps: [], options: {} }
    const taken = provider.options.filter(({ refusedBy }) => refusedBy?.test(model) !== true)
    return [
      plain,
      { ...plain, timestamps: times },
      ...[null, 'nb', 'fil', 'zh-TW', 'ar-EG'].map((language) => ({ ...plain, language })),
      ...taken.map((option) => ({ ...plain, options: { [option.name]: sampleOf(option) } })),
    ]
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** What a mock server writes, and whether it listens after two minutes at most. */
function listenTo(child: ChildProcess): { readonly isListening: Promise<boolean>; said(): string } {
  let said = ''
  const isListening = new Promise<boolean>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('is listening')) resolve(true)
    })
    child.once('exit', () => resolve(false))
    setTimeout(() => resolve(false), 120_000).unref()
  })
  return { isListening, said: () => said }
}

const clock = { nowMs: () => performance.now(), today: () => new Date(), sleepUntil: async () => undefined }

/** Sends recordings through our client to a mock server of the provider's document, whose examples are its answers. */
async function askMock(
  id: keyof typeof openApiDocuments,
): Promise<{ readonly asked: number; readonly faults: readonly string[]; readonly said: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-mock-'))
  const [document, audio] = [join(folder, 'document.json'), join(folder, 'one.wav')]
  await writeFile(document, JSON.stringify(await mockDocument(cache, id)))
  await writeFile(audio, Buffer.alloc(1000))
  const port = await freePort()
  const prism = join(cache, 'node_modules', '.bin', 'prism')
  const mock = spawn(prism, ['mock', document, '--errors', '--host', '127.0.0.1', '--port', String(port)])
  const { isListening, said } = listenTo(mock)
  try {
    if (!(await isListening)) return { asked: 1, faults: ['the mock server did not start'], said: [said()] }
    const provider = findProvider(id)
    const name = id.toUpperCase()
    const env = { [`${name}_API_KEY`]: 'k', [`${name}_BASE_URL`]: `http://127.0.0.1:${port}` }
    const access = provider && providerAccess(provider, { env, keyFrom: null })
    if (provider === null || access === null || 'missing' in access) throw new TypeError(`no access to ${id}`)
    await using server = openProviderServer(provider, { access, clock, connections: 1 })
    const faults: string[] = []
    const calls = callsOf(id)
    for (const call of calls) {
      const sent = {
        audio: { path: audio, sizeBytes: 1000, mimeType: 'audio/wav' },
        ...call,
        timeoutMs: 20_000,
      }
      const { outcome } = await server.transcribe({ ...sent, signal: undefined })
      if (!outcome.ok)
        faults.push(`${JSON.stringify(call)}: ${JSON.stringify(outcome.failure).slice(0, 300)}`)
    }
    const violations = said().match(/Violation: .*/g) ?? []
    return { asked: calls.length, faults, said: [...new Set(violations)] }
  } finally {
    mock.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Holds our requests and our reading of answers to what the providers publish, and prints what was found. Their OpenAPI documents and
 * SDKs come into the user's cache; nothing is sent to a provider.
 *
 * @param isAccepted writes what the gate knows of them
 * @returns whether all is as the gate knows it
 */
export async function checkProviders(isAccepted: boolean): Promise<boolean> {
  const missing = await fetchDocuments()
  for (const address of missing) process.stdout.write(`not tried: ${address} cannot be fetched\n`)
  const derived = await deriveFacts(cache, sentNames())
  let differing = 0
  for (const [id, facts] of Object.entries(derived.facts)) {
    const file = join(fixtures, `${id}.json`)
    const text = `${JSON.stringify(facts, null, 1)}\n`
    if (isAccepted) await writeFile(file, text)
    const known = existsSync(file) ? await readFile(file, 'utf8') : ''
    const isSame = known !== '' && JSON.stringify(JSON.parse(known)) === JSON.stringify(facts)
    if (!isSame) differing += 1
    process.stdout.write(
      `${id}: ${isSame ? 'as the gate knows it' : 'differs: see --accept'} (${facts.source})\n`,
    )
  }
  for (const id of derived.missing) process.stdout.write(`not tried: ${id}\n`)
  for (const id of Object.keys(openApiDocuments) as (keyof typeof openApiDocuments)[]) {
    if (derived.missing.includes(id)) continue
    const { asked, faults, said } = await askMock(id)
    differing += faults.length
    process.stdout.write(
      `${id}: ${asked - faults.length} of ${asked} recordings taken and answered by its mock server\n`,
    )
    for (const line of [...faults.slice(0, 5), ...said]) process.stdout.write(`  ${line}\n`)
  }
  const undescribed = providerData.filter(({ id }) => derived.facts[id] === undefined).map(({ id }) => id)
  process.stdout.write(`no public document or SDK says what these take: ${undescribed.join(', ')}\n`)
  return differing === 0
}
