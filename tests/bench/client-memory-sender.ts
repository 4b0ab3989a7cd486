/**
 * A process that sends one recording and prints the most memory it ever held, in bytes: `streamed` by our
 * client, or `whole` as it is done without care, the JSON document in one piece.
 */
import { connectTo, uploadStreamed, uploadWhole } from './null-service.ts'
import { peakBytes } from './peak-bytes.ts'

const [way, discoveryPath = '', clipPath = ''] = process.argv.slice(2)
if (way === 'streamed') {
  await using connection = await connectTo(discoveryPath, 1)
  await uploadStreamed(connection, clipPath)
} else await uploadWhole(discoveryPath, clipPath)
process.stdout.write(String(await peakBytes()))
