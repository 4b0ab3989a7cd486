/**
 * A process that sends one recording and prints the most memory it ever held, in bytes: `streamed` by our
 * client, or `whole` as it is done without care, the JSON document in one piece.
 */
import { readFile, stat } from 'node:fs/promises'
import { Pool } from 'undici'
import { connect, resolveTarget } from '#client/target'
import { discoveryFile } from '#contract/resources'
import { systemClock } from '#load/clock'
import { peakBytes } from './peak-bytes.ts'

const [way, discoveryPath = '', clipPath = ''] = process.argv.slice(2)

async function sendStreamed(): Promise<void> {
  const target = await resolveTarget(discoveryPath, { env: {}, home: '/', platform: process.platform })
  if (target.kind === 'embedded') throw new TypeError('a discovery file is never embedded')
  await using connection = await connect(target, { clock: systemClock, connections: 1 })
  const { outcome } = await connection.transcribe({
    audio: {
      transport: 'base64',
      path: clipPath,
      sizeBytes: (await stat(clipPath)).size,
      mimeType: 'audio/wav',
    },
    options: { engine: 'null', model: 'null' },
    timeoutMs: 60_000,
  })
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure))
}

async function sendWhole(): Promise<void> {
  const { port, token } = discoveryFile.parse(JSON.parse(await readFile(discoveryPath, 'utf8')))
  const pool = new Pool(`http://127.0.0.1:${port}`)
  const audio = (await readFile(clipPath)).toString('base64')
  const response = await pool.request({
    method: 'POST',
    path: '/transcribe',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ engine: 'null', model: 'null', mime_type: 'audio/wav', audio_base64: audio }),
  })
  await response.body.text()
  await pool.destroy()
}

await (way === 'streamed' ? sendStreamed() : sendWhole())
process.stdout.write(String(await peakBytes()))
