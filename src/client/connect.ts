import { describeFailure } from '#contract'
import { Channel, type ChannelOptions } from './connection/channel.ts'
import type { Connection } from './connection/connection.ts'
import { callEndpoint, connectionOver } from './connection/http-connection.ts'
import { askLiveness } from './discovery/liveness.ts'
import { clientErrors } from './errors.ts'
import type { RunningTarget } from './target.ts'

/**
 * Opens a connection and makes sure of the other side: `/health` answers, the process that wrote the discovery
 * file still lives, and the token is taken. What was found out is not kept: ask again for what you record.
 *
 * @param target what `resolveTarget` gave, unless it is the embedded service, which the caller starts first
 *   and then names by its discovery file
 * @throws BenchError `TARGET_NOT_FOUND`, `DISCOVERY_FILE_UNREADABLE`, `TARGET_TOKEN_MISSING`, `TARGET_STALE`,
 *   `TARGET_UNREACHABLE`, `TARGET_NOT_THE_API`, `TARGET_TOKEN_REFUSED`
 */
export async function connect(target: RunningTarget, options: ChannelOptions): Promise<Connection> {
  const location = await target.locate()
  const channel = new Channel(target.locate, location, options)
  try {
    const liveness = await askLiveness(channel, location)
    if (liveness.kind !== 'alive') throw notReady(target, channel.baseUrl, liveness)
    await checkToken(target, channel)
    return connectionOver(channel)
  } catch (error) {
    await channel[Symbol.asyncDispose]()
    throw error
  }
}

/** Only a 401 is this check's business; whatever else is wrong shows where the answer is needed. */
async function checkToken(target: RunningTarget, channel: Channel): Promise<void> {
  const models = await callEndpoint(channel, 'listModels', { query: { kind: 'voice' } })
  if (models.ok || !('httpStatus' in models.failure) || models.failure.httpStatus !== 401) return
  throw clientErrors.make('TARGET_TOKEN_REFUSED', {
    message: `the service at ${channel.baseUrl} does not take the token of ${tokenSource(target)}`,
    hint:
      target.kind === 'address'
        ? 'copy the token from the settings of the application again, or name its discovery file as the target'
        : 'restart the service, which writes the file anew; a copy of the file has to be copied again',
    problems: [{ where: `${channel.baseUrl}/models`, what: describeFailure(models.failure) }],
  })
}

function tokenSource(target: RunningTarget): string {
  return target.kind === 'address' ? 'TRANSCRIBENCH_TOKEN or TRANSCRIBENCH_TOKEN_FILE' : target.text
}

function notReady(
  target: RunningTarget,
  baseUrl: string,
  { kind, reason }: { readonly kind: 'gone' | 'foreign'; readonly reason: string },
): Error {
  const problems = [{ where: target.text, what: reason }]
  if (kind === 'foreign') {
    return clientErrors.make('TARGET_NOT_THE_API', {
      message: `${baseUrl} answers, but not as the Local Transcription API`,
      hint:
        'see which program has the port; behind a forwarded port write <discovery file>@127.0.0.1:<forwarded ' +
        'port>, so that the service gets the Host that it expects',
      problems,
    })
  }
  if (target.kind === 'discovered' && !target.isForwarded) {
    return clientErrors.make('TARGET_STALE', {
      message: `${target.text} is stale: ${reason}`,
      hint: 'start the service again, or use the built-in one: --target embedded',
    })
  }
  return clientErrors.make('TARGET_UNREACHABLE', {
    message: `no service answers at ${baseUrl}`,
    hint: target.isForwarded
      ? 'see whether the port is still forwarded and the service runs on the other side'
      : 'start the service, or name its discovery file as the target: --target auto',
    problems,
  })
}
