import { randomUUID } from 'node:crypto'
import { mkdtemp, open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeWav } from '#audio'
import type { RunningTarget } from '#client'
import type { Exchange, ReadableFolder } from '#conformance'
import { sendRaw } from './raw-http.ts'
import { fetchedClip } from './try-models.ts'

export interface ExchangeRequest {
  readonly target: RunningTarget
  /** A folder that the service may read, for the cases about files; null where none is known. */
  readonly folder: string | null
  /** Where the quick corpus is looked for, of which a sentence is sent. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** An exchange with a running service. Disposing removes every file that it put anywhere. */
export type OpenExchange = Exchange & AsyncDisposable

const sampleRateHz = 16_000

/** @throws BenchError of the client's table, where the target cannot be located */
export async function openExchange({ target, folder, env }: ExchangeRequest): Promise<OpenExchange> {
  const { origin, hostHeader, token } = await target.locate()
  const url = new URL(origin)
  const port = Number(new URL(`http://${hostHeader ?? url.host}`).port)
  const isHere = !target.isForwarded && url.hostname === '127.0.0.1'
  const outsideFolder = await mkdtemp(join(tmpdir(), 'transcribench-outside-'))
  const existing = join(outsideFolder, 'existing.wav')
  const tone = toneOf(1)
  await writeFile(existing, tone)
  const files = folder === null ? null : await readableFolder(folder)
  const speech = await fetchedClip(env)
  return {
    send: (request) => sendRaw(url, request),
    port,
    token,
    runId: randomUUID().slice(0, 8),
    audio: {
      // Not as a Buffer, of which a slice is no copy.
      second: speech === null ? tone : new Uint8Array(await readFile(speech.path)),
      isSpeech: speech !== null,
      minute: toneOf(60),
      empty: encodeWav(new Float32Array(0), sampleRateHz),
    },
    outside: { existing, missing: join(outsideFolder, 'missing.wav') },
    files,
    discovery: target.kind === 'discovered' ? await readDiscovery(target.text) : null,
    answeringElsewhere: async () => (isHere ? answeringElsewhere(port) : null),
    base64: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    wait: (milliseconds) => sleep(milliseconds),
    async [Symbol.asyncDispose]() {
      await rm(outsideFolder, { recursive: true, force: true })
      await files?.[Symbol.asyncDispose]()
    },
  }
}

function toneOf(durationSeconds: number): Uint8Array {
  const samples = new Float32Array(durationSeconds * sampleRateHz).map(
    (_, index) => 0.3 * Math.sin((2 * Math.PI * 440 * index) / sampleRateHz),
  )
  return encodeWav(samples, sampleRateHz)
}

async function readableFolder(folder: string): Promise<ReadableFolder & AsyncDisposable> {
  const ours = await mkdtemp(join(folder, 'transcribench-conformance-'))
  const pathOf = (name: string): string => join(ours, name)
  return {
    pathOf,
    async place(name, content) {
      const path = pathOf(name)
      await using file = await open(path, 'w')
      if (content instanceof Uint8Array) await file.writeFile(content)
      else await file.truncate(content.zeroBytes)
      return path
    },
    async link(name, target) {
      const path = pathOf(name)
      // Windows makes links for administrators only.
      return symlink(target, path).then(
        () => path,
        () => null,
      )
    },
    [Symbol.asyncDispose]: () => rm(ours, { recursive: true, force: true }),
  }
}

async function readDiscovery(path: string): Promise<Exchange['discovery']> {
  const [text, status] = await Promise.all([readFile(path, 'utf8'), stat(path)])
  return {
    content: JSON.parse(text) as unknown,
    mode: process.platform === 'win32' ? null : status.mode & 0o777,
  }
}

/** Addresses of this machine other than 127.0.0.1 on which something accepts connections to the port. */
async function answeringElsewhere(port: number): Promise<readonly string[] | null> {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ address, scopeid }) => address !== '127.0.0.1' && !scopeid)
    .map(({ address }) => address)
  if (addresses.length === 0) return null
  const answered = await Promise.all(addresses.map((address) => accepts(address, port)))
  return addresses.filter((_, index) => answered[index])
}

const connectMs = 1_000

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectMs })
    const end = (answer: boolean) => (): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', end(true))
    socket.once('timeout', end(false))
    socket.once('error', end(false))
  })
}
