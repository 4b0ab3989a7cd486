import { type AgentEvent, type FleetEvent, type LiveLatency, waitInWords } from '#fleet'
import { formatMilliseconds } from '#reports'

/** What the coordinator says of a run. */
export function fleetLine(event: FleetEvent): string {
  switch (event.kind) {
    case 'handedOut': {
      const { run, hosts, blockCount, countedCount, idleLimitMs } = event
      const taker = hosts === null ? 'any agent' : hosts.join(', ')
      const before = countedCount === 0 ? '' : `, of which ${countedCount} were collected before`
      const wait = `ends when no agent measures a missing block for ${waitInWords(idleLimitMs)} (--idle-limit)`
      return `\n  run       ${run}\n  blocks    ${blockCount} for ${taker}${before}\n  waiting   ${wait}\n`
    }
    case 'counted': {
      const { result, countedCount, blockCount, latencies } = event
      const counted = `  part ${result.part} on ${result.host}: ${result.answeredCount} answered (${countedCount} of ${blockCount} blocks)`
      return [counted, ...latencies.map((live) => liveLine(live, result.host))].join('\n')
    }
    case 'further':
      return `  part ${event.result.part} on ${event.result.host}: measured once more, does not count`
    case 'failed':
      return `  ${event.failed.block.id} failed: ${event.failed.reason}`
    case 'passedOn':
      return `  ${event.failed.block.id} goes to another host: ${event.failed.reason}`
    case 'setAside':
      return `  ${event.host} is set aside, because it failed two blocks in a row: ${event.reason}`
    case 'lost':
      return `  ${event.host} fell silent while it measured ${event.block.id}; another agent is given it`
  }
}

/** The report has the exact figures, from the attempts of all hosts. */
function liveLine({ contenderId, p50Ms, p95Ms, relativeError }: LiveLatency, host: string): string {
  const [p50, p95] = [formatMilliseconds(p50Ms), formatMilliseconds(p95Ms)]
  return `    ${contenderId} on ${host} so far: p50 ${p50}, p95 ${p95} (by a sketch, ±${100 * relativeError} %)`
}

/** What an agent says of its blocks. */
export function agentLine(event: AgentEvent): string {
  switch (event.kind) {
    case 'waiting':
      return '  waiting for a block'
    case 'measuring':
      return `  measuring part ${event.block.part} of ${event.block.partCount}, run ${event.block.run}`
    case 'sent':
      return event.isCounted ? '  sent' : '  not needed: another copy was complete first'
    case 'notSent':
      return `  ${event.reason}; the result is kept in ${event.folder}`
    case 'removed':
      return `  removed what no run took for 7 days: ${event.folder}`
    case 'refused':
      return `  a job was refused: ${event.reason}`
    case 'failed':
      return `  the block failed: ${event.reason}`
  }
}
