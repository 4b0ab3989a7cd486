import { writeFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { cliErrors } from './errors.ts'
import { shortened } from './paths.ts'
import type { World } from './world.ts'

/** What a document can be written as. */
export const formats = ['text', 'md', 'json', 'csv', 'utterances-csv', 'html', 'junit', 'parquet'] as const
export type Format = (typeof formats)[number]

/** The format that a file's name asks for. */
const formatOfEnding: Readonly<Record<string, Format>> = {
  '.txt': 'text',
  '.md': 'md',
  '.json': 'json',
  '.csv': 'csv',
  '.xml': 'junit',
  '.html': 'html',
  '.htm': 'html',
  '.parquet': 'parquet',
}

type Text = string | Iterable<string>
/** Text, or the bytes of a format that is none. */
type Content = Text | Uint8Array

/** How a document is written in each of the formats that it has. */
export type Renderings = Readonly<Partial<Record<Format, () => Content | Promise<Content>>>>

export interface OutputOptions {
  readonly format?: Format | undefined
  /** The path of a file, as typed. */
  readonly output?: string | undefined
}

/** The endings of files that the formats are written to, for a help text. */
export function endingsOf(wanted: readonly Format[]): string {
  return Object.entries(formatOfEnding)
    .filter(([, format]) => wanted.includes(format))
    .map(([ending]) => ending)
    .join(' ')
}

/**
 * Renders a document as its file's ending or the format asks, and writes or prints it.
 *
 * @throws BenchError FORMAT_UNKNOWN for an ending that says nothing, or a format that the document does not have;
 *   FILE_UNWRITABLE
 */
export async function deliver(world: World, renderings: Renderings, options: OutputOptions): Promise<void> {
  const { output } = options
  const content = await renderingFor(renderings, options)()
  if (output !== undefined) await writeContent(world, output, content)
  else if (content instanceof Uint8Array) {
    throw cliErrors.make('FORMAT_UNKNOWN', {
      message: 'this format is no text, and is not printed',
      hint: 'name a file for it with --output',
    })
  } else world.print((typeof content === 'string' ? content : [...content].join('')).trimEnd())
}

/** @throws BenchError FILE_UNWRITABLE */
async function writeContent(world: World, output: string, content: Content): Promise<void> {
  const path = resolve(world.cwd, output)
  await writeFile(path, content).catch((cause: unknown) => {
    throw cliErrors.make('FILE_UNWRITABLE', {
      message: `${path} cannot be written: ${(cause as Error).message}`,
      hint: 'name a file in a folder that is there and may be written to',
      cause,
    })
  })
  world.say(`  ${shortened(path, world.cwd)} written`)
}

function renderingFor(
  renderings: Renderings,
  { format, output }: OutputOptions,
): () => Content | Promise<Content> {
  const wanted = format ?? (output === undefined ? 'text' : formatOfEnding[extname(output).toLowerCase()])
  const rendering = wanted === undefined ? undefined : renderings[wanted]
  if (rendering !== undefined) return rendering
  const there = formats.filter((each) => renderings[each] !== undefined)
  throw cliErrors.make('FORMAT_UNKNOWN', {
    message:
      wanted === undefined
        ? `"${output}" does not say in which format to write`
        : `this document is not written as ${wanted}`,
    hint: `end the file in one of ${endingsOf(there)}, or name the format: --format ${there.join(' | ')}`,
  })
}
