import type { Utterance } from './utterance.ts'

const none: readonly string[] = []
/** Names of speakers and tags: more different ones than this are not worth a table. */
const maxShared = 100_000

/** Each line brings copies of the same few texts; in a manifest of millions of lines they are half of the memory. */
export function shareTexts(): (utterance: Utterance) => Utterance {
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  const shared = <Text extends string | null>(text: Text): Text => {
    if (text === null) return text
    const known = texts.get(text)
    if (known === undefined && texts.size < maxShared) texts.set(text, text)
    return (known ?? text) as Text
  }
  const sharedList = (list: readonly string[]): readonly string[] => {
    if (list.length === 0) return none
    const key = JSON.stringify(list)
    const known = lists.get(key)
    if (known === undefined && lists.size < maxShared) lists.set(key, list)
    return known ?? list
  }
  return (utterance) => ({
    ...utterance,
    alternatives: sharedList(utterance.alternatives),
    language: shared(utterance.language),
    speaker: shared(utterance.speaker),
    source: shared(utterance.source),
    tags: sharedList(utterance.tags),
    keywords: sharedList(utterance.keywords),
  })
}
