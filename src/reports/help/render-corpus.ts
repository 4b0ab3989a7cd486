import { foreign, labelled, type Terminal } from '../layout/terminal.ts'
import { counted, formatSeconds } from '../layout/units.ts'

/** What is in a corpus, without its recordings. */
export interface CorpusText {
  readonly name: string
  readonly manifestPath: string
  /** Null where it is not known before the recordings are read. */
  readonly fingerprint: string | null
  readonly utteranceCount: number
  /** Null where the length of a recording is not known. */
  readonly audioSeconds: number | null
  readonly languages: readonly string[]
  readonly speakerCount: number | null
  readonly tags: readonly string[]
  /** Utterances whose reference is empty on purpose: silence, noise. */
  readonly emptyReferenceCount: number
  /** Utterances whose reference may be said in several ways. */
  readonly severalWaysCount: number
  readonly draftCount: number
}

/** A corpus on a screen. */
export function renderCorpus(corpus: CorpusText, terminal: Terminal): string {
  const { name, manifestPath, fingerprint, utteranceCount, audioSeconds, languages } = corpus
  const { speakerCount, tags, emptyReferenceCount, severalWaysCount, draftCount } = corpus
  const facts = [
    counted(utteranceCount, 'utterance'),
    audioSeconds === null
      ? 'length not known before it is verified'
      : `${formatSeconds(audioSeconds)} of audio`,
    ...(speakerCount === null ? [] : [counted(speakerCount, 'speaker')]),
    ...(emptyReferenceCount === 0 ? [] : [`${emptyReferenceCount} without speech`]),
    ...(severalWaysCount === 0 ? [] : [`${severalWaysCount} with several ways to say it`]),
    ...(draftCount === 0 ? [] : [`${draftCount} drafts, not reviewed`]),
  ]
  const line = (label: string, text: string): string => labelled(label, foreign(text), 11, terminal)
  return [
    line('corpus', name),
    line('holds', facts.join(' · ')),
    ...(languages.length === 0 ? [] : [line('languages', languages.join(', '))]),
    ...(tags.length === 0 ? [] : [line('tags', tags.join(', '))]),
    line('manifest', manifestPath),
    line('fingerprint', fingerprint ?? 'not known before it is verified: transcribench corpus verify'),
  ].join('\n')
}
