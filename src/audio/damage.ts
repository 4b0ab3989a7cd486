/** Why a file cannot be used. Never leaves this module. */
export class UnusableAudio extends Error {
  override readonly name = 'UnusableAudio'
  /** The file is sound, and another program may read it. */
  readonly isForeign: boolean

  constructor(message: string, isForeign = false) {
    super(message)
    this.isForeign = isForeign
  }
}

/** Ends the reading of a file. @param reason fits behind "this WAV file is cut short or damaged: " */
export function damaged(reason: string): never {
  throw new UnusableAudio(`is cut short or damaged: ${reason}`)
}

/** Ends the reading of a file that is sound, but not for us. @param reason fits behind "this WAV file cannot be read: " */
export function unreadable(reason: string): never {
  throw new UnusableAudio(`cannot be read: ${reason}`, true)
}

/** Ends the reading of a file that promises more than there is. @param reason fits behind "this WAV file is cut short: " */
export function cutShort(reason: string): never {
  throw new UnusableAudio(`is cut short: ${reason}`)
}
