import { z } from 'zod'
import { parseLanguage } from './index.ts'

/** A language in a document, as `parseLanguage` takes it; what is read is the tag. */
export const languageField: z.ZodType<string, string> = z.string().transform((text, context) => {
  const parsed = parseLanguage(text)
  if (parsed.ok) return parsed.value
  const { what, hint } = parsed.failure
  context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} ${what}; ${hint}` })
  return z.NEVER
})
