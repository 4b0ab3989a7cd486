/** Names of the queues and keys of a fleet. */

/** Blocks for one host, or for any. */
export function blockQueue(host: string | null): string {
  return host === null ? 'blocks' : `blocks-${host}`
}

/** What agents ask the coordinator of a run. */
export function askQueue(run: string): string {
  return `asks-${run}`
}

/** Where a message is valid: the queue and the job that it was signed for. */
export function jobPlace(queue: string, jobId: string): string {
  return `${queue}/${jobId}`
}

/** Is there as long as the coordinator of a run wants answers, also while it is away. */
export function openKey(prefix: string, run: string): string {
  return `${prefix}:open:${run}`
}
