import { writeFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { cliErrors } from './errors.ts'
import { shortened } from './paths.ts'
import type { World } from './world.ts'

/** What a document can be written as. */
export const formats = ['text', 'md', 'json', 'csv', 'utterances-csv', 'html', 'junit'] as const
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
}

type Text = string | Iterable<string>

/** How a document is written in each of the formats that it has. */
export type Renderings = Readonly<Partial<Record<Format, () => Text | Promise<Text>>>>

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
  const text = await renderingFor(renderings, options)()
  if (output === undefined) world.print((typeof text === 'string' ? text : [...text].join('')).trimEnd())
  else await writeText(world, output, text)
}

/** @throws BenchError FILE_UNWRITABLE */
async function writeText(world: World, output: string, text: Text): Promise<void> {
  const path = resolve(world.cwd, output)
  await writeFile(path, text).catch((cause: unknown) => {
    throw cliErrors.make('FILE_UNWRITABLE', {
      message: `${path} cannot be written: ${(cause as Error).message}`,
      hint: 'name a file in a folder that is there and may be written to',
      cause,
    })
  })
  world.say(`  ${shortened(path, world.cwd)} written`)
}

function renderingFor(renderings: Renderings, { format, output }: OutputOptions): () => Text | Promise<Text> {
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
