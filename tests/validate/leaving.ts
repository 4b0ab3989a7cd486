import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeWav } from '#audio/sound-stream'
import type { Random } from '#prelude'
import { readProcess } from '#telemetry/processes'
import { samplesOf } from './real-speech.ts'
import type { ServiceProcess } from './service-process.ts'

const spoken = ['librivox-0870', 'librivox-0880', 'librivox-0890', 'librivox-0920', 'librivox-0930']

/** Real speech again and again, as a WAV file of so many seconds. */
export async function spokenWav(path: string, seconds: number, sampleRateHz: number): Promise<void> {
  const parts: Float32Array[] = []
  for (const name of spoken) {
    parts.push(await samplesOf(name, sampleRateHz), new Float32Array(sampleRateHz / 2))
  }
  const samples = new Float32Array(seconds * sampleRateHz)
  for (let index = 0, at = 0; at < samples.length; index += 1) {
    const part = parts[index % parts.length] ?? new Float32Array(1)
    samples.set(part.subarray(0, samples.length - at), at)
    at += part.length
  }
  await writeFile(path, encodeWav(samples, sampleRateHz))
}

/** A program and a server as engines, each a third of a second over a piece. */
export async function otherEngines(
  folder: string,
): Promise<AsyncDisposable & { readonly enginesFile: string }> {
  const server = createServer(async (request, response) => {
    await request.resume().toArray()
    await sleep(300)
    response.end(JSON.stringify({ text: 'words from elsewhere' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const enginesFile = join(folder, 'engines.yaml')
  await writeFile(
    enginesFile,
    `engines:
  - { kind: command, id: words, program: /bin/sh, arguments: [-c, 'sleep 0.3; echo words', '{audio}'], longestSeconds: 30 }
  - { kind: openai, provider: elsewhere, baseUrl: 'http://127.0.0.1:${port}', keyVariable: null, models: [remote], longestSeconds: 30 }
`,
  )
  return {
    enginesFile,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What came of clients that left; `faults` holds every answer that is none of a service in order. */
export interface Left {
  /** Further requests that were answered before their client left, or dictations transcribed before the cancel. */
  readonly answeredCount: number
  readonly faults: readonly string[]
}

/** Sends requests that are given up at a random moment, several at a time, until so many were given up. */
export async function hangUp(
  service: ServiceProcess,
  asked: { readonly engine: string; readonly model: string; readonly file: string },
  { count, withinMs, random }: { readonly count: number; readonly withinMs: number; readonly random: Random },
): Promise<Left> {
  let [left, answeredCount] = [count, 0]
  const faults: string[] = []
  const client = async (): Promise<void> => {
    while (left > 0 && faults.length === 0) {
      left -= 1
      const leaving = new AbortController()
      const timer = setTimeout(() => leaving.abort(), random.unit() * withinMs)
      try {
        const { status, text } = await service.send('POST', '/transcribe', {
          body: JSON.stringify(asked),
          signal: leaving.signal,
        })
        left += 1
        answeredCount += 1
        if (status !== 200 || !text.startsWith('{"ok":true')) faults.push(`${status} ${text}`)
      } catch (error) {
        if (!leaving.signal.aborted) faults.push(String(error))
      }
      clearTimeout(timer)
    }
  }
  await Promise.all([client(), client(), client(), client()])
  return { answeredCount, faults }
}

/** Dictations that are cancelled at a random moment, until so many were cancelled before their transcript. */
export async function cancelDictations(
  service: ServiceProcess,
  { count, withinMs, random }: { readonly count: number; readonly withinMs: number; readonly random: Random },
): Promise<Left> {
  let answeredCount = 0
  const faults: string[] = []
  /** Presses a button. @returns the state afterwards */
  const press = async (button: 'toggle' | 'cancel', states: readonly string[]): Promise<string> => {
    const { status, text } = await service.send('POST', `/recording/${button}`)
    const { recording } = JSON.parse(text) as { readonly recording?: { readonly state: string } }
    const state = recording?.state ?? 'none'
    if (status !== 200 || !states.includes(state)) faults.push(`${button}: ${status} ${text}`)
    return state
  }
  for (let cancelled = 0; cancelled < count && faults.length === 0; ) {
    await press('toggle', ['recording'])
    const stopped = press('toggle', ['cancelled', 'completed'])
    await sleep(random.unit() * withinMs)
    await press('cancel', ['idle'])
    if ((await stopped) === 'completed') answeredCount += 1
    else cancelled += 1
  }
  return { answeredCount, faults }
}

/** Sends requests one after the other until the work is done, and stays for each answer. @returns answers that are no transcripts */
export async function stayDuring(
  service: ServiceProcess,
  asked: { readonly engine: string; readonly model: string; readonly file: string },
  work: Promise<unknown>,
): Promise<readonly string[]> {
  const faults: string[] = []
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    const { status, text } = await service.send('POST', '/transcribe', { body: JSON.stringify(asked) })
    if (status !== 200 || !text.startsWith('{"ok":true')) faults.push(`stayed: ${status} ${text}`)
  }
  await done
  return faults
}

/** Waits until nothing is under way any more: no process but the recognisers, and the decoder. */
export async function settled({
  child,
  memory,
}: ServiceProcess): Promise<ReturnType<ServiceProcess['memory']> & { readonly processCount: number }> {
  let before = 0
  for (;;) {
    const usage = readProcess(child.pid ?? 0)
    if (usage === null) throw new Error('the service has died')
    if (usage.cpuSeconds === before) return { ...memory(), processCount: usage.processCount }
    before = usage.cpuSeconds
    await sleep(1_500)
  }
}
