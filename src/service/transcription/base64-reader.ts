import { createByteStore } from './byte-store.ts'

/** Decodes base64 as it comes: of either alphabet, with or without padding, with blanks anywhere. */
export interface Base64Reader {
  push(text: string): void
  /** @returns null for text that is not base64 */
  finish(): Uint8Array<ArrayBuffer> | null
}

/** @param expectedCharacters at most, as far as it is known */
export function createBase64Reader(expectedCharacters: number): Base64Reader {
  const store = createByteStore(Math.ceil((expectedCharacters * 3) / 4))
  /** Characters that do not make whole bytes yet; fewer than four. */
  let rest = ''
  let padding = ''
  let isBroken = false

  /** Node's decoder skips what it does not know, and so yields fewer bytes than the length promises. */
  function decode(quads: string): boolean {
    const sizeBytes = (quads.length * 3) / 4
    if (store.reserve(sizeBytes).write(quads, 'base64') !== sizeBytes) return false
    store.advance(sizeBytes)
    return true
  }

  function pushCharacters(text: string): void {
    const whole = text.length - (text.length % 4)
    rest = text.slice(whole)
    if (decode(text.slice(0, whole))) return
    const bare = text.replaceAll(/\s+/g, '')
    if (bare.length < text.length) pushCharacters(bare)
    else isBroken = true
  }

  return {
    push(text) {
      if (isBroken) return
      const end = padding === '' ? text.indexOf('=') : 0
      if (end !== 0) pushCharacters(rest + (end === -1 ? text : text.slice(0, end)))
      if (end !== -1) padding += text.slice(end).replaceAll(/\s+/g, '')
      isBroken ||= !/^={0,2}$/.test(padding)
    },
    finish() {
      const last = rest.replaceAll(/\s+/g, '')
      const sizeBytes = Math.floor((last.length * 3) / 4)
      if (last.length % 4 === 1 || isBroken || (padding !== '' && last === '')) return null
      if (store.reserve(sizeBytes).write(last, 'base64') !== sizeBytes) return null
      store.advance(sizeBytes)
      return store.take()
    },
  }
}
