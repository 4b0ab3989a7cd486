import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Protocol, ProviderOrder } from './provider-program.ts'

interface SeenRequest {
  /** Of a request that begins a transcription; null for every other one. */
  readonly model: string | null
  readonly path: string
  readonly status: number
}

/** A provider in a separate process. */
export interface DocumentedProvider extends AsyncDisposable {
  readonly baseUrl: string
  readonly process: ChildProcess
  readonly seen: readonly SeenRequest[]
}

export async function startDocumentedProvider(order: ProviderOrder): Promise<DocumentedProvider> {
  const child = fork(join(import.meta.dirname, 'provider-program.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  child.send(order)
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }]
  const seen: SeenRequest[] = []
  child.on('message', (message) => seen.push(message as SeenRequest))
  const root = `http://127.0.0.1:${port}`
  return {
    baseUrl: order.protocol === 'openai' ? `${root}/v1` : root,
    process: child,
    seen,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** The name by which a provider is a target, for each protocol. */
export const providerOf: Readonly<Record<Protocol, string>> = {
  openai: 'groq',
  deepgram: 'deepgram',
  elevenlabs: 'elevenlabs',
  assemblyai: 'assemblyai',
  speechmatics: 'speechmatics',
  gladia: 'gladia',
}
