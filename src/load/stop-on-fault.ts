/** What is in flight, and what goes wrong in it that no server can do. */
export interface Flights {
  /** Aborted by the caller's stop signal, and by the first sending that throws. */
  readonly halt: AbortSignal
  /** Waits for one sending. Never rejects. */
  watch(sending: Promise<void>): Promise<void>
  /** Throws what the first sending threw that did. */
  rethrow(): void
}

/**
 * A sending that throws is a bug, and nothing that is sent after it is worth sending. The schedule still waits
 * for what is in flight before it reports it.
 */
export function stopOnFault(stop: AbortSignal): Flights {
  const broken = new AbortController()
  const faults: unknown[] = []
  return {
    halt: AbortSignal.any([stop, broken.signal]),
    watch: (sending) =>
      sending.catch((fault: unknown) => {
        faults.push(fault)
        broken.abort()
      }),
    rethrow() {
      if (faults.length > 0) throw faults[0]
    },
  }
}
