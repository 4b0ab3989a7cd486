import { access, constants, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { BenchError, escapeHtml, firstError, isDiskFull } from '#prelude'
import { capacityCsv, capacityMarkdown, renderCapacity } from '#reports/capacity/render-capacity'
import {
  type CommentKind,
  comparisonMarkdown,
  experimentMarkdown,
  failureMarkdown,
} from '#reports/comparison/comparison-markdown'
import { renderComparison, renderExperiment } from '#reports/comparison/render-comparison'
import { historyCsv, historyMarkdown, historyParquet, renderHistory } from '#reports/history/render-history'
import { comparisonJunit, experimentJunit, failureJunit } from '#reports/junit'
import type { Terminal } from '#reports/layout/terminal'
import { documentHtml, type StoredDocument } from '#results/stored-document'
import type { CommandContext } from './command-context.ts'
import { cliErrors } from './errors.ts'
import { errorJson } from './failure.ts'
import { standardStream } from './named-files.ts'
import { shortened } from './options.ts'
import { option, type TypedOption } from './typed-options.ts'

export const formats = ['text', 'md', 'json', 'csv', 'utterances-csv', 'html', 'junit', 'parquet'] as const
export type Format = (typeof formats)[number]

/** Formats by file extension. */
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
/** Text, or the bytes of a binary format. */
type Content = Text | Uint8Array

/** Functions that write a document in each of its formats; text is laid out for a terminal. */
export type Renderings = Readonly<Partial<Record<Format, (terminal: Terminal) => Content | Promise<Content>>>>

/** The layout of a text file: programs and editors would show the escape sequences of colours. */
const fileTerminal: Terminal = { width: 100, color: false, unicode: true }

export interface OutputOptions {
  readonly format?: Format | undefined
  /** Path of a file as typed; `-` is standard output. */
  readonly output?: string | undefined
}

/** Options for outputs instead of, or in addition to, the printed text. */
interface AskedOutputs {
  readonly json?: boolean
  readonly output?: string
  readonly markdown?: string
  readonly junit?: string
  readonly csv?: string
}

function listOutputs({ json, output, markdown, junit, csv }: AskedOutputs): readonly OutputOptions[] {
  const all: readonly OutputOptions[] = [
    { output: json === true ? standardStream : undefined, format: 'json' },
    { output },
    { output: markdown, format: 'md' },
    { output: junit, format: 'junit' },
    { output: csv, format: 'csv' },
  ]
  return all.filter((one) => one.output !== undefined)
}

/** The file extensions of formats, for a help text. */
export function listEndings(listed: readonly Format[]): string {
  return Object.entries(formatOfEnding)
    .filter(([, format]) => listed.includes(format))
    .map(([ending]) => ending)
    .join(' ')
}

/**
 * Renders a document in the format of the file extension or option, and writes or prints it.
 *
 * @throws BenchError FORMAT_UNKNOWN for an unknown extension, or a format that the document does not have;
 * FILE_UNWRITABLE
 */
export async function deliver(
  context: CommandContext,
  renderings: Renderings,
  options: OutputOptions,
): Promise<void> {
  const output = options.output === standardStream ? undefined : options.output
  const available = formats.filter((each) => renderings[each] !== undefined)
  const format = formatFor(available, options)
  const terminal = output === undefined ? context.output : fileTerminal
  const rendered = (await renderings[format]?.(terminal)) ?? ''
  const content = typeof rendered === 'string' && format === 'md' ? context.findingRuns(rendered) : rendered
  if (output !== undefined)
    await writeContent(
      context,
      output,
      typeof content === 'string' && format === 'text' ? context.asTyped(content) : content,
    )
  else if (content instanceof Uint8Array) {
    throw cliErrors.make('FORMAT_UNKNOWN', {
      message: 'this format is no text, and is not printed',
      hint: 'name a file for it with --output',
    })
  } else {
    const text = (typeof content === 'string' ? content : [...content].join('')).trimEnd()
    if (format === 'text') context.print(text)
    else await context.write(`${text}\n`)
  }
}

/**
 * Prints a document and writes the requested files. It is printed first, so that an unwritable file does not lose a
 * result that took minutes.
 *
 * @param hasTexts whether a page includes references and hypotheses
 * @throws BenchError FORMAT_UNKNOWN, FILE_UNWRITABLE
 */
export async function deliverDocument(
  context: CommandContext,
  document: StoredDocument,
  options: AskedOutputs,
  hasTexts = true,
): Promise<void> {
  const renderings = documentRenderings(document, hasTexts)
  if (options.json !== true) await deliver(context, renderings, { format: 'text' })
  for (const output of listOutputs(options)) await deliver(context, renderings, output)
}

/**
 * Checks that a document can be written as requested, before the minutes of work that make it.
 *
 * @throws BenchError FORMAT_UNKNOWN, FILE_UNWRITABLE; COMMAND_LINE_INVALID if stdout would get several
 */
export async function checkOutputs(
  context: CommandContext,
  kind: StoredDocument['kind'],
  asked: AskedOutputs,
): Promise<void> {
  const outputs = listOutputs(asked)
  const paths = outputs.flatMap(({ output = standardStream }) =>
    output === standardStream ? [] : [resolve(context.cwd, output)],
  )
  const twice = paths.find((path, index) => paths.indexOf(path) < index)
  if (twice !== undefined) {
    throw cliErrors.make('COMMAND_LINE_INVALID', {
      message: `${twice} is named for two documents, of which the second would replace the first`,
      hint: 'name a file for each',
    })
  }
  if (outputs.filter(({ output }) => output === standardStream).length > 1) {
    throw cliErrors.make('COMMAND_LINE_INVALID', {
      message: 'stdout (-) takes one document, and several are to be printed',
      hint: 'name files for the others',
    })
  }
  for (const options of outputs) {
    if (options.output === undefined) continue
    formatFor(documentFormats[kind], options, false)
    if (options.output === standardStream) continue
    const path = resolve(context.cwd, options.output)
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    )
    if (isFolder) throw unwritable(path, new Error('it is a folder'))
    await access(path, constants.W_OK)
      .catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'ENOENT') throw cause
        return access(dirname(path), constants.W_OK)
      })
      .catch((cause: unknown) => {
        throw unwritable(path, cause)
      })
  }
}

