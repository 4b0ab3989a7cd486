/**
 * sherpa-onnx without our service, behind `/v1/audio/transcriptions`: it decodes at whatever pace requests come. Of a
 * request only the name of its file is read; the samples are in memory. It times every decode by its own clock, and
 * reports the times to its parent when it is asked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decode, quickClips, recogniser } from './real-engine.ts'

/** One decode, by the clock of this process. */
export interface TimedDecode {
  readonly utteranceId: string
  readonly tookMs: number
}

const [clips, recognizer] = await Promise.all([quickClips(), recogniser(Number(process.argv[2]))])
const decodes: TimedDecode[] = []

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray())
  if (request.method === 'GET') {
    response.end(JSON.stringify({ data: [{ id: 'moonshine-tiny' }] }))
    return
  }
  const clip = clips.find(({ fileName }) => body.includes(`filename="${fileName}"`))
  if (clip === undefined) {
    response.writeHead(400).end('{}')
    return
  }
  const { text, tookMs } = await decode(recognizer, clip.samples)
  decodes.push({ utteranceId: clip.utteranceId, tookMs })
  response.end(JSON.stringify({ text }))
}

const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
server.once('listening', () =>
  process.send?.(`openai:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`),
)
process.on('message', () => process.send?.(decodes))
process.once('disconnect', () => process.exit(0))
