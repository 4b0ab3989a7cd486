import { z } from 'zod'
import { type ProtocolName, protocols } from '#providers'

/** A program in an engines file, with its defaults. */
export interface CommandEntry {
  readonly kind: 'command'
  readonly id: string
  readonly name?: string | undefined
  readonly program: string
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
  readonly successExitCodes: readonly number[]
  readonly output: 'stdout' | { readonly file: string }
  readonly pattern?: string | undefined
  readonly language?: string | undefined
  readonly longestSeconds?: number | undefined
  readonly atOnce?: number | undefined
}

/** A server in an engines file, with its defaults. */
export interface ProviderEntry {
  /** The protocol that it speaks. */
  readonly kind: ProtocolName
  /** A preset's id, or any other name for a server of one's own. Default: the protocol's. */
  readonly provider?: string | undefined
  readonly name?: string | undefined
  readonly baseUrl?: string | undefined
  /** The environment variable with the key; null for a server that wants none. */
  readonly keyVariable?: string | null | undefined
  readonly models?: readonly string[] | undefined
  readonly timeoutSeconds: number
  readonly longestSeconds?: number | undefined
}

const seconds: z.ZodNumber = z.number().positive().max(86_400)
const variable: z.ZodString = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is the name of an environment variable')
const modelId: z.ZodString = z.string().regex(/^\w[\w.:/@-]{0,199}$/, 'is a name without blanks')
const providerId: z.ZodString = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,49}$/, 'is a name of small letters, digits and -')

/** A protocol that puts recordings into a storage of the account is for targets alone. */
const servedProtocols = Object.entries(protocols).flatMap(([name, { access }]) =>
  access.kind === 'key' ? [name as ProtocolName] : [],
)

/** An entry by its kind; what a whole file needs besides is checked apart. */
export const engineEntry: z.ZodType<CommandEntry | ProviderEntry> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('command'),
    id: modelId,
    name: z.string().min(1).optional(),
    program: z.string().min(1),
    arguments: z.array(z.string()).default([]),
    environment: z.record(variable, z.string()).default({}),
    timeoutSeconds: seconds.default(600),
    successExitCodes: z.array(z.int().min(0).max(255)).min(1).default([0]),
    output: z.union([z.literal('stdout'), z.strictObject({ file: z.string().min(1) })]).default('stdout'),
    pattern: z.string().refine(isRegularExpression, 'is a regular expression').optional(),
    language: z.string().min(2).optional(),
    longestSeconds: z.number().min(1).optional(),
    atOnce: z.int().min(1).optional(),
  }),
  z.strictObject({
    kind: z.enum(servedProtocols),
    provider: providerId.optional(),
    name: z.string().min(1).optional(),
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    keyVariable: variable.nullable().optional(),
    models: z.array(modelId).min(1).optional(),
    timeoutSeconds: seconds.default(300),
    longestSeconds: z.number().min(1).optional(),
  }),
])

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    // The constructor is the only judge of what a regular expression is.
    return false
  }
}