/** @throws BenchError FILE_UNWRITABLE */
async function writeContent(context: CommandContext, output: string, content: Content): Promise<void> {
  const path = resolve(context.cwd, output)
  await writeFile(path, content).catch(async (cause: unknown) => {
    // An incomplete file is removed, because it is no valid document; devices and folders stay.
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    )
    if (isFile && isDiskFull(cause)) await rm(path, { force: true }).catch(() => undefined)
    throw unwritable(path, cause)
  })
  context.say(`  ${shortened(path, context.cwd)} written`)
}

function unwritable(path: string, cause: unknown): Error {
  return cliErrors.make('FILE_UNWRITABLE', {
    message: `${path} cannot be written: ${(cause as Error).message}`,
    hint: isDiskFull(cause)
      ? 'make room on that disk, or name a file on another one, then give the command again'
      : 'name a file in a folder that is there and may be written to',
    cause,
  })
}

/**
 * @param hasFlag whether the command has the flag `--format`
 * @throws BenchError FORMAT_UNKNOWN
 */
function formatFor(available: readonly Format[], { format, output }: OutputOptions, hasFlag = true): Format {
  const isPrinted = output === undefined || output === standardStream
  const chosen = format ?? (isPrinted ? 'text' : formatOfEnding[extname(output).toLowerCase()])
  if (chosen !== undefined && available.includes(chosen)) return chosen
  throw cliErrors.make('FORMAT_UNKNOWN', {
    message:
      chosen === undefined
        ? `"${output}" does not say in which format to write`
        : `this document is not written as ${chosen}`,
    hint: [
      `end the file in one of ${listEndings(available)}`,
      ...(hasFlag ? [`or name the format: --format ${available.join(' | ')}`] : []),
    ].join(', '),
  })
}

const documentFormats: Readonly<Record<StoredDocument['kind'], readonly Format[]>> = {
  comparison: ['text', 'json', 'md', 'junit', 'html'],
  experiment: ['text', 'json', 'md', 'junit', 'html'],
  history: ['text', 'json', 'md', 'csv', 'parquet', 'html'],
  capacity: ['text', 'json', 'md', 'csv', 'html'],
}

/** Option `-o` of a command that makes such a document. */
export function outputOption(kind: StoredDocument['kind']): TypedOption<'output', string | undefined> {
  const endings = listEndings(documentFormats[kind])
  return option('-o, --output <file>', `also write it to a file, in the format of its ending: ${endings}`)
}

/** A comparison, an experiment, a history or a capacity in all its formats. */
export function documentRenderings(document: StoredDocument, hasTexts = true): Renderings {
  const html = (): Promise<string> => documentHtml(document, hasTexts)
  switch (document.kind) {
    case 'comparison': {
      const { comparison, thresholds } = document
      return {
        text: (terminal) => renderComparison(comparison, thresholds, terminal),
        json: () => JSON.stringify({ ...comparison, thresholds }, null, 2),
        md: () => comparisonMarkdown(comparison, thresholds),
        junit: () => comparisonJunit(comparison, thresholds),
        html,
      }
    }
    case 'experiment': {
      const { experiment } = document
      return {
        text: (terminal) =>
          [
            renderExperiment(experiment, terminal),
            ...experiment.comparisons.map((comparison) =>
              renderComparison(comparison, comparison.thresholds ?? [], terminal),
            ),
          ].join('\n\n'),
        json: () => JSON.stringify(experiment, null, 2),
        md: () => experimentMarkdown(experiment),
        junit: () => experimentJunit(experiment),
        html,
      }
    }
    case 'history': {
      const { history } = document
      const { trends, ...counts } = history
      return {
        text: (terminal) => renderHistory(history, terminal),
        json: () => JSON.stringify({ ...counts, trends }, null, 2),
        md: () => historyMarkdown(history),
        csv: () => historyCsv(trends.flatMap(({ figures }) => figures)),
        parquet: () => historyParquet(trends.flatMap(({ figures }) => figures)),
        html,
      }
    }
    case 'capacity': {
      const { finding } = document
      return {
        text: (terminal) => renderCapacity(finding, { terminal, folder: null }),
        json: () => JSON.stringify(finding, null, 2),
        md: () => capacityMarkdown(finding),
        csv: () => capacityCsv(finding),
        html,
      }
    }
  }
}

/**
 * Runs work whose result is written to files. If it fails with a user error, the files contain that error, because
 * readers would otherwise see an older result.
 */
export async function withFailureComment<Value>(
  context: CommandContext,
  kind: CommentKind,
  asked: AskedOutputs,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (thrown) {
    const error = firstError(thrown)
    if (error instanceof BenchError) {
      const { renderError } = await import('#reports/help/help-texts')
      const text = (terminal: Terminal): string => `${renderError(error, terminal, null)}\n`
      const renderings: Renderings = {
        text,
        md: () => failureMarkdown(error, kind),
        junit: () => failureJunit(error, kind),
        json: () => `${errorJson(error)}\n`,
        html: () =>
          '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
          `<title>refused</title><pre style="white-space: pre-wrap">${escapeHtml(text(fileTerminal))}</pre>\n`,
      }
      for (const file of listOutputs(asked)) await deliver(context, renderings, file)
    }
    throw error
  }
}
