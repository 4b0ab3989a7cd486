import { type Problem, settingsInWords, withoutCredentials } from '#prelude'
import { findProvider, type OptionValues } from '#providers'
import { defaults } from './config-schema.ts'
import type { ConfigFile } from './files/config-file.ts'
import type { ContenderFile } from './files/contender-file.ts'

const serverPrefix = 'openai:'

/** Whether a target has models and no engines, so that a contender names a model alone. */
export function isModelServer(target: string | undefined): boolean {
  if (target === undefined) return false
  return target.trim().startsWith(serverPrefix) || findProvider(target.trim()) !== null
}

/**
 * Reads a contender as the command line has it: `engine:model`, `model`, or either after a target and a `#`; options of the
 * provider follow as the query of an address does. Only the first colon divides, because ids of models may have their own.
 *
 *   openai:http://127.0.0.1:8000/v1#large-v3      auto#moonshine:moonshine-tiny      deepgram#nova-3?smart_format=true
 */
export function readContender(text: string): ContenderFile {
  // An address may have a query: without a model, what follows is part of it.
  if (!text.includes('#') && isModelServer(text) && text.includes('://')) return { target: text }
  const mark = text.indexOf('?', text.lastIndexOf('#') + 1)
  if (mark < 0) return withoutQuery(text)
  return { ...withoutQuery(text.slice(0, mark)), options: queryOptions(text.slice(mark + 1)) }
}

/** An option that is there several times is a list. */
function queryOptions(query: string): OptionValues {
  const values = Map.groupBy(new URLSearchParams(query), ([name]) => name)
  return Object.fromEntries(
    [...values].map(([name, pairs]) => {
      const texts = pairs.map(([, value]) => value)
      return [name, texts.length === 1 ? (texts[0] ?? '') : texts]
    }),
  )
}

function withoutQuery(text: string): ContenderFile {
  const hash = text.lastIndexOf('#')
  if (hash < 0) return engineAndModel(text)
  const [target, rest] = [text.slice(0, hash), text.slice(hash + 1)]
  return { target, ...(isModelServer(target) ? modelOf(rest) : engineAndModel(rest)) }
}

function engineAndModel(text: string): ContenderFile {
  const colon = text.indexOf(':')
  return colon < 0 ? modelOf(text) : { engine: text.slice(0, colon), model: text.slice(colon + 1) }
}

function modelOf(text: string): ContenderFile {
  return text.trim() === '' ? {} : { model: text }
}

/**
 * The names that contenders go by: their own, or those of their models or Modes. Where several would share one,
 * those with a separate target add it, and then their options, and the cells of a matrix their threads, requests in flight
 * and transport.
 */
export function contenderIds(contenders: readonly ContenderFile[]): readonly string[] {
  const plain = contenders.map(({ id, model, mode }) => id ?? model ?? mode ?? '')
  const placed = contenders.map(({ id, target }, index) => {
    const own = plain[index] ?? ''
    const isShared =
      new Set(contenders.flatMap((other, place) => (plain[place] === own ? [other.target ?? ''] : []))).size >
      1
    return id === undefined && target !== undefined && isShared ? `${own}@${shortName(target)}` : own
  })
  return placed.map((own, index) => {
    const isShared = placed.filter((other) => other === own).length > 1
    return isShared ? [own, ...cellOf(contenders[index] ?? {})].join(' ') : own
  })
}

/** `smart_format=true`, `t2`, `c4`, `base64`. */
function cellOf({ options, threads, concurrency, transport }: ContenderFile): readonly string[] {
  return [
    ...(options === undefined || Object.keys(options).length === 0 ? [] : [settingsInWords(options)]),
    ...(threads === undefined ? [] : [`t${threads}`]),
    ...(concurrency === undefined ? [] : [`c${concurrency}`]),
    ...(transport === undefined ? [] : [transport]),
  ]
}

/** `gpu:8000` for `openai:http://gpu:8000/v1`; any other target as it is written. */
function shortName(target: string): string {
  const address = target.startsWith(serverPrefix) ? target.slice(serverPrefix.length) : target
  return URL.canParse(address) && new URL(address).host !== '' ? new URL(address).host : target
}

/**
 * Gives every contender its target where they have several. Where all have the same one, it becomes that of the run, and
 * the run is like any other with one target.
 *
 * @returns the config, or what is wrong with it
 */
export function withTargets<File extends ConfigFile>(file: File): File | readonly Problem[] {
  const { contenders = defaults.contenders, target: common = defaults.target } = file
  if (contenders.every(({ target, keyFrom }) => target === undefined && keyFrom === undefined)) return file
  const servers = new Set(
    contenders.map(({ target = common }) => target).filter((target) => target.startsWith(serverPrefix)),
  )
  const completed = contenders.map((contender) => {
    const { target = common, keyFrom } = contender
    // A key goes to no server but the one that it is for.
    const isMeant =
      contender.target === undefined
        ? isModelServer(target)
        : target.startsWith(serverPrefix) && servers.size === 1
    return { ...contender, target, keyFrom: keyFrom ?? (isMeant ? file.keyFrom : undefined) }
  })
  const problems = [...Map.groupBy(completed, ({ target }) => target)].flatMap(([target, own]) => {
    const keys = [...new Set(own.map(({ keyFrom }) => keyFrom ?? 'none'))]
    return keys.length === 1 ? [] : [severalKeys(target, keys)]
  })
  if (problems.length > 0) return problems
  const [first, ...others] = completed
  if (first === undefined || others.some(({ target }) => target !== first.target)) {
    return { ...file, contenders: completed }
  }
  return {
    ...file,
    target: first.target,
    keyFrom: first.keyFrom,
    contenders: withIds(contenders).map(({ target: _, keyFrom: __, ...contender }) => contender),
  }
}

/** A name that comes from the target is kept when the target moves to the run. */
function withIds(contenders: readonly ContenderFile[]): readonly ContenderFile[] {
  const ids = contenderIds(contenders)
  return contenders.map((contender, index) => ({ ...contender, id: contender.id ?? ids[index] }))
}

function severalKeys(target: string, keys: readonly string[]): Problem {
  return {
    where: 'contenders',
    what: `${withoutCredentials(target)} has one key, and its contenders name several: ${keys.join(', ')}`,
    hint: 'give all contenders of a target the same keyFrom, or name it once for the run',
  }
}
