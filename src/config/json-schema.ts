import { z } from 'zod'
import { configFile } from './config-schema.ts'

/**
 * The JSON Schema of a config file, by which editors complete and explain: draft 7, which the YAML extensions
 * of editors understand. What only `readConfig` checks (that a contender has an engine and a model, that thresholds
 * can be read) is not in it.
 */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, properties, ...rest } = z.toJSONSchema(configFile, { io: 'input', target: 'draft-7' })
  return {
    $schema,
    title: 'transcribench config',
    description:
      'A benchmark of speech transcription. Every key may be left out; an empty object is the quick run.',
    ...rest,
    properties: { $schema: { type: 'string', description: 'this schema, for editors' }, ...properties },
  }
}
