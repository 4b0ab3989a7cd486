// Names of what scoring distinguishes. A browser that scores needs them without the schemas of documents.

/** What an entity of a reference can be, in the order of reports. */
export const entityTypes = ['name', 'number', 'email', 'phone', 'date', 'drug', 'place'] as const
export type EntityType = (typeof entityTypes)[number]

/** What no longer counts from a rung on, in this order. */
export const rungs = [
  'as written',
  'capitals',
  'punctuation',
  'numbers and contractions',
  'spellings',
] as const
export type Rung = (typeof rungs)[number]

/** Kinds of words that people look at on their own. */
export const wordClasses = ['number', 'money', 'percent', 'ordinal', 'date'] as const
export type WordClass = (typeof wordClasses)[number]
