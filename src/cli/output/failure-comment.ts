import { BenchError, firstError } from '#prelude'
import { type CommentKind, failureMarkdown } from '#reports'
import type { CommandContext } from '../command-context.ts'
import { deliver } from './document-output.ts'

/**
 * Runs work whose result a comment on a pull request reports. Where it fails by a user's mistake, the comment says why:
 * otherwise its readers would still see the result of an earlier run.
 *
 * @param markdown the file for the comment; undefined where none is wanted
 */
export async function withFailureComment<Value>(
  context: CommandContext,
  { kind, markdown }: { readonly kind: CommentKind; readonly markdown: string | undefined },
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (thrown) {
    const error = firstError(thrown)
    if (markdown !== undefined && error instanceof BenchError) {
      const renderings = { md: () => failureMarkdown(error, kind) }
      await deliver(context, renderings, { output: markdown, format: 'md' })
    }
    throw error
  }
}
