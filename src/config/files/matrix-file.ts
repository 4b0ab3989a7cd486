import { z } from 'zod'
import type { FileOf } from './file-object.ts'
import type { FlagTable } from './setting.ts'
import { configuredTransports } from './transports.ts'

const counts = z.array(z.int().min(1).max(1024)).min(1)

/** Parsers of the dimensions of a sweep. */
export const matrixParsers = {
  model: z.array(z.string().trim().min(1)).min(1),
  threads: counts,
  concurrency: counts,
  transport: z.array(z.enum(configuredTransports)).min(1),
}

/** The dimensions of a sweep as they stand in a file. */
export type MatrixFile = FileOf<typeof matrixParsers>

export const matrixSettings: FlagTable<MatrixFile> = {
  model: {
    description: 'contenders as --contender takes them, instead of "contenders"',
    expects: 'a list such as [moonshine:moonshine-tiny, deepgram#nova-3]',
    flag: null,
  },
  threads: {
    description: 'threads of each decode of the built-in service',
    expects: 'a list of whole numbers such as [1, 2, 4]',
    flag: null,
  },
  concurrency: {
    description: 'requests kept in flight, of a closed load',
    expects: 'a list of whole numbers such as [1, 4]',
    flag: null,
  },
  transport: {
    description: 'how audio travels',
    expects: 'a list of "auto", "path", "base64" and "multipart"',
    flag: null,
  },
}
