import type { Document, Node, Pair } from 'yaml'
import type { Problem } from '#prelude'
import { parseYaml, yaml } from '#prelude/yaml'

/** A parsed YAML or JSON text that can locate each of its values. */
export interface YamlSource {
  /** The parsed value; null for an empty text. */
  readonly value: unknown
  /** Syntax problems of the text, regardless of its meaning. */
  readonly problems: readonly Problem[]
  /** False if the structure cannot be read; further problems would then be unreliable. */
  readonly isReadable: boolean
  /** Whether the text at `path` is in quotes. In JSON every text is. */
  isQuoted(path: readonly PropertyKey[]): boolean
  /** The location of a value, or of its nearest existing parent. */
  valueAt(path: readonly PropertyKey[]): Excerpt
  /** The location of a key of the object at `path`. */
  keyAt(path: readonly PropertyKey[], key: string): Excerpt
}

/** @param path the file's name, for the locations of problems */
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
    isQuoted: (keys) => {
      const node = nodeAt(document, keys)
      return yaml().isScalar(node) && (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE')
    },
    valueAt: (keys) => at(...findExtent(nodeAt(document, keys))),
    keyAt: (keys, key) => {
      const node = nodeAt(document, keys)
      const pair = yaml().isMap(node) ? node.items.find((item) => readName(item) === key) : undefined
      return at(...findExtent((pair?.key as Node | undefined) ?? node))
    },
  }
}

/** The deepest existing node on `path`, with aliases resolved. */
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
  // A key without a value is located itself.
  return ((pair?.value ?? pair?.key) as Node | undefined) ?? null
}

function resolved(document: Document, node: Node | null): Node | null {
  return yaml().isAlias(node) ? (node.resolve(document) ?? node) : node
}

function readName(pair: Pair): string | null {
  return yaml().isScalar(pair.key) ? String(pair.key.value) : null
}

/** The range to underline. For an object or a list it is one character, not half a file of carets. */
function findExtent(node: Node | null): [number, number] {
  const [start, end] = node?.range ?? [0, 1]
  return yaml().isScalar(node) || yaml().isAlias(node)
    ? [start, Math.max(end, start + 1)]
    : [start, start + 1]
}

/** A location in a text, with its display. */
interface Excerpt {
  /** `configs/nightly.yaml:14:5`, lines and columns from 1. */
  readonly where: string
  readonly line: number
  readonly column: number
  /** Shows the line and the one before it, a caret below the location, and the advice after or below the caret. */
  show(advice: string): string
}

interface Place {
  readonly text: string
  readonly path: string
  readonly line: number
  readonly column: number
  /** Number of characters to underline, at most to the end of the line. */
  readonly length: number
}

/** Maximum length of a shown line; it is cut around the caret. */
const widestLine = 64

/** Maximum length of a line with caret and advice, because a terminal would wrap a longer one. */
const widestPointer = 60

/**
 *     13 |     "kind": "closed",
 *     14 |     "concurency": 4
 *        |     ^^^^^^^^^^^^ did you mean "concurrency"?
 */
function excerptAt({ text, path, line, column, length }: Place): Excerpt {
  // A tab is one column in the text, so it is shown as one blank to keep the caret aligned.
  const lines = text.replaceAll('\t', ' ').split(/\r?\n/)
  const rest = (lines[line - 1] ?? '').slice(column - 1)
  return {
    line,
    column,
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
