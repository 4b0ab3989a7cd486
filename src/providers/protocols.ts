import { assemblyaiProtocol } from './assemblyai.ts'
import { deepgramProtocol } from './deepgram.ts'
import { elevenlabsProtocol } from './elevenlabs.ts'
import { gladiaProtocol } from './gladia.ts'
import { openaiProtocol } from './openai.ts'
import type { ProviderProtocol } from './protocol.ts'
import { speechmaticsProtocol } from './speechmatics.ts'

export type ProtocolName = 'openai' | 'deepgram' | 'elevenlabs' | 'assemblyai' | 'speechmatics' | 'gladia'

export const protocols: Readonly<Record<ProtocolName, ProviderProtocol>> = {
  openai: openaiProtocol,
  deepgram: deepgramProtocol,
  elevenlabs: elevenlabsProtocol,
  assemblyai: assemblyaiProtocol,
  speechmatics: speechmaticsProtocol,
  gladia: gladiaProtocol,
}
