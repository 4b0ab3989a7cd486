import { hash } from 'node:crypto'

/** Finds texts among millions, without keeping them: in a Map, two million ids took 226 MB more. */
interface IdTable {
  /** @returns the line with which the text was added before; null where it is new */
  add(id: string, line: number): number | null
  /** @returns the line with which the text was added first; null where it was not */
  lineOf(id: string): number | null
}

/** Of 32 bits each. With 96 bits, the chance that any two of two million texts share a key is 2.5e-17. */
const keyWords = 3
const slotWords = keyWords + 1

/** A hash table with open addressing: 16 bytes a slot, up to two thirds of them in use. */
export function idTable(): IdTable {
  let slots = new Uint32Array(slotWords * 1024)
  let count = 0
  const key = new Uint32Array(keyWords)

  function readKey(id: string): void {
    const digest = hash('sha256', id, 'binary')
    for (let word = 0; word < keyWords; word += 1) {
      const at = 4 * word
      key[word] =
        digest.charCodeAt(at) |
        (digest.charCodeAt(at + 1) << 8) |
        (digest.charCodeAt(at + 2) << 16) |
        (digest.charCodeAt(at + 3) << 24)
    }
  }

  /** @returns where the key at a place of a list is, or the empty slot where it belongs */
  function find(keys: Uint32Array, from: number): number {
    const slotCount = slots.length / slotWords
    for (let slot = (keys[from] ?? 0) % slotCount; ; slot = (slot + 1) % slotCount) {
      const at = slot * slotWords
      let same = 0
      while (same < keyWords && slots[at + same] === keys[from + same]) same += 1
      if (same === keyWords || slots[at + keyWords] === 0) return at
    }
  }

  function grow(): void {
    const old = slots
    slots = new Uint32Array(old.length * 2)
    for (let from = 0; from < old.length; from += slotWords) {
      if (old[from + keyWords] === 0) continue
      const at = find(old, from)
      for (let word = 0; word < slotWords; word += 1) slots[at + word] = old[from + word] ?? 0
    }
  }

  return {
    add(id, line) {
      if (count * 3 >= (slots.length / slotWords) * 2) grow()
      readKey(id)
      const at = find(key, 0)
      const earlier = slots[at + keyWords] ?? 0
      if (earlier !== 0) return earlier
      slots.set(key, at)
      slots[at + keyWords] = line
      count += 1
      return null
    },
    lineOf(id) {
      readKey(id)
      return slots[find(key, 0) + keyWords] || null
    },
  }
}
