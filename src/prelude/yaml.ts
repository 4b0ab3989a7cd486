import { createRequire } from 'node:module'
import type { Document, Node, YAMLError } from 'yaml'
import type { Problem } from './bench-error.ts'
import { bracketExcess } from './json.ts'
import { lazily } from './values.ts'

const require = createRequire(import.meta.url)
/** The parser, loaded on first use. */
export const yaml = lazily(() => require('yaml') as typeof import('yaml'))

/** A fault in a YAML text, described for the user who corrects it. */
interface YamlFault {
  /** Start and end, in characters of the text. */
  readonly at: readonly [start: number, end: number]
  readonly what: string
  /** Advice what to write instead; empty where there is none. */
  readonly advice: string
  /** Whether the text has a value in spite of the fault: the last of two equal keys counts. */
  readonly hasValue: boolean
}

/** A parsed YAML or JSON text, with its faults. */
export interface ParsedYaml {
  readonly document: Document
  /** Empty where the document has a value, so that `document.toJS()` does not throw. */
  readonly faults: readonly YamlFault[]
  /** Line and column, both from 1, of an offset in characters. */
  lineAt(offset: number): { readonly line: number; readonly column: number }
}

/** Limits far above the size of files of settings, engines and prices, which have a few thousand characters. */
const maxCharacters = 2 ** 20
const limits = { values: 50_000, depth: 64 } as const

/** Parses a text that a user wrote. A text that would take minutes is not parsed; its one fault says so. */
export function parseYaml(text: string): ParsedYaml {
  const excess = text.length > maxCharacters ? 'it has over a megabyte' : bracketExcess(text, limits)
  const lines = new (yaml().LineCounter)()
  const document = yaml().parseDocument(excess === null ? text : '', {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    logLevel: 'error',
  })
  return {
    document,
    faults: excess === null ? yamlFaults(document, text) : [tooLarge(excess)],
    lineAt(offset) {
      const { line, col } = lines.linePos(offset)
      return { line: Math.max(1, line), column: Math.max(1, col) }
    },
  }
}

/**
 * The faults of a text as problems, each with its line and column.
 *
 * @param path as the user named the file
 */
export function listYamlProblems({ faults, lineAt }: ParsedYaml, path: string): readonly Problem[] {
  return faults.map(({ at: [start], what, advice }) => {
    const { line, column } = lineAt(start)
    return { where: `${path}:${line}:${column}`, what, hint: advice }
  })
}

function tooLarge(excess: string): YamlFault {
  return {
    at: [0, 1],
    what: `this is too large to be such a file: ${excess}`,
    advice: 'name the file that was meant',
    hasValue: false,
  }
}

/**
 * Finds all faults that keep a text from being YAML, each where it is to be corrected: an unclosed bracket or
 * quote where it opens, not where the parser notices it. A text without faults has a value, which does not
 * contain itself: `document.toJS()` does not throw.
 *
 * @param document parsed by `parseDocument` with `prettyErrors: false`
 */
function yamlFaults(document: Document, text: string): readonly YamlFault[] {
  const opened = openedParts(document)
  const errors = [...document.errors, ...document.warnings]
  const faults = [...errors.map((error) => explainError(error, text, opened)), ...aliasFaults(document)]
  // One wrong indentation causes several parser errors at one position, of which the first is kept.
  return faults.filter(({ at }, index) => faults.findIndex((other) => other.at[0] === at[0]) === index)
}

/** Finds faulty references to anchors, which the parser reports only when the value is read. */
function aliasFaults(document: Document): readonly YamlFault[] {
  const faults: YamlFault[] = []
  yaml().visit(document, {
    Alias: (_, alias, ancestors) => {
      const anchored = alias.resolve(document)
      const name = alias.source
      const say = (what: string, advice: string): void => {
        faults.push({ at: readRange(alias), what, advice, hasValue: false })
      }
      if (anchored === undefined) {
        say(
          `"*${name}" refers to an anchor that is not there`,
          `define &${name} above, or quote a text that begins with *`,
        )
      } else if (ancestors.includes(anchored)) {
        say(`"*${name}" refers to what it is a part of`, 'write the value out instead of referring to it')
      }
    },
  })
  if (faults.length > 0) return faults
  try {
    document.toJS()
    return []
  } catch (error) {
    // The anchors expand to more than memory holds.
    return [
      {
        at: [0, 1],
        what: `its anchors cannot be followed: ${(error as Error).message}`,
        advice: 'write the values out instead of referring to them',
        hasValue: false,
      },
    ]
  }
}

