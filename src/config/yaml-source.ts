import type { Document, Node, Pair } from 'yaml'
import type { Problem } from '#prelude'
import { parseYaml, yaml } from '#prelude/yaml'

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
    valueAt: (keys) => at(...findExtent(nodeAt(document, keys))),
    keyAt: (keys, key) => {
      const node = nodeAt(document, keys)
      const pair = yaml().isMap(node) ? node.items.find((item) => readName(item) === key) : undefined
      return at(...findExtent((pair?.key as Node | undefined) ?? node))
    },
  }
}

/** The deepest node on the way to `path` that exists, with references followed. */
function nodeAt(document: Document, path: readonly PropertyKey[]): Node | null {
  let node = resolved(document, document.contents)
  for (const key of path) {
    const child = findChild(node, key)
    if (child === null) return node
    node = resolved(document, child)
  }
  return node
}

function findChild(node: Node | null, key: PropertyKey): Node | null {
  if (yaml().isSeq(node)) return (node.items[Number(key)] as Node | undefined) ?? null
  if (!yaml().isMap(node)) return null
  const pair = node.items.find((item) => readName(item) === String(key))
  // A key with nothing after it has no value to point at.
  return ((pair?.value ?? pair?.key) as Node | undefined) ?? null
}

function resolved(document: Document, node: Node | null): Node | null {
  return yaml().isAlias(node) ? (node.resolve(document) ?? node) : node
}

function readName(pair: Pair): string | null {
  return yaml().isScalar(pair.key) ? String(pair.key.value) : null
}

/** Of an object or a list only the beginning: a caret under half a file says nothing. */
function findExtent(node: Node | null): [number, number] {
  const [start, end] = node?.range ?? [0, 1]
  return yaml().isScalar(node) || yaml().isAlias(node)
    ? [start, Math.max(end, start + 1)]
    : [start, start + 1]
}

/** A place in a text, and how to show it to a person. */
interface Excerpt {
  /** `configs/nightly.yaml:14:5`, lines and columns from 1. */
  readonly where: string
  readonly line: number
  readonly column: number
  /** The word that is there, without its quotes. */
  readonly word: string
  /** The line and the one before it, a caret under the place, and the advice after the caret or below it. */
  show(advice: string): string
}

interface Place {
  readonly text: string
  readonly path: string
  readonly line: number
  readonly column: number
  /** Characters to underline; cut off at the end of the line. */
  readonly length: number
}

/** Longer lines are cut: what matters is near the caret. */
const widestLine = 64

/** A line with a caret that was broken at a terminal's edge would point at nothing. */
const widestPointer = 60

/**
 *     13 |     "kind": "closed",
 *     14 |     "concurency": 4
 *        |     ^^^^^^^^^^^^ did you mean "concurrency"?
 */
function excerptAt({ text, path, line, column, length }: Place): Excerpt {
  // A tab is one column and many blanks wide: as one blank it leaves the caret in its place.
  const lines = text.replaceAll('\t', ' ').split(/\r?\n/)
  const rest = (lines[line - 1] ?? '').slice(column - 1)
  return {
    line,
    column,
    word: /^["']?([^"':\s]*)/.exec(rest)?.[1] ?? '',
    where: `${path}:${line}:${column}`,
    show(advice) {
      const width = String(line).length
      const from = Math.max(0, column - 1 - Math.floor(widestLine / 2))
      const numbered = (number: number): string =>
        `${String(number).padStart(width)} | ${(lines[number - 1] ?? '').slice(from, from + widestLine)}`.trimEnd()
      const isNear = (lines[line - 2] ?? '').slice(from).trim() !== ''
      const before = line > 1 && isNear ? [numbered(line - 1)] : []
      const carets = '^'.repeat(Math.max(1, Math.min(length, rest.length, widestLine)))
      const pointer = `${' '.repeat(width)} | ${' '.repeat(column - 1 - from)}${carets}`
      const [first = '', ...others] = advice.split('\n')
      const fits = pointer.length + first.length < widestPointer
      const advised = fits ? [`${pointer} ${first}`.trimEnd()] : [pointer, first]
      return [...before, numbered(line), ...advised, ...others].join('\n')
    },
  }
}
