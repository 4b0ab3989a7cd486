import { type AgentEvent, type FleetEvent, waitInWords } from '#fleet'

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
      const { result, countedCount, blockCount } = event
      return `  part ${result.part} on ${result.host}: ${result.answeredCount} answered (${countedCount} of ${blockCount} blocks)`
    }
    case 'further':
      return `  part ${event.result.part} on ${event.result.host}: measured once more, does not count`
    case 'failed':
      return `  ${event.failed.block.id} failed: ${event.failed.reason}`
  }
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
