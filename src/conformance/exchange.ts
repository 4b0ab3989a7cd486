/** A header as written in the request's head. */
export type Header = readonly [name: string, value: string]

/** One request, to the byte: the sender adds nothing but what frames the body. */
export interface RawRequest {
  readonly method: string
  /** Path and query as written in the request line. */
  readonly target: string
  /** In this order, `Host` included where there is to be one. */
  readonly headers: readonly Header[]
  /** Bytes are announced by their length; pieces are sent chunked, without one. */
  readonly body?: Uint8Array | Iterable<Uint8Array> | undefined
  /** Announce a body of this length, and send no more than `body` of it. */
  readonly announcedBytes?: number | undefined
  /** Close the connection when it resolves, if no answer has come by then. */
  readonly hangUp?: Promise<unknown> | undefined
  /** Give the server a moment to close the connection after its answer, and report whether it did. */
  readonly watchesClosing?: boolean | undefined
}

/** What came back. */
export interface RawReply {
  /** Null where no answer came. */
  readonly status: number | null
  /** By lower-case name; several of one name are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Why no answer came, or why it broke off; null for a whole one. */
  readonly fault: string | null
  /** Whether the server closed the connection; false where it was not checked. */
  readonly isClosed: boolean
}

/** A folder that the service may read, in which files can be put. The sender removes them at the end. */
export interface ReadableFolder {
  /** @returns the absolute path of a new file with these bytes, or of that many zeros */
  place(name: string, content: Uint8Array | { readonly zeroBytes: number }): Promise<string>
  /** @returns the absolute path of a new symbolic link, or null where the system makes none */
  link(name: string, target: string): Promise<string | null>
  /** The absolute path that a file of this name would have. */
  pathOf(name: string): string
}

/** What the discovery file of a service says. */
export interface FoundDiscovery {
  readonly content: unknown
  /** Permission bits; null on a system that has none. */
  readonly mode: number | null
}

/** The only access of a conformance case to the outside. The caller, which has sockets and files, implements it. */
export interface Exchange {
  send(request: RawRequest): Promise<RawReply>
  /** The port that the service itself listens on, which its `Host` names. */
  readonly port: number
  /** Never part of a verdict. */
  readonly token: string
  /** A word that no other run uses, for the names of what this one creates. */
  readonly runId: string
  /**
   * Recordings that every server can decode: a second of speech, a minute of sound, and one without a sample. WAV with a header
   * of 44 bytes. Where no speech is at hand the second is a tone, in which a server may hear nothing.
   */
  readonly audio: {
    readonly second: Uint8Array
    readonly isSpeech: boolean
    readonly minute: Uint8Array
    readonly empty: Uint8Array
  }
  /** Paths that the service may not read, of which only the first leads to a file. */
  readonly outside: { readonly existing: string; readonly missing: string }
  /** Null where no folder is known that the service may read. */
  readonly files: ReadableFolder | null
  /** Null where the service was named by its address. */
  readonly discovery: FoundDiscovery | null
  /** Addresses of this machine other than 127.0.0.1 on which the port answers; null where unknown. */
  answeringElsewhere(): Promise<readonly string[] | null>
  base64(bytes: Uint8Array): string
  wait(milliseconds: number): Promise<void>
}
