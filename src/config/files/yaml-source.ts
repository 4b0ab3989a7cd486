import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml'
import type { Problem } from '#prelude'
import { parseYaml } from '#yaml'
import { type Excerpt, excerptAt } from './excerpt.ts'

/** A YAML or JSON text that knows where each of its values is. */
export interface YamlSource {
  /** What the text says; null for a text without a value. */
  readonly value: unknown
  /** What is wrong with the text itself, before anybody asks what it means. */
  readonly problems: readonly Problem[]
  /** False where the structure cannot be read, so that further problems would be made up. */
  readonly isReadable: boolean
  /** The place of a value, or of the nearest thing around it that exists. */
  valueAt(path: readonly PropertyKey[]): Excerpt
  /** The place of a key of the object at `path`. */
  keyAt(path: readonly PropertyKey[], key: string): Excerpt
}

/** @param path the file's name, for the places of problems */
export function readYaml(text: string, path: string): YamlSource {
  const { document, faults, lineAt } = parseYaml(text)
  const at = (start: number, end: number): Excerpt =>
    excerptAt({ text, path, ...lineAt(start), length: end - start })
  const isReadable = faults.every(({ hasValue }) => hasValue)
  return {
    value: isReadable ? document.toJS() : null,
    problems: faults.map(({ at: place, what, advice }): Problem => {
      const excerpt = at(...place)
      return { where: excerpt.where, what, hint: excerpt.show(advice) }
    }),
    isReadable,
    valueAt: (keys) => at(...extentOf(nodeAt(document, keys))),
    keyAt: (keys, key) => {
      const node = nodeAt(document, keys)
      const pair = isMap(node) ? node.items.find((item) => nameOf(item) === key) : undefined
      return at(...extentOf((pair?.key as Node | undefined) ?? node))
    },
  }
}

/** The deepest node on the way to `path` that exists, with references followed. */
function nodeAt(document: Document, path: readonly PropertyKey[]): Node | null {
  let node = resolved(document, document.contents)
  for (const key of path) {
    const child = childOf(node, key)
    if (child === null) return node
    node = resolved(document, child)
  }
  return node
}

function childOf(node: Node | null, key: PropertyKey): Node | null {
  if (isSeq(node)) return (node.items[Number(key)] as Node | undefined) ?? null
  if (!isMap(node)) return null
  const pair = node.items.find((item) => nameOf(item) === String(key))
  // A key with nothing after it has no value to point at.
  return ((pair?.value ?? pair?.key) as Node | undefined) ?? null
}

function resolved(document: Document, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? node) : node
}

function nameOf(pair: Pair): string | null {
  return isScalar(pair.key) ? String(pair.key.value) : null
}

/** Of an object or a list only the beginning: a caret under half a file says nothing. */
function extentOf(node: Node | null): [number, number] {
  const [start, end] = node?.range ?? [0, 1]
  return isScalar(node) || isAlias(node) ? [start, Math.max(end, start + 1)] : [start, start + 1]
}
