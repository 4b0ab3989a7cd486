import { basename, extname, resolve } from 'node:path'
import type { Outcome } from '#prelude'
import { parseLanguage } from '#prelude/languages'
import { errorRate } from '#scoring/counts'
import { parseMarkup } from '#scoring/formats/trn'
import { entityTypes } from '#scoring/kinds'
import { findProfile } from '#scoring/profiles/index'
import { scorePair } from '#scoring/score-utterance'
import type { Entity, TimedText } from '#scoring/shapes'
import { timedTextSchema } from '#scoring/shapes'
import { readTimes, type TimesByRecording, timesEndings } from '#transcripts/timed-texts'
import { readTextFile } from '../text-file.ts'
import { type Derivation, derivationSchema, type Utterance } from '../utterance.ts'
import type { Check, ManifestField, ManifestRow } from './manifest-row.ts'

/** Tags of utterances without speech, whose reference may be empty. */
const silentTags: readonly string[] = ['silence', 'no-speech']

export interface CheckedRow {
  /** Null if there are problems. */
  readonly utterance: Utterance | null
  /** Absolute path of the file with the times; null where the line has them, or there are none. */
  readonly timesPath: string | null
  readonly problems: readonly string[]
}

/**
 * Checks the values of one line.
 *
 * @param folder absolute path of the manifest's folder, to which audio paths are relative
 * @param givenId the id as written, or derived from the file's name; null where there is none
 */
export function checkRow(row: ManifestRow, givenId: unknown, folder: string): CheckedRow {
  const { fields } = row
  const problems: string[] = []
  const take = <Value>(check: Check<Value>): Value | null => {
    if ('value' in check) return check.value
    problems.push(check.problem)
    return null
  }
  const optional = <Value>(
    field: ManifestField,
    check: (value: unknown, field: ManifestField) => Check<Value>,
  ): Check<Value | null> => (fields[field] == null ? { value: null } : check(fields[field], field))
  const [tags, draft] = [optional('tags', checkList), optional('draft', checkTruth)]
  const isDraft = 'value' in draft && draft.value === true
  const tagsForEmpty = 'value' in tags && !isDraft ? (tags.value ?? []) : silentTags
  // Fields are checked in order, so that their problems have the same order.
  const id = take(checkId(givenId)) ?? ''
  const audioPath = take(checkAudio(fields.audio, folder)) ?? ''
  const [text = '', ...alternatives] = take(checkTexts(fields.text, fields.choices, tagsForEmpty)) ?? []
  const said = {
    id,
    audioPath,
    text,
    alternatives,
    hasChoices: take(optional('choices', checkTruth)) ?? false,
    isDraft: take(draft) ?? false,
    durationSeconds: take(optional('durationSeconds', checkDuration)),
    sha256: take(optional('sha256', checkHash)),
    language: take(optional('language', checkLanguage)),
    speaker: take(optional('speaker', checkWords)),
    tags: take(tags) ?? [],
    keywords: take(optional('keywords', checkList)) ?? [],
    entities: take(optional('entities', (value) => checkEntities(value, fields.text))) ?? [],
  }
  const times = take(optional('times', (value) => checkTimes(value, folder))) ?? { parts: [], path: null }
  const utterance: Utterance = {
    ...said,
    times: times.parts,
    source: take(optional('source', checkWords)),
    derived: take(optional('derived', checkDerivation)),
    line: row.line,
  }
  const fault = problems.length > 0 || times.parts.length === 0 ? null : timesFault(utterance, times.parts)
  if (fault !== null) problems.push(`"times" ${fault}`)
  return problems.length > 0
    ? { utterance: null, timesPath: null, problems }
    : { utterance, timesPath: times.path, problems }
}

/** The problem of a line without a required field. */
export function lacks(field: ManifestField): string {
  return `has no "${field}"`
}

function checkId(value: unknown): Check<string> {
  if (value === undefined || value === null) return { problem: lacks('id') }
  if (typeof value !== 'string') return wrongType('id', 'a text', value)
  if (value.trim() !== value || value === '') return { problem: '"id" is empty or has blanks around it' }
  if (halfSurrogate.test(value)) return { problem: halfCharacter('id') }
  // Commas separate ids in --exclude, and control characters would affect terminals.
  return /[\p{Cc},]/u.test(value)
    ? { problem: `"id" holds a comma or a control character: ${JSON.stringify(value)}` }
    : { value }
}

