/** Codes that a server takes for languages, as it publishes them. */
export interface LanguageTable {
  /** Of several codes of one language, the one that is the general one comes first. Empty where no list is published. */
  readonly codes: readonly string[]
  /** What is sent for a language that is not in the list: the language alone, with a region, or the tag as it is. */
  readonly unlisted: 'language' | 'region' | 'tag'
  readonly source: string
  /** The day on which the list was read. */
  readonly date: string
}

function listed(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** Codes that servers take for one language: a member of a macrolanguage and the whole, an old code and the new one. */
const spellings: readonly (readonly string[])[] = [
  ['nb', 'no'],
  ['nn', 'no', 'nb'],
  ['no', 'nb'],
  ['fil', 'tl'],
  ['tl', 'fil'],
  ['jv', 'jw'],
  ['jw', 'jv'],
  ['he', 'iw'],
  ['iw', 'he'],
  ['zh', 'cmn'],
  ['cmn', 'zh'],
  // Cantonese is the Chinese of Hong Kong to servers without a code for it.
  ['yue', 'zh-HK'],
]

/**
 * The code by which a server knows the language of a tag: `no` for `nb`, `ar-SA` for `ar-EG` where Egypt is not listed. `Intl`
 * is not asked for the language itself, because it writes Tagalog (`tl`) as Filipino (`fil`).
 *
 * @param tag BCP 47
 * @returns one of the table's codes, as the table writes it; for a language that it does not list, what `unlisted` says
 */
export function findLanguageCode(tag: string, { codes, unlisted }: LanguageTable): string {
  const [language = '', ...rest] = tag.split('-')
  const own = language.toLowerCase()
  const script = rest.find((part) => part.length === 4)
  const region = rest.find((part) => /^([a-z]{2}|\d{3})$/i.test(part))
  const { script: usualScript, region: usualRegion } = new Intl.Locale(tag).maximize()
  const names = spellings.find(([first]) => first === own) ?? [own]
  const candidates = [
    ...names.map((name) => joined(name, script ?? usualScript, region)),
    ...names.map((name) => joined(name, region)),
    ...names.map((name) => joined(name, script)),
    ...names,
    ...names.map((name) => joined(name, script ?? usualScript, region ?? usualRegion)),
    ...names.map((name) => joined(name, region ?? usualRegion)),
    ...names.map((name) => joined(name, new Intl.Locale(own).maximize().region)),
  ]
  const byKey = new Map(codes.map((code) => [code.replace('_', '-').toLowerCase(), code]))
  const found = candidates.map((candidate) => byKey.get(candidate.toLowerCase()))
  const other = codes.find((code) => names.includes(code.split('-')[0] ?? ''))
  const known = found.find((code) => code !== undefined) ?? other
  if (known !== undefined) return known
  if (unlisted === 'tag') return tag
  return unlisted === 'language' ? own : joined(own, region ?? usualRegion)
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('-')
}

/** The languages of Whisper's multilingual models, which most servers of the OpenAI protocol run. */
export const whisperLanguages: LanguageTable = {
  codes: listed(`
    en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa
    lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk
    nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue`),
  unlisted: 'language',
  source: 'https://github.com/openai/whisper/blob/main/whisper/tokenizer.py',
  date: '2026-11-27',
}

/** The same, but for the code of Javanese. */
export const groqLanguages: LanguageTable = {
  ...whisperLanguages,
  codes: whisperLanguages.codes.map((code) => (code === 'jw' ? 'jv' : code)),
  source: 'https://www.npmjs.com/package/groq-sdk/v/1.6.0',
}

export const deepgramLanguages: LanguageTable = {
  codes: listed(`
    en en-US en-AU en-GB en-IN en-NZ bg bs be bn ca cs da da-DK de de-CH el es es-419 et fi fr fr-CA hi hr hu id it ja kn ko ko-KR
    lt lv mk mr ms nl nl-BE no pl pt pt-BR pt-PT ro ru sk sl sr sv sv-SE ta te th th-TH tl tr uk vi zh zh-CN zh-Hans zh-TW zh-Hant
    zh-HK`),
  unlisted: 'tag',
  source: 'https://developers.deepgram.com/changelog',
  date: '2026-11-27',
}

/** It takes codes of ISO 639-1 and ISO 639-3, and publishes no list of them. */
export const elevenlabsLanguages: LanguageTable = {
  codes: [],
  unlisted: 'language',
  source: 'https://elevenlabs.io/docs/api-reference/speech-to-text/convert',
  date: '2026-11-27',
}

/** Those that are not a language with its region; the page lists 140 more, which are. */
export const googleLanguages: LanguageTable = {
  codes: listed('cmn-Hans-CN cmn-Hant-TW cmn-Hans-HK yue-Hant-HK iw-IL no-NO fil-PH pa-Guru-IN'),
  unlisted: 'region',
  source: 'https://docs.cloud.google.com/speech-to-text/docs/speech-to-text-supported-languages',
  date: '2026-11-27',
}

/** Languages alone: dialects of English have codes as well, which not every model takes. */
export const assemblyaiLanguages: LanguageTable = {
  codes: listed(`
    en es fr de it pt nl af sq am ar hy as az ba eu be bn bs br bg my ca zh hr cs da et fo fi gl ka el gu ht ha haw he hi hu is id
    ja jw kn kk km ko lo la lv ln lt lb mk mg ms ml mt mi mr mn ne no nn oc pa ps fa pl ro ru sa sr sn sd si sk sl so su sw sv tl
    tg ta tt te th bo tr tk uk ur uz vi cy yi yo`),
  unlisted: 'language',
  source: 'https://github.com/AssemblyAI/assemblyai-api-spec/blob/main/openapi.json',
  date: '2026-11-27',
}

export const speechmaticsLanguages: LanguageTable = {
  codes: listed(`
    ar ba eu be bn bg yue ca hr cs da nl en eo et fi fr gl de el he hi hu id ia ga it ja ko lv lt ms mt cmn mr mn no fa pl pt ro ru
    sk sl es sw sv tl ta th tr uk ur ug vi cy`),
  unlisted: 'language',
  source: 'https://docs.speechmatics.com/speech-to-text/languages',
  date: '2026-11-27',
}

export const gladiaLanguages: LanguageTable = {
  codes: listed(`
    af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja jw ka
    kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw
    ta te tg th tk tl tr tt uk ur uz vi yi yo zh`),
  unlisted: 'language',
  source: 'https://www.npmjs.com/package/@gladiaio/sdk/v/2.1.0',
  date: '2026-11-27',
}

export const azureLanguages: LanguageTable = {
  codes: listed(`
    af-ZA am-ET ar-EG ar-AE ar-BH ar-DZ ar-IL ar-IQ ar-JO ar-KW ar-LB ar-LY ar-MA ar-OM ar-PS ar-QA ar-SA ar-SY ar-TN ar-YE as-IN
    az-AZ bg-BG bn-IN bs-BA ca-ES cs-CZ cy-GB da-DK de-DE de-AT de-CH el-GR en-US en-AU en-CA en-GB en-GH en-HK en-IE en-IN en-KE
    en-NG en-NZ en-PH en-SG en-TZ en-ZA es-ES es-AR es-BO es-CL es-CO es-CR es-CU es-DO es-EC es-GQ es-GT es-HN es-MX es-NI es-PA
    es-PE es-PR es-PY es-SV es-US es-UY es-VE et-EE eu-ES fa-IR fi-FI fil-PH fr-FR fr-BE fr-CA fr-CH ga-IE gl-ES gu-IN he-IL hi-IN
    hr-HR hu-HU hy-AM id-ID is-IS it-IT it-CH ja-JP jv-ID ka-GE kk-KZ km-KH kn-IN ko-KR lo-LA lt-LT lv-LV mk-MK ml-IN mn-MN mr-IN
    ms-MY mt-MT my-MM nb-NO ne-NP nl-NL nl-BE or-IN pa-IN pl-PL ps-AF pt-BR pt-PT ro-RO ru-RU si-LK sk-SK sl-SI so-SO sq-AL sr-RS
    sv-SE sw-KE sw-TZ ta-IN te-IN th-TH tr-TR uk-UA ur-IN uz-UZ vi-VN wuu-CN yue-CN zh-CN zh-HK zh-TW zu-ZA`),
  unlisted: 'region',
  source: 'https://learn.microsoft.com/en-us/azure/ai-services/speech-service/language-support?tabs=stt',
  date: '2026-11-27',
}

/** `ar-SA` is Modern Standard Arabic there, and `ar-AE` that of the Gulf. */
export const awsLanguages: LanguageTable = {
  codes: listed(`
    ab-GE af-ZA am-ET ar-SA ar-AE ast-ES az-AZ ba-RU be-BY bg-BG bn-IN bs-BA ca-ES ckb-IQ ckb-IR cs-CZ cy-GB cy-WL da-DK de-DE de-CH
    el-GR en-US en-AB en-AU en-GB en-IE en-IN en-NZ en-WL en-ZA es-ES es-MX es-US et-EE et-ET eu-ES fa-IR fa-AF fi-FI fr-FR fr-CA
    ga-IE gd-GB gl-ES gu-IN ha-NG he-IL hi-IN hr-HR ht-HT hu-HU hy-AM id-ID is-IS it-IT ja-JP jv-ID kab-DZ ka-GE kk-KZ km-KH kn-IN
    ko-KR ky-KG lg-IN lt-LT lv-LV mhr-RU mi-NZ mk-MK ml-IN mn-MN mr-IN ms-MY mt-MT my-MM ne-NP nl-NL no-NO or-IN pa-IN pl-PL ps-AF
    pt-BR pt-PT ro-RO ru-RU rw-RW si-LK sk-SK sl-SI so-SO sq-AL sr-RS su-ID sv-SE sw-TZ sw-BI sw-KE sw-RW sw-UG ta-IN te-IN th-TH
    tl-PH tr-TR tt-RU ug-CN uk-UA uz-UZ vi-VN wo-SN zh-CN zh-HK zh-TW zu-ZA`),
  unlisted: 'region',
  source: 'https://docs.aws.amazon.com/transcribe/latest/APIReference/API_StartTranscriptionJob.html',
  date: '2026-11-27',
}
