import { BenchError, escapeHtml, firstError } from '#prelude'
import { type CommentKind, failureJunit, failureMarkdown } from '#reports'
import type { CommandContext } from '../command-context.ts'
import { errorJson } from '../failure.ts'
import { deliver, outputsOf, type Renderings } from './document-output.ts'

interface RefusedOutputs {
  readonly output?: string
  readonly markdown?: string
  readonly junit?: string
}

/**
 * Runs work whose result is written to files. Where it fails by a user's mistake, they say why: otherwise their readers would
 * still see the result of an earlier run.
 *
 * @param outputs the files that were asked for, by their flags
 */
export async function withFailureComment<Value>(
  context: CommandContext,
  { kind, outputs }: { readonly kind: CommentKind; readonly outputs: RefusedOutputs },
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (thrown) {
    const error = firstError(thrown)
    if (error instanceof BenchError) {
      const text = (): string => failureMarkdown(error, kind)
      const renderings: Renderings = {
        text,
        md: text,
        junit: () => failureJunit(error, kind),
        json: () => `${errorJson(error)}\n`,
        html: () =>
          `<!doctype html><meta charset="utf-8"><title>refused</title><pre>${escapeHtml(text())}</pre>\n`,
      }
      for (const file of outputsOf(outputs)) await deliver(context, renderings, file)
    }
    throw error
  }
}
