import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, type YAMLSeq } from 'yaml'
import { type CapacityFinding, capacityFindingSchema, capacityFormatVersion } from '#capacity/finding'
import { loadFigure } from '#capacity/found'
import type { FoundLevel, LevelVerdict } from '#capacity/found-loads'
import { estimateMissRate } from '#capacity/level'

const habit = { meanAudioSeconds: 3.4, meanPauseSeconds: 20 }

function level(requestsPerSecond: number, verdict: LevelVerdict, p95Ms: number): FoundLevel {
  const misses = verdict === 'violated' ? 60 : 2
  return {
    ...loadFigure(requestsPerSecond, habit),
    achievedPerSecond: requestsPerSecond,
    requests: 300,
    failureRate: 0,
    p50Ms: 180,
    p95Ms,
    p99Ms: 1.4 * p95Ms,
    meanInSystem: 1.8,
    backlogGrowth: 0.001,
    stability: 'met',
    objectives: [
      {
        objective: 'p95 <= 0.4s + 0.1d',
        verdict,
        misses,
        requests: 300,
        missRate: estimateMissRate(misses, 300, 1.6),
        designEffect: 1.6,
        moreNeeded: verdict === 'undecided' ? 220 : null,
      },
    ],
    verdict,
    measuredSeconds: 60,
    differingTexts: 0,
    comparedTexts: 300,
  }
}

const document = readFileSync(join(import.meta.dirname, 'a-finding.yaml'), 'utf8')

/** A finding in which everything was found. */
export function aFinding(): CapacityFinding {
  const load = { tag: '!load', resolve: (text: string) => loadFigure(Number(text), habit) }
  const levels = {
    tag: '!level',
    collection: 'seq' as const,
    resolve: (each: unknown) => level(...((each as YAMLSeq).toJSON() as Parameters<typeof level>)),
  }
  const finding = parse(document, { customTags: [load, levels] })
  return capacityFindingSchema.parse({ formatVersion: capacityFormatVersion, ...finding })
}
