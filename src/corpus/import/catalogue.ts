import type { HubReference } from './hub-source.ts'

/** A data set that can be imported by name. */
export interface CatalogueEntry extends HubReference {
  readonly name: string
  readonly title: string
  /** SPDX identifier, or the name of the owner's terms. */
  readonly licence: string
  /** Where the terms are, if they are more than the licence says and have to be accepted. */
  readonly termsAt: string | null
  /** Used where the user names no split. */
  readonly split: string
  /** Archives by split, with their hashes; used instead of the hub. */
  readonly archives: Readonly<Record<string, ArchiveFile>>
}

/** A .tar.gz of a layout that can be read from disk. */
export interface ArchiveFile {
  readonly url: string
  readonly sizeBytes: number
  readonly sha256: string
  readonly layout: 'librispeech'
}

/**
 * @see https://www.openslr.org/12 and, for the sizes in bytes, read on 2026-11-23,
 *   https://github.com/kaldi-asr/kaldi/blob/0c5da16b950dd3b05846dfc45ddb5ce1f9d5ffb1/egs/librispeech/s5/local/download_and_untar.sh
 */
const openSlr = (name: string, sizeBytes: number, sha256: string): readonly [string, ArchiveFile] => [
  name,
  { url: `https://www.openslr.org/resources/12/${name}.tar.gz`, sizeBytes, sha256, layout: 'librispeech' },
]

const hubOnly = { archives: {}, termsAt: null } as const

/** Every data set with a name, in the order of the help. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    name: 'librispeech',
    title: 'LibriSpeech: audiobooks read in English',
    dataset: 'openslr/librispeech_asr',
    config: 'clean',
    columns: { text: 'text', id: 'id', speaker: 'speaker_id' },
    language: 'en',
    licence: 'CC-BY-4.0',
    termsAt: null,
    split: 'test-clean',
    archives: Object.fromEntries([
      openSlr('dev-clean', 337_926_286, '76f87d090650617fca0cac8f88b9416e0ebf80350acb97b343a85fa903728ab3'),
      openSlr('dev-other', 314_305_928, '12661c48e8c3fe1de2c1caa4c3e135193bfb1811584f11f569dd12645aa84365'),
      openSlr('test-clean', 346_663_984, '39fde525e59672dc6d1551919b1478f724438a95aa55f874b576be21967e6c23'),
      openSlr('test-other', 328_757_843, 'd09c181bba5cf717b3dee7d4d592af11a3ee3a09e08ae025c5506f6ebe961c29'),
      openSlr(
        'train-clean-100',
        6_387_309_499,
        'd4ddd1d5a6ab303066f14971d768ee43278a5f2a0aa43dc716b0e64ecbbbf6e2',
      ),
    ]),
  },
  {
    ...hubOnly,
    name: 'common-voice',
    title: 'Common Voice 17: sentences read by volunteers',
    dataset: 'mozilla-foundation/common_voice_17_0',
    config: 'en',
    columns: { text: 'sentence', id: 'path', speaker: 'client_id', language: 'locale' },
    language: null,
    licence: 'CC0-1.0',
    termsAt: 'https://huggingface.co/datasets/mozilla-foundation/common_voice_17_0',
    split: 'test',
  },
  {
    ...hubOnly,
    name: 'fleurs',
    title: 'FLEURS: sentences read in 102 languages',
    dataset: 'google/fleurs',
    config: 'en_us',
    columns: { text: 'raw_transcription' },
    language: 'en',
    licence: 'CC-BY-4.0',
    split: 'test',
  },
  {
    ...hubOnly,
    name: 'voxpopuli',
    title: 'VoxPopuli: speeches in the European Parliament',
    dataset: 'facebook/voxpopuli',
    config: 'en',
    columns: { text: 'normalized_text', id: 'audio_id', speaker: 'speaker_id' },
    language: 'en',
    licence: 'CC0-1.0',
    split: 'test',
  },
  {
    ...hubOnly,
    name: 'tedlium',
    title: 'TED-LIUM 3: talks',
    dataset: 'LIUM/tedlium',
    config: 'release3',
    columns: { text: 'text', id: 'id', speaker: 'speaker_id' },
    language: 'en',
    licence: 'CC-BY-NC-ND-3.0',
    termsAt: 'https://creativecommons.org/licenses/by-nc-nd/3.0/',
    split: 'test',
  },
  {
    ...hubOnly,
    name: 'ami',
    title: 'AMI: meetings, close microphones',
    dataset: 'edinburghcstr/ami',
    config: 'ihm',
    columns: { text: 'text', id: 'audio_id', speaker: 'speaker_id' },
    language: 'en',
    licence: 'CC-BY-4.0',
    split: 'test',
  },
  {
    ...hubOnly,
    name: 'earnings22',
    title: 'Earnings-22: calls with accents of the whole world',
    dataset: 'distil-whisper/earnings22',
    config: 'chunked',
    columns: { text: 'transcription', id: 'segment_id' },
    language: 'en',
    licence: 'CC-BY-SA-4.0',
    split: 'test',
  },
  {
    ...hubOnly,
    name: 'gigaspeech',
    title: 'GigaSpeech: audiobooks, podcasts, videos',
    dataset: 'speechcolab/gigaspeech',
    config: 'test',
    columns: { text: 'text', id: 'segment_id', speaker: 'speaker' },
    language: 'en',
    licence: 'GigaSpeech Terms of Access',
    termsAt: 'https://huggingface.co/datasets/speechcolab/gigaspeech',
    split: 'test',
  },
  {
    ...hubOnly,
    name: 'spgispeech',
    title: 'SPGISpeech: company earnings calls',
    dataset: 'kensho/spgispeech',
    config: 'test',
    columns: { text: 'transcript', id: 'wav_filename' },
    language: 'en',
    licence: 'Kensho SPGISpeech terms, not commercial',
    termsAt: 'https://huggingface.co/datasets/kensho/spgispeech',
    split: 'test',
  },
]
