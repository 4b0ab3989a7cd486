import {
  limits,
  type Mode,
  type ModePatch,
  type ModeSettings,
  modeDefaults,
  modeFieldParsers,
  modeTextLimits,
  type WritableModeField,
  windowsModeFields,
} from '#contract'
import { type Outcome, succeeded } from '#prelude'
import type { JsonObject } from '../http/body.ts'
import { type Refusal, refused } from '../http/refusal.ts'
import type { Profile } from '../profiles.ts'
import { normaliseName } from './mode-name.ts'
import type { StoredMode } from './mode-store.ts'

/** Default values of the fields. */
export function plainSettings(defaultModel: string): Omit<ModeSettings, 'name' | 'isDefault' | 'sortOrder'> {
  return {
    ...modeDefaults,
    model: defaultModel,
    customInstructions: null,
    userSystemPrompt: null,
    languageModel: null,
    cloudTranscriptionModel: null,
    cloudProvider: null,
    postProcessingMode: 0,
    postProcessingProvider: null,
    englishSpelling: null,
    useStreamingTranscription: false,
    cloudAccuracyTier: null,
    removeTrailingPeriod: false,
    enableScreenOCR: false,
    vendorCustomPrompt: null,
    cloudPostProcessingModel: null,
    cloudTranscriptionDomain: null,
    localEngine: null,
    localEngineBModel: null,
    localPostProcessingModel: null,
    customVocabulary: [],
    providerType: null,
  }
}

/**
 * Reads the writable fields of a body. Read-only and unknown keys are passed over, and so is what the
 * profile's build does not know.
 *
 * @param purpose what a null means: a new Mode has nothing to clear, so there it is as if left out
 * @returns only the fields that are to change; or one refusal that names every bad field
 */
export function readModeFields(
  body: JsonObject,
  profile: Profile,
  purpose: 'create' | 'patch',
): Outcome<ModePatch, Refusal> {
  const fields: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [field, parser] of Object.entries(modeFieldParsers) as [WritableModeField, FieldParser][]) {
    if (!Object.hasOwn(body, field) || isPassedOver(field, body[field], { profile, purpose })) continue
    const length = lengthProblem(field, body[field])
    if (length !== null) {
      problems.push(`${field}: ${length}`)
      continue
    }
    const parsed = parser.safeParse(body[field])
    if (parsed.success) fields[field] = parsed.data
    else problems.push(`${field}: ${parsed.error.issues[0]?.message ?? 'not a valid value'}`)
  }
  const { minimum, maximum } = profile.sortOrder
  if (typeof fields['sortOrder'] === 'number' && !isWithin(fields['sortOrder'], profile.sortOrder)) {
    problems.push(`sortOrder: is a whole number from ${minimum} to ${maximum}`)
  }
  if (typeof fields['name'] === 'string') {
    const name = normaliseName(fields['name'], profile.nameRules)
    if (name === null) problems.push('name: must not be empty')
    else fields['name'] = name
  }
  if (problems.length > 0) return refused('INVALID_REQUEST', `Invalid Mode: ${problems.join('; ')}.`)
  return succeeded(fields as ModePatch)
}

/** Checked before anything else looks at the value, which may be a text of 50 MB. */
function lengthProblem(field: WritableModeField, value: unknown): string | null {
  const limit = modeTextLimits[field] ?? Number.POSITIVE_INFINITY
  if (typeof value === 'string' && value.length > limit) return `has at most ${limit} characters`
  if (!Array.isArray(value)) return null
  if (value.length > limits.vocabularyWords) return `has at most ${limits.vocabularyWords} words`
  const isTooLong = value.some((word) => typeof word === 'string' && word.length > limit)
  return isTooLong ? `has words of at most ${limit} characters` : null
}

function isWithin(value: number, { minimum, maximum }: Profile['sortOrder']): boolean {
  return value >= minimum && value <= maximum
}

type FieldParser = (typeof modeFieldParsers)[WritableModeField]

function isPassedOver(
  field: WritableModeField,
  value: unknown,
  { profile, purpose }: { readonly profile: Profile; readonly purpose: 'create' | 'patch' },
): boolean {
  const isWindowsOnly = windowsModeFields.includes(field)
  if (isWindowsOnly && !profile.hasWindowsFields) return true
  if (value !== null) return false
  // The Windows-only fields have no null: an absent one is left out of every answer.
  return purpose === 'create' || !profile.nullClears || isWindowsOnly
}

/** @returns a refusal where a field is missing without which the profile's build creates no Mode */
export function checkRequired(
  fields: ModePatch,
  profile: Profile,
): Outcome<ModePatch & { name: string }, Refusal> {
  const missing = profile.requiredModeFields.filter((field) => fields[field] === undefined)
  const { name } = fields
  if (missing.length > 0 || name === undefined) {
    return refused('INVALID_REQUEST', `Missing in the Mode: ${missing.join(', ')}.`)
  }
  return succeeded({ ...fields, name })
}

/** A Mode as the profile's build answers it. */
export function presentMode(stored: StoredMode, profile: Profile): Mode {
  const hidden = windowsModeFields.filter((field) => !profile.hasWindowsFields || stored[field] === null)
  return Object.fromEntries(
    Object.entries(stored).filter(([field]) => !(hidden as readonly string[]).includes(field)),
  ) as unknown as Mode
}
