import type { ProviderProtocol } from '../protocol.ts'
import { assemblyaiProtocol } from './assemblyai.ts'
import { awsProtocol } from './aws.ts'
import { azureProtocol } from './azure.ts'
import { azureFastProtocol } from './azure-fast.ts'
import { deepgramProtocol } from './deepgram.ts'
import { elevenlabsProtocol } from './elevenlabs.ts'
import { gladiaProtocol } from './gladia.ts'
import { googleProtocol } from './google.ts'
import { openaiProtocol } from './openai.ts'
import { speechmaticsProtocol } from './speechmatics.ts'

export const protocols = {
  openai: openaiProtocol,
  deepgram: deepgramProtocol,
  elevenlabs: elevenlabsProtocol,
  google: googleProtocol,
  assemblyai: assemblyaiProtocol,
  speechmatics: speechmaticsProtocol,
  gladia: gladiaProtocol,
  azure: azureProtocol,
  'azure-fast': azureFastProtocol,
  aws: awsProtocol,
} satisfies Record<string, ProviderProtocol>

export type ProtocolName = keyof typeof protocols
