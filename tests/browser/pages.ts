import { evaluateRun } from '#analysis/evaluate-run'
import type { RunMaterial } from '#analysis/requests/resolved-run'
import { htmlPage } from '#reports/html-page'
import { runPage } from '#reports/run/run-page'
import { pageAssets } from '#results/page-assets'
import { measuredRun, type SpokenUtterance, timedOut } from '../analysis/measured-run.ts'

/** The page of a run as it would be written, with recordings beside it. */
export async function pageOf(run: RunMaterial, hasTexts = true): Promise<string> {
  const { document, rows } = runPage(evaluateRun(run), run, {
    hasTexts,
    audioOf: ({ audio }) => audio,
  })
  return htmlPage(document, await pageAssets(), rows)
}

const sentence =
  'we moved the staging cluster to frankfurt last tuesday and nobody noticed before the report on friday'

/** A run of any size that is always the same: contenders get the worse the later they stand. */
export function largeRun(contenderCount: number, utteranceCount: number): RunMaterial {
  const words = sentence.split(' ')
  const utterances = Array.from({ length: utteranceCount }, (_, index): SpokenUtterance => {
    const length = 4 + ((index * 7) % (words.length - 4))
    const start = (index * 5) % (words.length - length + 1)
    return {
      id: `clip-${String(index + 1).padStart(5, '0')}`,
      reference: words.slice(start, start + length).join(' '),
      seconds: 1 + length * 0.4,
      speaker: `speaker-${(index % 24) + 1}`,
    }
  })
  const contenders = Array.from({ length: contenderCount }, (_, index) => `contender-${index + 1}`)
  return measuredRun({
    utterances,
    contenders,
    concurrency: 4,
    fate: ({ contenderId, utterance }) => {
      const place = Number(contenderId.slice(10))
      const luck = (Number(utterance.id.slice(5)) * 31 + place * 17) % 100
      if (luck === 99 && place % 3 === 0) return timedOut
      if (luck > 40 + place * 3) return utterance.reference
      return utterance.reference
        .split(' ')
        .map((word, at) => ((at * 13 + luck) % 11 < 1 + place / 4 ? `${word.slice(0, 2)}x` : word))
        .join(' ')
    },
    durationMs: ({ contenderId, utterance }) =>
      40 +
      Number(contenderId.slice(10)) * 25 +
      (utterance.seconds ?? 0) * 20 +
      ((Number(utterance.id.slice(5)) * 37) % 60),
  })
}

/** A run whose hosts shared the corpus: two contenders of one host each, which are one contender of all hosts. */
export function shardRun(): RunMaterial {
  const run = largeRun(2, 40)
  const { host, contenders } = run.record
  const merged = ({ id }: { readonly id: string }) => ({ contender: 'tiny', host: `host-${id.slice(10)}` })
  return {
    ...run,
    record: {
      ...run.record,
      fleetMode: 'shard',
      contenders: contenders.map((contender) => ({ ...contender, merged: merged(contender) })),
      hosts: contenders.map((contender) => ({
        name: merged(contender).host,
        runIds: ['part'],
        machine: host,
      })),
    },
  }
}

/** Texts that would like to be code, in every place that a person or a server can fill. */
export const hostileText = '</script><img src=x onerror=alert(1)>\u2028<!--<script>'

export function hostileRun(): RunMaterial {
  const run = measuredRun({
    utterances: [
      { id: `${hostileText}-id`, reference: `say ${hostileText} now`, speaker: hostileText },
      { id: 'plain', reference: 'plain words', speaker: 'someone' },
    ],
    contenders: [hostileText, 'tiny'],
    fate: ({ utterance }) =>
      utterance.id === 'plain'
        ? { kind: 'refused', code: hostileText, message: hostileText, hint: hostileText, httpStatus: 500 }
        : `hear ${hostileText} then`,
  })
  return {
    ...run,
    record: {
      ...run.record,
      name: hostileText,
      command: ['transcribench', 'run', hostileText],
      corpus: { ...run.record.corpus, name: hostileText },
      config: { name: hostileText, [hostileText]: hostileText },
    },
  }
}

/** Languages that are written from right to left, and without spaces. */
export function foreignRun(): RunMaterial {
  const heard: Readonly<Record<string, string>> = {
    arabic: 'ذهب الولد إلى المدرسه صباح اليوم',
    hebrew: 'הילד הלך לבית הספר אתמול בבוקר',
    chinese: '我们上个星期二把服务器搬到了法兰克',
    japanese: '先週の火曜日にサーバーをフランクフルトへ移した',
    hindi: 'हम पिछले मंगलवार को फ्रैंकफर्ट गए',
  }
  return measuredRun({
    utterances: [
      { id: 'arabic', reference: 'ذهب الولد إلى المدرسة صباح اليوم', seconds: 4 },
      { id: 'hebrew', reference: 'הילד הלך לבית הספר הבוקר', seconds: 3 },
      { id: 'chinese', reference: '我们上个星期二把服务器搬到了法兰克福', seconds: 5 },
      { id: 'japanese', reference: '先週の火曜日にサーバーをフランクフルトに移した', seconds: 6 },
      { id: 'hindi', reference: 'हम पिछले मंगलवार फ्रैंकफर्ट गए थे', seconds: 4 },
    ],
    contenders: ['tiny', 'base'],
    fate: ({ contenderId, utterance }) =>
      contenderId === 'tiny' ? (heard[utterance.id] ?? '') : utterance.reference,
  })
}

/** A run by a clock that is too coarse for its answers, as of another program: every latency is 0. */
export function instantRun(): RunMaterial {
  const utterances = Array.from({ length: 40 }, (_, index) => ({ id: `u${index}`, reference: 'this is one' }))
  return measuredRun({
    utterances,
    concurrency: 1,
    fate: ({ utterance }) => utterance.reference,
    durationMs: () => 0,
  })
}

/** A run whose target was lost after two answers. */
export function failedRun(): RunMaterial {
  const run = measuredRun({
    utterances: ['one', 'two', 'three', 'four', 'five'].map((id) => ({ id, reference: `this is ${id}` })),
    fate: ({ utterance }) =>
      ['one', 'two'].includes(utterance.id)
        ? `this is ${utterance.id}`
        : utterance.id === 'three'
          ? timedOut
          : null,
  })
  const ending = { code: 'TARGET_LOST', message: 'the target is gone', hint: 'start it again' }
  return { ...run, record: { ...run.record, status: 'failed', ending } }
}

/** A run that died before anything was sent. */
export function emptyRun(): RunMaterial {
  const run = measuredRun({ utterances: [], fate: () => null })
  return { ...run, record: { ...run.record, status: 'interrupted' } }
}
