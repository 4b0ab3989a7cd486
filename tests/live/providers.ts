import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { providerData } from '#providers'
import { contentOf, everyRequest } from '../providers/requests.ts'
import { deriveFacts, npmPackages, openApiDocuments } from './provider-documents.ts'

/**
 * `node tests/live/providers.ts`: holds our requests and our reading of answers to what the providers publish. Their OpenAPI documents
 * and SDKs come into the user's cache; nothing is sent to a provider. `--accept` writes what the gate knows of them.
 */
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

const missing = await fetchDocuments()
for (const address of missing) process.stdout.write(`not tried: ${address} cannot be fetched\n`)
const derived = await deriveFacts(cache, sentNames())
let differing = 0
for (const [id, facts] of Object.entries(derived.facts)) {
  const file = join(fixtures, `${id}.json`)
  const text = `${JSON.stringify(facts, null, 1)}\n`
  if (process.argv.includes('--accept')) await writeFile(file, text)
  const known = existsSync(file) ? await readFile(file, 'utf8') : ''
  const isSame = known !== '' && JSON.stringify(JSON.parse(known)) === JSON.stringify(facts)
  if (!isSame) differing += 1
  process.stdout.write(
    `${id}: ${isSame ? 'as the gate knows it' : 'differs: see --accept'} (${facts.source})\n`,
  )
}
for (const id of derived.missing) process.stdout.write(`not tried: ${id}\n`)
process.exitCode = differing > 0 ? 1 : 0