function checkAudio(value: unknown, folder: string): Check<string> {
  if (value === undefined || value === null || value === '') return { problem: lacks('audio') }
  if (typeof value !== 'string') return wrongType('audio', 'a path', value)
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value)) {
    return { problem: `"audio" is an address, ${value}: download it and give its path` }
  }
  return value.includes('\0') ? { problem: '"audio" holds a zero byte' } : { value: resolve(folder, value) }
}

/** Accepts one text, or a list of equally correct texts, of which the first is shown. */
function checkTexts(value: unknown, choices: unknown, tags: readonly string[]): Check<readonly string[]> {
  if (value === undefined || value === null) return { problem: lacks('text') }
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
  const wanted = Array.isArray(value) ? 'a list of different texts' : 'a text, or a list of texts'
  const isListed = texts.every((text) => typeof text === 'string')
  if (!isListed || texts.length === 0 || new Set(texts).size < texts.length) {
    return wrongType('text', wanted, value)
  }
  if (texts.some((text) => text.trim() === '') && !tags.some((tag) => silentTags.includes(tag))) {
    return {
      problem: 'the reference is empty: write what is said, or tag it "no-speech" where nothing is said',
    }
  }
  if (texts.some((text) => halfSurrogate.test(text))) return { problem: halfCharacter('text') }
  for (const text of choices === true ? texts : []) {
    const parsed = parseMarkup(text)
    if (!parsed.ok) return { problem: `the choices in "text" cannot be read: ${parsed.what}; ${parsed.hint}` }
  }
  return { value: texts.map((text) => (text.trim() === '' ? '' : text)) }
}

const halfSurrogate = /\p{Cs}/u

/** A UTF-8 file cannot contain a lone surrogate, but a JSON escape such as \\ud83d can. */
function halfCharacter(field: ManifestField): string {
  return `"${field}" holds half a character, a surrogate without its pair: write the character as it is`
}

function checkTruth(value: unknown, field: ManifestField): Check<boolean> {
  return typeof value === 'boolean' ? { value } : wrongType(field, 'true or false', value)
}

function checkDuration(value: unknown): Check<number> {
  if (typeof value !== 'number') return wrongType('durationSeconds', 'a number of seconds', value)
  return Number.isFinite(value) && value > 0
    ? { value }
    : { problem: `"durationSeconds" is ${value}; a recording lasts longer than 0 s` }
}

function checkHash(value: unknown): Check<string> {
  if (typeof value !== 'string') return wrongType('sha256', 'a text', value)
  return /^[0-9a-f]{64}$/i.test(value)
    ? { value: value.toLowerCase() }
    : { problem: '"sha256" is not 64 hexadecimal digits' }
}

/** Parsed languages, cached because a manifest has few, and parsing one takes as long as the rest of a line. */
const languages = new Map<string, ReturnType<typeof parseLanguage>>()
const maxLanguages = 1000

function readLanguage(text: string): ReturnType<typeof parseLanguage> {
  const known = languages.get(text)
  if (known !== undefined) return known
  const parsed = parseLanguage(text)
  if (languages.size < maxLanguages) languages.set(text, parsed)
  return parsed
}

function checkLanguage(value: unknown): Check<string> {
  if (typeof value !== 'string') return wrongType('language', 'a language tag, code or English name', value)
  const parsed = readLanguage(value)
  if (parsed.ok) return { value: parsed.value }
  const { what, hint } = parsed.failure
  return { problem: `"language" is ${JSON.stringify(value)}, which ${what}; ${hint}` }
}

function checkList(value: unknown, field: ManifestField): Check<readonly string[]> {
  const isList = Array.isArray(value) && value.every((text) => typeof text === 'string' && text.trim() !== '')
  return isList ? { value: value as string[] } : wrongType(field, 'a list of texts', value)
}

function checkEntities(value: unknown, texts: unknown): Check<readonly Entity[]> {
  const isList = Array.isArray(value) && value.every((entity) => isEntity(entity))
  if (!isList) {
    return wrongType(
      'entities',
      `a list of { "type": …, "text": … }, the type one of ${entityTypes.join(', ')}`,
      value,
    )
  }
  const entities = value as readonly Entity[]
  const said = (Array.isArray(texts) ? texts : [texts]).join(' ')
  const absent = entities.find(({ text }) => !said.includes(text))
  return absent === undefined
    ? { value: entities }
    : {
        problem: `"entities" has ${JSON.stringify(absent.text)}, which "text" does not hold: write it as the text has it`,
      }
}

function isEntity(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('text' in value)) return false
  const { type, text } = value
  return entityTypes.some((known) => known === type) && typeof text === 'string' && text.trim() !== ''
}

