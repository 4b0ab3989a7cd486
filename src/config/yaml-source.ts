import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml'
import type { Problem } from '#prelude'
import { type Excerpt, excerptAt } from './excerpt.ts'

/** A YAML or JSON text that knows where each of its values stands. */
export interface YamlSource {
  /** What the text says; null for a text without a value. */
  readonly value: unknown
  /** What is wrong with the text itself, before anybody asks what it means. */
  readonly problems: readonly Problem[]
  /** False where the structure cannot be told, so that further problems would be made up. */
  readonly isReadable: boolean
  /** The place of a value, or of the nearest thing around it that exists. */
  valueAt(path: readonly PropertyKey[]): Excerpt
  /** The place of a key of the object at `path`. */
  keyAt(path: readonly PropertyKey[], key: string): Excerpt
}

/** @param path the file's name, for the places of problems */
export function readYaml(text: string, path: string): YamlSource {
  // JSON may be indented with tabs and YAML may not; one for one, so that the columns stay.
  const isJson = text.trimStart().startsWith('{')
  const plain = isJson ? text.replaceAll('\t', ' ') : text
  const lines = new LineCounter()
  const document = parseDocument(plain, { lineCounter: lines, prettyErrors: false })
  const at = (start: number, end: number): Excerpt => {
    const { line, col } = lines.linePos(start)
    return excerptAt({ text: plain, path, line, column: col, length: end - start })
  }
  const faults = [...document.errors, ...document.warnings]
  const problems = faults.map((fault) => problemOf(fault, plain, at(fault.pos[0], fault.pos[1])))
  const read = faults.every(({ code }) => code === 'DUPLICATE_KEY') ? readValue(document) : null
  return {
    value: read?.value ?? null,
    problems: read?.problem === undefined ? problems : [...problems, { where: path, ...read.problem }],
    isReadable: read !== null && read.problem === undefined,
    valueAt: (keys) => at(...extentOf(nodeAt(document, keys))),
    keyAt: (keys, key) => {
      const node = nodeAt(document, keys)
      const pair = isMap(node) ? node.items.find((item) => nameOf(item) === key) : undefined
      return at(...extentOf((pair?.key as Node | undefined) ?? node))
    },
  }
}

interface ReadValue {
  readonly value: unknown
  readonly problem?: { readonly what: string; readonly hint: string }
}

/** Anchors that refer to each other can stand for more than memory holds; the library stops there. */
function readValue(document: Document): ReadValue {
  try {
    return { value: document.toJS() as unknown }
  } catch (error) {
    const what = `its anchors cannot be followed: ${(error as Error).message}`
    return { value: null, problem: { what, hint: 'write the values out instead of referring to them' } }
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
  // A key with nothing after it has no value of its own to point at.
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
  return isScalar(node) ? [start, Math.max(end, start + 1)] : [start, start + 1]
}

/** What the library says, in the words of somebody who has to mend it. */
function problemOf(fault: YAMLError, text: string, excerpt: Excerpt): Problem {
  const [start] = fault.pos
  const { where } = excerpt
  const name = /^["']?([^"':\s]+)/.exec(text.slice(start))?.[1] ?? ''
  switch (fault.code) {
    case 'DUPLICATE_KEY':
      return { where, what: `"${name}" stands here a second time`, hint: excerpt.show('keep one of them') }
    case 'TAB_AS_INDENT':
      return {
        where,
        what: 'a tab indents this line',
        hint: excerpt.show('indent with spaces: YAML takes no tabs'),
      }
    case 'BAD_ALIAS':
      return {
        where,
        what: 'this refers to an anchor that is not there',
        hint: excerpt.show('quote a text that begins with *, or define the anchor above'),
      }
    case 'MULTIPLE_DOCS':
      return { where, what: 'a second document begins here', hint: excerpt.show('keep one config in a file') }
    case 'TAG_RESOLVE_FAILED':
      return {
        where,
        what: 'a tag that means nothing here',
        hint: excerpt.show('quote a text that begins with !'),
      }
    default:
      return { where, what: `this is not YAML: ${fault.message}`, hint: excerpt.show('') }
  }
}
