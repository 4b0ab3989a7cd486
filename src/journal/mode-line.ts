import { z } from 'zod'
import { mode, modePatch } from '#contract/modes'
import type { DeepReadonly } from '#prelude'
import { text } from '#prelude/document-fields'

const lease = text.describe('Id that the lines of one Mode share.')

/**
 * Parser of one line of `modes.jsonl`: a change to the server's Modes. A line is written before the API is called
 * (`creating`, `patching`) or after it has answered (`created`, `released`, …). The last line of a lease shows
 * whether a change must still be undone.
 */
export const modeLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('creating').describe('Before a temporary Mode is created.'),
    lease,
    name: text.describe('Name of the Mode.'),
  }),
  z.object({
    kind: z.literal('created').describe('After it was created.'),
    lease,
    mode: mode.describe('The Mode as the server returned it.'),
  }),
  z.object({
    kind: z.literal('patching').describe('Before a named Mode is patched.'),
    lease,
    before: mode.describe('The Mode as it was.'),
    patch: modePatch.describe('What is changed.'),
  }),
  z.object({
    kind: z.literal('patched').describe('After it was patched.'),
    lease,
    after: mode.describe('The Mode as the server returned it.'),
  }),
  z.object({
    kind: z.literal('released').describe('Deleted or restored.'),
    lease,
    note: text.nullable().describe('What another program changed, or which command did it later; else null.'),
  }),
  z.object({
    kind: z.literal('left').describe('Not restored.'),
    lease,
    reason: text.describe('Why: what the server or the system said.'),
  }),
])
export type ModeLine = DeepReadonly<z.infer<typeof modeLine>>

/** Parser of one line of `staged.jsonl`: a folder of copies that a run makes where the server may read them. */
export const stagingLine = z.object({
  kind: z
    .enum(['staging', 'removed'])
    .describe('`staging` before the folder is made, `removed` after it was removed.'),
  folder: text.describe("Absolute path of a folder that holds nothing but this run's copies."),
})
export type StagingLine = DeepReadonly<z.infer<typeof stagingLine>>