function checkWords(value: unknown, field: ManifestField): Check<string | null> {
  if (typeof value !== 'string') return wrongType(field, 'a text', value)
  return { value: value.trim() === '' ? null : value }
}

function checkDerivation(value: unknown): Check<Derivation> {
  const parsed = derivationSchema.safeParse(value)
  if (parsed.success) return { value: parsed.data }
  const [issue] = parsed.error.issues
  return {
    problem: `"derived" is not what corpus derive writes: ${issue?.path.join('.')}: ${issue?.message}`,
  }
}

function wrongType(field: ManifestField, wanted: string, value: unknown): { readonly problem: string } {
  const found = JSON.stringify(value)
  return {
    problem: `"${field}" is ${shortenText(found)}; it has to be ${wanted}`,
  }
}

const wanted = `a file (${timesEndings.join(', ')}), or a list of { "text": …, "startSeconds": …, "endSeconds": … }`

/**
 * Checks the times of a reference: a list, or the path of a file.
 *
 * @param folder absolute path of the folder to which the file's path is relative
 */
function checkTimes(
  value: unknown,
  folder: string,
): Check<{ readonly parts: readonly TimedText[]; readonly path: string | null }> {
  if (typeof value === 'string') {
    const ending = extname(value).toLowerCase()
    const isKnown = timesEndings.some((known) => known.toLowerCase() === ending)
    return isKnown && !value.includes('\0')
      ? { value: { parts: [], path: resolve(folder, value) } }
      : { problem: `"times" is ${JSON.stringify(value)}; it has to be ${wanted}` }
  }
  const parsed = timedTextSchema.array().safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`
    return { problem: `"times" has to be ${wanted}${where}` }
  }
  return { value: { parts: parsed.data, path: null } }
}

/** Maximum character error rate between the timed words and the reference; above it they are of another recording. */
const maxCharacterErrorRate = 0.5

/** The fault of times that are out of order, negative, or of another text; null for usable ones. */
function timesFault(
  { text, alternatives }: Pick<Utterance, 'text' | 'alternatives'>,
  times: readonly TimedText[],
): string | null {
  if (times.length === 0) return 'times no word'
  const problem = orderFault(times)
  if (problem !== null) return problem
  const hypothesis = times.map((part) => part.text).join(' ')
  const basic = findProfile('basic')
  const isOfText = [text, ...alternatives].some((reference) => {
    const rate = errorRate(scorePair({ reference, hypothesis }, basic).characters)
    return rate !== null && rate <= maxCharacterErrorRate
  })
  return isOfText ? null : `times other words than "text" has: “${shortenText(hypothesis)}”`
}

function orderFault(times: readonly TimedText[]): string | null {
  const early = times.findIndex(({ startSeconds, endSeconds }, at) => {
    const before = times[at - 1]?.startSeconds ?? 0
    return startSeconds < before || endSeconds < startSeconds
  })
  const part = times[early]
  if (part === undefined) return null
  const { text, startSeconds, endSeconds } = part
  return `has “${text}” from ${startSeconds} to ${endSeconds} s: write them in the order of speech, each with its end after its start`
}

function shortenText(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}

/** Reads files of times, each once, because one file may have the times of many utterances. */
export function timesReader(): (
  path: string,
  utterance: Utterance,
) => Promise<{ readonly times: readonly TimedText[] } | { readonly problem: string }> {
  const files = new Map<string, Promise<Outcome<TimesByRecording, string>>>()
  return async (path, utterance) => {
    const name = basename(path)
    const reading = files.get(path) ?? readTimesFile(path)
    files.set(path, reading)
    const read = await reading
    if (!read.ok) return { problem: `"times": ${name} ${read.failure}` }
    const audio = basename(utterance.audioPath, extname(utterance.audioPath))
    const times = read.value.get(null) ?? read.value.get(utterance.id) ?? read.value.get(audio)
    if (times === undefined) return { problem: `"times": ${name} has no words of ${utterance.id}` }
    const problem = timesFault(utterance, times)
    return problem === null ? { times } : { problem: `"times": ${name} ${problem}` }
  }
}

async function readTimesFile(path: string): Promise<Outcome<TimesByRecording, string>> {
  try {
    const { lines, problems } = await readTextFile(path, basename(path))
    const [problem] = problems
    if (problem !== undefined) return { ok: false, failure: problem.what }
    return readTimes(lines.map(({ text }) => text).join('\n'), path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { ok: false, failure: error.code === 'ENOENT' ? 'is missing' : `cannot be read: ${error.message}` }
  }
}
