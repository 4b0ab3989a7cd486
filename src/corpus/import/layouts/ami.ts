import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import { exists } from '#installation/files'
import { makeSegment, type SourceRecording, type SourceSegment } from '../source.ts'
import type { Layout, Tree } from './layout.ts'

/**
 * The AMI meeting corpus: `words/*.words.xml` and `segments/*.segments.xml` per participant, and audio below
 * `<meeting>/audio/`. The participant's headset is used if present, else the mix of all headsets.
 *
 * @see https://groups.inf.ed.ac.uk/ami/corpus/, NITE XML Toolkit
 */
export const ami: Layout = {
  name: 'ami',
  title: 'AMI tree',
  mark: 'the folders words and segments with XML',
  usualLanguage: 'en',

  async matches(path) {
    const names = await readdir(join(path, 'words')).catch(() => [])
    return names.some((name) => name.endsWith('.words.xml')) && (await exists(path, 'segments'))
  },

  async read(tree) {
    const participants = await readParticipants(tree)
    const names = (await readdir(join(tree.root, 'segments'))).filter((name) => name.endsWith(ending)).sort()
    const recordings: SourceRecording[] = []
    for (const name of names) {
      const recording = await readParticipant(name.slice(0, -ending.length), participants, tree)
      if (recording !== null) recordings.push(recording)
    }
    return recordings
  },
}

const ending = '.segments.xml'

interface Participant {
  readonly speaker: string | null
  readonly channel: string | null
}

async function readParticipant(
  name: string,
  participants: ReadonlyMap<string, Participant>,
  tree: Tree,
): Promise<SourceRecording | null> {
  const [meeting = name] = name.split('.')
  const { speaker, channel } = participants.get(name) ?? { speaker: null, channel: null }
  const words = await readWords(join(tree.root, 'words', `${name}.words.xml`), tree)
  const path = join(tree.root, 'segments', `${name}${ending}`)
  const segments: SourceSegment[] = []
  for (const element of await readElements(path, 'segment', tree)) {
    const where = `${tree.shown(path)}:${element.attributes['id']}`
    const [startSeconds, endSeconds] = ['transcriber_start', 'transcriber_end'].map((key) =>
      Number(element.attributes[key]),
    ) as [number, number]
    if (!(startSeconds >= 0) || !(endSeconds > startSeconds)) {
      tree.report({ where, what: 'has no transcriber_start before a transcriber_end' })
      continue
    }
    const text = element.children
      .map((href) => joinWords(href, words, where, tree))
      .join(' ')
      .trim()
    // Segments without words contain only laughter or noise, and are skipped.
    if (text !== '') {
      segments.push(makeSegment({ text, startSeconds, endSeconds, speaker: speaker ?? name }))
    }
  }
  if (segments.length === 0) return null
  const read = await tree.audio(listSounds(meeting, channel, tree.root), tree.root, tree.shown(path))
  const id = name.replace('.', '-')
  return read && { id, where: tree.shown(path), segments, read }
}

/** Reads `meetings.xml`, which assigns speakers to headsets. */
async function readParticipants(tree: Tree): Promise<ReadonlyMap<string, Participant>> {
  const found = new Map<string, Participant>()
  for (const folder of ['corpusResources', '.']) {
    const path = join(tree.root, folder, 'meetings.xml')
    if (!(await exists(path))) continue
    for (const { attributes } of await readElements(path, 'speaker', tree)) {
      const { nxt_agent: agent, global_name: speaker = null, channel = null } = attributes
      const observation = attributes['observation']
      if (agent !== undefined) found.set(`${observation}.${agent}`, { speaker, channel })
    }
  }
  return found
}

/** Absolute paths at which the sound may be, in order of precedence. */
function listSounds(meeting: string, channel: string | null, root: string): readonly string[] {
  const names = [
    ...(channel === null ? [] : [`${meeting}.Headset-${channel}.wav`]),
    `${meeting}.Mix-Headset.wav`,
  ]
  const folders = [join(meeting, 'audio'), join('amicorpus', meeting, 'audio'), 'audio', '.']
  return names.flatMap((name) => folders.map((folder) => join(root, folder, name)))
}

interface Words {
  readonly texts: readonly string[]
  readonly indexOf: ReadonlyMap<string, number>
}

/** All elements of a words file in order; elements other than words (laughter, breaks) have an empty text. */
async function readWords(path: string, tree: Tree): Promise<Words> {
  const texts: string[] = []
  const indexOf = new Map<string, number>()
  for (const { name, attributes, text } of await readElements(path, null, tree)) {
    indexOf.set(attributes['id'] ?? '', texts.length)
    const isPunctuation = attributes['punc'] === 'true'
    texts.push(name !== 'w' ? '' : isPunctuation ? text : ` ${text}`)
  }
  return { texts, indexOf }
}

/** Joins the words of a reference such as `ES2002a.A.words.xml#id(first)..id(last)`. */
function joinWords(href: string, { texts, indexOf }: Words, where: string, tree: Tree): string {
  const [first, last = first] = [...href.matchAll(/id\(([^)]*)\)/g)].map(([, id = '']) => indexOf.get(id))
  if (first === undefined || last === undefined) {
    tree.report({ where, what: `names words that are not there: ${href}` })
    return ''
  }
  return texts
    .slice(first, last + 1)
    .join('')
    .trim()
}

interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  /** Targets of the `nite:child` elements. */
  readonly children: readonly string[]
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  htmlEntities: true,
  parseAttributeValue: false,
  parseTagValue: false,
  // Only the predefined entities of XML are decoded; documents that define entities are refused in `readElements`.
  processEntities: true,
})

type Node = Readonly<Record<string, unknown>> & { readonly ':@'?: Readonly<Record<string, string>> }

/** Finds the elements of a name at any depth; with null, those directly below the root. */
async function readElements(path: string, wanted: string | null, tree: Tree): Promise<readonly XmlElement[]> {
  const text = await tree.text(path)
  if (text === null) return []
  if (text.includes('<!DOCTYPE') || text.includes('<!ENTITY')) {
    tree.report({ where: tree.shown(path), what: 'has a document type, which the files of AMI do not have' })
    return []
  }
  try {
    const found: XmlElement[] = []
    const visit = (
      nodes: readonly Node[],
      depth: number,
      inherited: Readonly<Record<string, string>>,
    ): void => {
      for (const node of nodes) {
        const name = Object.keys(node).find((key) => key !== ':@' && key !== '#text' && !key.startsWith('?'))
        if (name === undefined) continue
        const inner = (node[name] ?? []) as readonly Node[]
        const attributes = { ...inherited, ...node[':@'] }
        if (wanted === null ? depth === 1 : name === wanted)
          found.push(createElement(name, attributes, inner))
        const { observation } = attributes
        visit(inner, depth + 1, observation === undefined ? {} : { observation })
      }
    }
    visit(parser.parse(text) as readonly Node[], 0, {})
    return found
  } catch (error) {
    tree.report({ where: tree.shown(path), what: `is not XML: ${(error as Error).message}` })
    return []
  }
}

function createElement(
  name: string,
  attributes: Readonly<Record<string, string>>,
  inner: readonly Node[],
): XmlElement {
  return {
    name,
    attributes,
    text: inner
      .map((node) => node['#text'] ?? '')
      .join('')
      .trim(),
    children: inner.flatMap((node) => ('child' in node ? (node[':@']?.['href'] ?? []) : [])),
  }
}
