import type { Command } from 'commander'
import { findingDefinitions } from '#analysis/findings/registry'
import { metricFamily } from '#analysis/metrics/metric'
import { metrics } from '#analysis/metrics/metrics'
import { exitCodes, nearest, shellWord } from '#prelude'
import { optionExpects } from '#providers/options'
import { describeRetirement, providerData } from '#providers/providers'
import {
  type ExplanationText,
  type NormalisationTrace,
  renderExplanation,
  renderExplanationList,
  renderTrace,
} from '#reports/help/help-texts'
import { findProfile, profiles } from '#scoring/profiles/index'
import { type Profile, profileName, traceNormalisation } from '#scoring/profiles/profile'
import { tokeniseWords } from '#scoring/tokens'
import type { Attach } from '../command-context.ts'
import { cliErrors } from '../errors.ts'
import { type Definition, exitClasses, type Meanings, readMeanings } from '../meanings.ts'
import { option } from '../typed-options.ts'

/** `transcribench explain [name] [text]`: meanings of names, and the effect of a profile on a text. */
export function defineExplainCommand(explain: Command, attach: Attach): void {
  explain
    .argument('[name]', 'such as CONFIG_INVALID, wer, latency.p95 or basic')
    .argument('[text]', 'with a profile: shows this text after every stage')
  attach(
    explain,
    () => [option('--json', 'one JSON document on stdout')],
    async (context, options, [name, text]) => {
      const explanations = allExplanations()
      const chosen = name === undefined ? null : find(name, explanations)
      if (chosen === null) {
        context.printResult(options, explanations, () => renderExplanationList(explanations, context.output))
      } else if (text === undefined) {
        context.printResult(options, chosen, () => renderExplanation(chosen, context.output))
      } else {
        const traced = trace(chosen, text)
        context.printResult(options, traced, () => renderTrace(traced, context.output))
      }
      return 'done'
    },
  )
}

function trace({ name, kind }: Explanation, text: string): NormalisationTrace {
  if (kind !== 'profile') {
    throw cliErrors.make('NOT_EXPLAINED', {
      message: `${name} is no profile, and only a profile does something to a text`,
      hint: `transcribench explain english ${shellWord(text)}`,
    })
  }
  const profile = findProfile(name)
  const stages = traceNormalisation(text, profile)
  const { id, version, fingerprint } = profile
  const words = tokeniseWords(stages.at(-1)?.text ?? text, profile.words)
  return { profile: { id, version, fingerprint }, text, stages, words }
}

function find(name: string, explanations: readonly Explanation[]): Explanation {
  const typed = name.toLowerCase()
  const names = [
    ...explanations.flatMap((one) => [one.name, ...one.aliases]),
    ...metrics.map(({ id }) => metricFamily(id)),
  ]
  const found = explanations.find(({ name: id, aliases }) =>
    [id, ...aliases].some((one) => one.toLowerCase() === typed),
  )
  const chosen = found ?? familyExplanation(typed, explanations)
  if (chosen !== null) return chosen
  const near = nearest(typed, names) ?? nearestByWord(typed, names)
  const suggestion = near === null ? '' : `did you mean ${near}? `
  throw cliErrors.make('NOT_EXPLAINED', {
    message: `nothing here is called "${name}"`,
    hint: `${suggestion}the list: transcribench explain`,
  })
}

/** The shortest name with a word that the typed one probably means: `emptyOutput` for `emtpy`. */
function nearestByWord(typed: string, names: readonly string[]): string | null {
  const shortestLast = names.toSorted((one, other) => other.length - one.length)
  const word = /\p{Lu}?\p{Ll}+|\p{Lu}{2,}/gu
  const byWord = new Map(
    shortestLast.flatMap((name) => (name.match(word) ?? []).map((part) => [part.toLowerCase(), name])),
  )
  const near = nearest(typed, byWord.keys())
  return near === null ? null : (byWord.get(near) ?? null)
}

interface Explanation extends ExplanationText {
  readonly kind:
    | 'error'
    | 'failure'
    | 'finding'
    | 'error-analysis'
    | 'metric'
    | 'profile'
    | 'provider'
    | 'term'
}

/** Everything that can be explained, from the tables of the modules. */
export function allExplanations(): Explanation[] {
  const meanings = readMeanings()
  return [
    ...metricExplanations(),
    ...definitionExplanations('error-analysis', meanings.errorAnalysis),
    ...definitionExplanations('term', meanings.terms),
    ...profileExplanations(),
    ...providerExplanations(),
    ...errorExplanations(meanings.errors),
    ...failureExplanations(meanings.failures),
    ...findingExplanations(meanings.findings),
  ]
}

