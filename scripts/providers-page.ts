import type { LanguageTable } from '#providers/languages'
import { optionExpects, type ProviderOption } from '#providers/options'
import { protocols } from '#providers/protocols/protocols'
import type { ProviderData } from '#providers/providers'
import { providerData, providerDataDate } from '#providers/providers'
import { markdownTable } from './markdown-table.ts'

/** docs/providers.md: everything that is known of the providers. */
export function renderProvidersPage(): string {
  return [intro, ...providerData.map(sectionOf)].join('\n')
}

const intro = `# Providers

This page is made from \`src/providers\` (\`npm run accept\`), last looked up on ${providerDataDate}. [Targets](targets.md#providers) says how
to measure a provider.

- **Options** change what a provider answers. A contender sets them: \`options: { smart_format: true }\` in a config, or
  \`--contender 'deepgram#nova-3?smart_format=true'\`. A list is a repeated name: \`?keyterm=Ada&keyterm=Bob\`. An option that is not listed
  is refused. A server of the OpenAI protocol (\`openai:<address>\`) takes those of \`openai\`.
- "Default" is what the provider does without the option, as it documents. "Sent" is what transcribench sends if a contender does not set it.
- **Requests and answers** are held to the documents of OpenAI, Deepgram, AssemblyAI and Speechmatics, and to the types of the SDKs of Groq,
  Mistral, ElevenLabs, Gladia, Azure (fast transcription), Amazon and Google, by test. Not checked that way, because nothing public describes
  them: Fireworks, Azure's batch transcription, answers of Google, transcripts of Amazon, refusals, and limits of size, length and rate.
- **Prices** have a page and a date on which it was read. A model without a price is one whose price was not found there, or depends on
  the account. It is measured without a cost. So is a contender with an option that is billed in addition (marked +).
`

function sectionOf(provider: ProviderData): string {
  const { id, displayName, documentation, doesNotReturn, options, models, modelSource, readOn } = provider
  const languages = provider.languages ?? protocols[provider.protocol].languages
  const facts = [
    ...limitWords(provider),
    doesNotReturn.length === 0 ? null : `does not return ${doesNotReturn.join(' and ')}`,
    `[documentation](${documentation})`,
  ].filter((fact) => fact !== null)
  return [
    `## ${displayName}`,
    '',
    `\`${id}\`: ${facts.join('; ')}.`,
    '',
    ...markdownTable(['model', 'USD per audio hour', 'billed length', 'retires'], models.map(modelRow)),
    '',
    ...markdownTable(['option', 'takes', 'default', 'sent', 'meaning'], options.map(optionRow)),
    '',
    `Models: [page](${modelSource}). Options: [page](${options[0]?.source}). All were looked up on ${readOn}. Codes of languages:`,
    `${languagesInWords(languages)} ([page](${languages.source}), ${languages.date}).`,
    '',
  ].join('\n')
}

function languagesInWords({ codes, unlisted }: LanguageTable): string {
  const other = {
    language: 'the language alone',
    region: 'the language with its region',
    tag: 'the tag of the corpus',
  }
  if (codes.length === 0) return `no list is published; ${other[unlisted]} is sent`
  return `${codes.length} are known; for any other language, ${other[unlisted]} is sent`
}

function limitWords({
  maxFileBytes,
  maxAudioSeconds,
  maxRequestsPerMinute,
}: ProviderData): readonly string[] {
  return [
    ...(maxFileBytes === null ? [] : [`files up to ${bytesInWords(maxFileBytes)}`]),
    ...(maxAudioSeconds === null ? [] : [`audio up to ${maxAudioSeconds} s`]),
    ...(maxRequestsPerMinute === null ? [] : [`${maxRequestsPerMinute} requests per minute`]),
  ]
}

/** In MB where that is a short number, because a limit in MiB is meant exactly. */
function bytesInWords(bytes: number): string {
  return bytes % 1e5 === 0 ? `${bytes / 1e6} MB` : `${bytes.toLocaleString('en-US')} bytes`
}

function modelRow({ id, price, retires }: ProviderData['models'][number]): readonly string[] {
  return [
    `\`${id}\``,
    price === null ? 'not known' : `${price.usdPerAudioHour} ([page](${price.source}), ${price.date})`,
    price === null ? '' : billedWords(price),
    retires === null
      ? ''
      : `${retires.date ?? 'date not known'}, for \`${retires.successor}\` ([page](${retires.source}))`,
  ]
}

type Price = NonNullable<ProviderData['models'][number]['price']>

function billedWords({ stepSeconds, rounding, minimumSeconds }: Price): string {
  const step = stepSeconds === null ? 'as it is' : `${rounding} to ${stepSeconds} s`
  return minimumSeconds === 0 ? step : `${step}, at least ${minimumSeconds} s`
}

function optionRow(option: ProviderOption): readonly string[] {
  const { name, default: standard, sent, meaning, isBilledExtra } = option
  return [
    `\`${name}\`${isBilledExtra === true ? ' +' : ''}`,
    optionExpects(option),
    standard === null ? '' : String(standard),
    sent === undefined ? '' : String(sent),
    meaning,
  ]
}
