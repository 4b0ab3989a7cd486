import { createHash } from 'node:crypto'
import type { HostPlan } from '#run/plan/host-plan'
import type { BlockDocument } from '../queue/messages.ts'

/** `replicate`: each host measures the whole plan. `shard`: the hosts share it. */
export const fleetModes = ['replicate', 'shard'] as const
export type FleetMode = (typeof fleetModes)[number]

/** A part of the plan that one host measures. */
export interface FleetBlock {
  /** Id that is unique in the run and valid as a file name. */
  readonly id: string
  readonly part: number
  /** Null if any host may measure it. */
  readonly host: string | null
}

/** @param hosts null in shard mode */
export function fleetBlocks({ parts }: HostPlan, hosts: readonly string[] | null): readonly FleetBlock[] {
  return (hosts ?? [null]).flatMap((host) =>
    parts.map((_, part) => ({ id: blockId(part, host), part, host })),
  )
}

export function blockId(part: number, host: string | null): string {
  return host === null ? `part-${part}` : `part-${part}@${host}`
}

/** Files that hosts may fetch, by the hashes of their contents; no other file is ever sent. */
export interface PlanDocuments {
  /** Hashes by the number of the part. */
  readonly hashes: readonly string[]
  /** Generates the text on each call, because the documents of a large plan are larger than the plan. */
  textOf(sha256: string): string | null
  pathOf(sha256: string): string | null
}

export function planDocuments(plan: HostPlan): PlanDocuments {
  const byId = new Map(plan.corpus.utterances.map((utterance) => [utterance.id, utterance] as const))
  const textOfPart = (place: number): string | null => {
    const part = plan.parts[place]
    if (part === undefined) return null
    const ids = new Set(part.requests.map(({ utteranceId }) => utteranceId))
    const utterances = [...ids].flatMap((id) => byId.get(id) ?? [])
    return JSON.stringify({
      config: plan.config,
      part,
      utterances,
      isSynchronised: plan.isOpen,
    } satisfies BlockDocument)
  }
  const hashes = plan.parts.map((_, place) =>
    createHash('sha256')
      .update(textOfPart(place) ?? '')
      .digest('hex'),
  )
  const places = new Map(hashes.map((hash, place) => [hash, place]))
  const paths = new Map(plan.corpus.utterances.map(({ sha256, audioPath }) => [sha256, audioPath] as const))
  return {
    hashes,
    textOf(sha256) {
      const place = places.get(sha256)
      return place === undefined ? null : textOfPart(place)
    },
    pathOf: (sha256) => paths.get(sha256) ?? null,
  }
}