function errorExplanations(meanings: Meanings['errors']): Explanation[] {
  return Object.entries(exitClasses).map(([name, exit]) => ({
    name,
    aliases: [],
    kind: 'error',
    parts: [
      { label: null, text: meanings[name] ?? '' },
      { label: 'exit code', text: `${exitCodes[exit].code} (${exitCodes[exit].meaning})` },
    ],
  }))
}

function findingExplanations(meanings: Meanings['findings']): Explanation[] {
  return findingDefinitions.map(({ code, severity }) => ({
    name: code,
    aliases: [],
    kind: 'finding',
    parts: [
      { label: null, text: meanings[code] ?? '' },
      { label: 'severity', text: severity },
    ],
  }))
}

/** Explanations of request failures; a code that is also an error of transcribench is explained as that. */
function failureExplanations(meanings: Meanings['failures']): Explanation[] {
  return Object.entries(meanings)
    .filter(([name]) => !(name in exitClasses))
    .map(([name, meaning]) => ({
      name,
      aliases: [],
      kind: 'failure',
      parts: [
        { label: null, text: meaning },
        { label: 'counted', text: 'as a failure of its request, never scored as silence' },
      ],
    }))
}

function definitionExplanations(
  kind: 'error-analysis' | 'term',
  definitions: Readonly<Record<string, Definition>>,
): Explanation[] {
  return Object.entries(definitions).map(([id, { name, aliases, formula, source, reading }]) => ({
    name: id,
    aliases,
    kind,
    parts: [
      { label: null, text: name === undefined ? reading : `${name}. ${reading}` },
      { label: 'formula', text: formula },
      ...(source === undefined ? [] : [{ label: 'source', text: source }]),
    ],
  }))
}

function providerExplanations(): Explanation[] {
  return providerData.map(({ id, displayName, models, options, documentation }) => ({
    name: id,
    aliases: [],
    kind: 'provider',
    parts: [
      { label: null, text: `${displayName}, a target: --contender '${id}#${models[0]?.id}'` },
      ...models.map((model) => ({
        label: model.id,
        text: [
          model.price === null
            ? 'price not known'
            : `${model.price.usdPerAudioHour} USD per audio hour (${model.price.source}, ${model.price.date})`,
          ...(model.retires === null ? [] : [describeRetirement(id, model.id) ?? '']),
        ].join('; '),
      })),
      ...options.map((option) => ({
        label: `?${option.name}=`,
        text: `${optionExpects(option)}: ${option.meaning}`,
      })),
      { label: 'source', text: documentation },
    ],
  }))
}

/** The percentile metrics of a family, such as `latency`; null if there is none. */
function familyExplanation(name: string, explanations: readonly Explanation[]): Explanation | null {
  const family = explanations.filter(({ name: id, kind }) => kind === 'metric' && metricFamily(id) === name)
  const [first] = family
  if (first === undefined) return null
  const figures = { label: 'figures', text: family.map(({ name: id }) => id).join(', ') }
  const parts = first.parts.map(({ label, text }) => ({ label, text: text.replace(/, p\d+;/, ';') }))
  return { ...first, name, parts: [...parts, figures] }
}

function metricExplanations(): Explanation[] {
  return metrics.map(({ id, aliases = [], name, better, reading, formula, source }) => ({
    name: id,
    aliases,
    kind: 'metric',
    parts: [
      { label: null, text: `${name}; ${better} is better. ${reading}` },
      { label: 'formula', text: formula },
      { label: 'source', text: source },
    ],
  }))
}

/** Aliases of a profile: `english` is the newest version, as everywhere. */
function listAliases(id: string, version: number): string[] {
  const name = profileName(id)
  const isNewest = name !== id && findProfile(name).id === id
  return [`${name}-${version}`, ...(isNewest ? [name] : [])]
}

function profileExplanations(): Explanation[] {
  return profiles.map((profile) => ({
    name: profile.id,
    aliases: listAliases(profile.id, profile.version),
    kind: 'profile',
    // Made for the profiles that are shown, because reading the rules of all languages takes a second.
    get parts() {
      return profileParts(profile)
    },
  }))
}

function profileParts({ version, fingerprint, purpose, stages, quirks }: Profile): Explanation['parts'] {
  return [
    { label: null, text: purpose },
    { label: 'version', text: `${version}, fingerprint ${fingerprint.slice(0, 12)}` },
    ...stages.map(({ name, does, example: [before, after] }) => ({
      label: name,
      text: before === '' ? does : `${does} "${before}" becomes "${after}".`,
    })),
    ...quirks.map((quirk) => ({ label: 'quirk', text: quirk })),
  ]
}