/** Start offsets of quoted scalars and bracketed collections, by their end offset. */
function openedParts(document: Document): ReadonlyMap<number, number> {
  const opened = new Map<number, number>()
  yaml().visit(document, {
    Node: (_, node) => {
      const isBracketed = yaml().isCollection(node) && node.flow === true
      const isQuoted = yaml().isScalar(node) && /^QUOTE/.test(node.type ?? '')
      const [start, end] = readRange(node)
      if (isBracketed || isQuoted) opened.set(end, start)
    },
  })
  return opened
}

function readRange(node: Node): readonly [number, number] {
  return [node.range?.[0] ?? 0, node.range?.[1] ?? 0]
}

function explainError(
  { code, message, pos }: YAMLError,
  text: string,
  opened: ReadonlyMap<number, number>,
): YamlFault {
  const say = (what: string, advice: string, at: YamlFault['at'] = pos): YamlFault => ({
    at,
    what,
    advice,
    hasValue: code === 'DUPLICATE_KEY',
  })
  switch (code) {
    case 'DUPLICATE_KEY':
      return say(`"${wordAt(text, pos[0])}" is here a second time`, 'keep one of them')
    case 'TAB_AS_INDENT':
      return say('a tab indents this line', 'indent with spaces: YAML takes no tabs')
    case 'MULTIPLE_DOCS':
      return say('a second document begins here', 'keep one document in a file')
    case 'TAG_RESOLVE_FAILED':
      return say('a tag that means nothing here', 'quote a text that begins with !')
    case 'NON_STRING_KEY':
      return say('this key is no text', 'quote it')
    case 'MISSING_CHAR':
    case 'BAD_INDENT': {
      const start = opened.get(pos[0])
      if (start !== undefined) return unclosed(text, start)
      return code === 'BAD_INDENT'
        ? say(
            'this line is not indented like the lines that it belongs to',
            'give them all the same indentation',
          )
        : say(`this is not YAML: ${message}`, '')
    }
    case 'MULTILINE_IMPLICIT_KEY':
    case 'BLOCK_AS_IMPLICIT_KEY':
      return misplacedLine(text, pos) ?? say(`this is not YAML: ${message}`, '')
    default:
      return say(`this is not YAML: ${message}`, '')
  }
}

const closing: Readonly<Record<string, string>> = { '[': ']', '{': '}', '"': '"', "'": "'" }

function unclosed(text: string, start: number): YamlFault {
  const sign = text[start] ?? ''
  return {
    at: [start, start + 1],
    what: `the ${sign} that begins here is not closed`,
    advice: `close it with ${closing[sign] ?? sign}`,
    hasValue: false,
  }
}

/** Explains a line that is indented too deeply or lacks its colon, and so continues a value; null otherwise. */
function misplacedLine(text: string, [start]: readonly [number, number]): YamlFault | null {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const isAfterKey = text.slice(lineStart, start).trim().replace(/^- /, '') !== ''
  const lineEnd = text.indexOf('\n', start)
  if (lineEnd === -1) return null
  if (!isAfterKey) {
    const word = text.slice(start, lineEnd).trim()
    return {
      at: [start, start + word.length],
      what: 'this line has no ":" after its key',
      advice: `write "${word.split(/\s/)[0]}: …"`,
      hasValue: false,
    }
  }
  const next = /\S/.exec(text.slice(lineEnd))
  const at = lineEnd + (next?.index ?? 0)
  return next === null || !/^[^\n]*:/.test(text.slice(at))
    ? null
    : {
        at: [at, at + wordAt(text, at).length],
        what: 'this line is indented deeper than the one above, which has a value already',
        advice: 'give both the same indentation',
        hasValue: false,
      }
}

/** The word at an offset, without its quotes. */
function wordAt(text: string, at: number): string {
  return /^["']?([^"':\s]*)/.exec(text.slice(at))?.[1] ?? ''
}
