import { BenchError, firstError } from '#prelude'
import { type CommentKind, failureJunit, failureMarkdown } from '#reports'
import type { CommandContext } from '../command-context.ts'
import { deliver } from './document-output.ts'

interface RefusedOutputs {
  readonly output?: string | undefined
  readonly markdown?: string | undefined
  readonly junit?: string | undefined
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
      const renderings = { md: () => failureMarkdown(error, kind), junit: () => failureJunit(error, kind) }
      const { output, markdown, junit } = outputs
      if (markdown !== undefined) await deliver(context, renderings, { output: markdown, format: 'md' })
      if (junit !== undefined) await deliver(context, renderings, { output: junit, format: 'junit' })
      const format = output?.endsWith('.md') ? 'md' : output?.endsWith('.xml') ? 'junit' : undefined
      if (output !== undefined && format !== undefined) await deliver(context, renderings, { output, format })
    }
    throw error
  }
}
