import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { ProtocolName } from '#providers/protocols/protocols'
import type { ProviderOrder } from './provider-program.ts'

interface SeenRequest {
  /** Of a request that begins a transcription; null for every other one. */
  readonly model: string | null
  readonly method: string
  readonly path: string
  readonly status: number
  /** What it sets, where its API looks for it; null for a request that begins no transcription. */
  readonly settings: Readonly<Record<string, unknown>> | null
  /** Recordings in its storage then. */
  readonly storedCount: number
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
    baseUrl: ['openai', 'google'].includes(order.protocol) ? `${root}/v1` : root,
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
export const providerOf: Readonly<Record<ProtocolName, string>> = {
  // Groq limits requests per minute, which would make tests long.
  openai: 'mistral',
  deepgram: 'deepgram',
  elevenlabs: 'elevenlabs',
  google: 'google',
  assemblyai: 'assemblyai',
  speechmatics: 'speechmatics',
  gladia: 'gladia',
  azure: 'azure',
  'azure-fast': 'azure-fast',
  aws: 'aws',
}

/** Where a provider is, and its key, as the environment says it. */
export function environmentOf(
  protocol: ProtocolName,
  { baseUrl, key }: { readonly baseUrl: string; readonly key: string },
): Readonly<Record<string, string>> {
  const name = providerOf[protocol].toUpperCase()
  if (protocol === 'azure-fast') return { AZURE_API_KEY: key, AZURE_BASE_URL: baseUrl }
  const usual = { [`${name}_API_KEY`]: key, [`${name}_BASE_URL`]: baseUrl }
  if (protocol === 'azure')
    return { ...usual, AZURE_STORAGE_URL: `${baseUrl}/container?sv=2021-08-06&sig=${key}` }
  if (protocol !== 'aws') return usual
  return {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: key,
    AWS_REGION: 'eu-central-1',
    AWS_BUCKET: 'the-bucket',
    AWS_BASE_URL: baseUrl,
    AWS_STORAGE_URL: `${baseUrl}/bucket`,
  }
}
