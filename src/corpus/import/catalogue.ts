import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import data from './catalogue.json' with { type: 'json' }

const column = z.string().optional()

/** Parser of a reference to a config of a data set on the hub. */
const hubReference = z.strictObject({
  dataset: z.string().describe('`<owner>/<name>`'),
  config: z.string().nullable(),
  columns: z
    .strictObject({ audio: column, text: column, id: column, speaker: column, language: column })
    .describe('Which column holds what; each is found by the usual names where it is left out.'),
  language: z.string().nullable().default(null).describe('BCP 47 tag of all of it, or null.'),
})
export type HubReference = DeepReadonly<z.infer<typeof hubReference>>

/**
 * A .tar.gz with one of the layouts on disk.
 *
 * @see https://www.openslr.org/12 and, for the sizes in bytes, read on 2026-11-23,
 *   https://github.com/kaldi-asr/kaldi/blob/0c5da16b950dd3b05846dfc45ddb5ce1f9d5ffb1/egs/librispeech/s5/local/download_and_untar.sh
 */
const archiveFile = z.strictObject({
  url: z.url(),
  sizeBytes: z.int(),
  sha256: z.hash('sha256'),
  layout: z.literal('librispeech'),
})
export type ArchiveFile = DeepReadonly<z.infer<typeof archiveFile>>

const catalogueEntry = hubReference.extend({
  name: z.string(),
  title: z.string(),
  licence: z.string().describe("SPDX identifier, or the name of the owner's terms."),
  termsAt: z
    .url()
    .nullable()
    .default(null)
    .describe('Where the terms are, if they are more than the licence says and have to be accepted.'),
  split: z.string().describe('Used where the user names no split.'),
  archives: z
    .record(z.string(), archiveFile)
    .default({})
    .describe('Archives by split, with their hashes; used instead of the hub.'),
})
/** A data set that can be imported by name. */
export type CatalogueEntry = DeepReadonly<z.infer<typeof catalogueEntry>>

/** All named data sets, in the order of the help. */
export const catalogue: readonly CatalogueEntry[] = z.array(catalogueEntry).parse(data)
