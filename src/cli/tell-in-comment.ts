import { BenchError } from '#prelude'
import { type CommentKind, failureMarkdown } from '#reports'
import { deliver } from './document-output.ts'
import type { World } from './world.ts'

/**
 * Does what a comment on a pull request is to tell of. Where that fails by a person's mistake, the comment says why:
 * whoever reads it, later and elsewhere, would otherwise see what stood there before.
 *
 * @param markdown the file for the comment; undefined where none is wanted
 */
export async function tellInComment<Value>(
  world: World,
  { kind, markdown }: { readonly kind: CommentKind; readonly markdown: string | undefined },
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (markdown !== undefined && error instanceof BenchError) {
      const renderings = { md: () => failureMarkdown(error, kind) }
      await deliver(world, renderings, { output: markdown, format: 'md' })
    }
    throw error
  }
}
