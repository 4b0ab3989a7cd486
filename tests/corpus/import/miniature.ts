import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { create } from 'tar'
import { encodeWav } from '#audio/sound-stream'
import { seededRandom } from '#prelude'
import { flac, flacBlocks } from '../../audio/zoo/flac-files.ts'

/**
 * The same recording in every layout: four utterances of noise, with silence between them. Written from the
 * descriptions of the formats, not by the code that reads them.
 */
const rateHz = 16_000
export const recordingId = 'ES2002a-A'
export const speaker = 'ES2002a'

interface SaidUtterance {
  readonly id: string
  readonly text: string
  readonly startSeconds: number
  readonly endSeconds: number
}

const pauseSeconds = 0.5
const durations = [1.5, 2.25, 3, 1.125]

export const said: readonly SaidUtterance[] = [
  'OKAY RIGHT',
  'WE DESIGN A NEW REMOTE CONTROL',
  "IT'S ORIGINAL TRENDY AND USER FRIENDLY",
  'YES',
].map((text, index) => {
  const before = durations
    .slice(0, index)
    .reduce((sum, seconds) => sum + seconds + pauseSeconds, pauseSeconds)
  return {
    id: `${recordingId}-${String(index).padStart(4, '0')}`,
    text,
    startSeconds: before,
    endSeconds: before + (durations[index] ?? 0),
  }
})

/** Noise of full scale while something is said, so that a wrong scale, a lost bit or a shift by one sample shows. */
export const sound: Int16Array = (() => {
  const random = seededRandom(7)
  const end = (said.at(-1)?.endSeconds ?? 0) + pauseSeconds
  const samples = new Int16Array(Math.round(end * rateHz))
  for (const { startSeconds, endSeconds } of said) {
    for (let at = startSeconds * rateHz; at < endSeconds * rateHz; at += 1)
      samples[at] = random.below(65_536) - 32_768
  }
  return samples
})()

export function soundOf({ startSeconds, endSeconds }: SaidUtterance): Int16Array {
  return sound.slice(startSeconds * rateHz, endSeconds * rateHz)
}

export const wav = (samples: Int16Array): Uint8Array => encodeWav(samples, rateHz)
const flacOf = (samples: Int16Array): Uint8Array => flac(flacBlocks(samples))

/** NIST SPHERE: a header of 1,024 bytes, big-endian samples. */
export function sphere(samples: Int16Array, coding = 'pcm'): Uint8Array {
  const fields = [
    `sample_count -i ${samples.length}`,
    'sample_n_bytes -i 2',
    'channel_count -i 1',
    'sample_byte_format -s2 10',
    `sample_rate -i ${rateHz}`,
    `sample_coding -s${coding.length} ${coding}`,
    'end_head',
  ]
  const header = Buffer.alloc(1024, ' ')
  header.write(`NIST_1A\n   1024\n${fields.join('\n')}\n`, 'latin1')
  return Buffer.concat([header, Buffer.from(new Uint8Array(samples.slice().buffer)).swap16()])
}

type Files = Readonly<Record<string, string | Uint8Array>>

const jsonLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const clock = (seconds: number, point: string): string => {
  const [whole = '', millis = ''] = seconds.toFixed(3).split('.')
  const parts = [Math.floor(Number(whole) / 3600), Math.floor(Number(whole) / 60) % 60, Number(whole) % 60]
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${point}${millis}`
}
const wholeSound = wav(sound)
/** A recording of each utterance. */
const clips = (folder = '', ending = 'wav', coded = wav): Files =>
  Object.fromEntries(said.map((each) => [`${folder}${each.id}.${ending}`, coded(soundOf(each))]))
/** What is said of each utterance, one after the other. */
const lined = (line: (each: SaidUtterance, index: number) => string): string => said.map(line).join('')
const wholeRecording = {
  id: recordingId,
  sources: [{ type: 'file', channels: [0], source: 'rec.wav' }],
  sampling_rate: rateHz,
  num_samples: sound.length,
  duration: sound.length / rateHz,
}

/** Every layout, by the name that it has before a colon. */
export const miniatures: Readonly<Record<string, () => Files>> = {
  librispeech: () => ({
    'test-clean/ES2002a/A/ES2002a-A.trans.txt': lined(({ id, text }) => `${id} ${text}\n`),
    ...clips('test-clean/ES2002a/A/', 'flac', flacOf),
  }),

  'kaldi with segments': () => ({
    'wav.scp': `${recordingId} flac -c -d -s rec.flac |\n`,
    'rec.flac': flacOf(sound),
    segments: lined((each) => `${each.id} ${recordingId} ${each.startSeconds} ${each.endSeconds}\n`),
    text: lined(({ id, text }) => `${id} ${text}\n`),
    utt2spk: lined(({ id }) => `${id} ${speaker}\n`),
    utt2lang: lined(({ id }) => `${id} en\n`),
  }),

  'kaldi without segments': () => ({
    'wav.scp': lined(({ id }) => `${id} wavs/${id}.wav\n`),
    text: lined(({ id, text }) => `${id} ${text}\n`),
    utt2spk: lined(({ id }) => `${id} ${speaker}\n`),
    ...clips('wavs/'),
  }),

  tedlium: () => ({
    'sph/ES2002a-A.sph': sphere(sound),
    'stm/ES2002a-A.stm': lined(
      (each) => `${recordingId} 1 ${speaker} ${each.startSeconds} ${each.endSeconds} ${each.text}\n`,
    ).concat(`${recordingId} 1 inter_segment_gap 9.9 9.95 <o,,unknown> ignore_time_segment_in_scoring\n`),
  }),

  ami: () => {
    const words = said.flatMap(({ text }, index) => text.split(' ').map((word) => ({ word, index })))
    const idOf = (place: number): string => `ES2002a.A.words${place}`
    const element = ({ word }: { readonly word: string }, place: number): string =>
      `<w nite:id="${idOf(place)}" starttime="1" endtime="2">${word.replace("'", '&#39;')}</w>`
    const segment = (each: SaidUtterance, index: number): string => {
      const places = words.flatMap((word, place) => (word.index === index ? [place] : []))
      const range = `ES2002a.A.words.xml#id(${idOf(places[0] ?? 0)})..id(${idOf(places.at(-1) ?? 0)})`
      return (
        `<segment nite:id="ES2002a.sync.${index}" transcriber_start="${each.startSeconds}" ` +
        `transcriber_end="${each.endSeconds}"><nite:child href="${range}"/></segment>`
      )
    }
    const root = (name: string, body: string): string =>
      `<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>\n` +
      `<nite:root nite:id="${name}" xmlns:nite="http://nite.sourceforge.net/">\n${body}\n</nite:root>\n`
    return {
      'words/ES2002a.A.words.xml': root(
        'ES2002a.A.words',
        `${words.map(element).join('\n')}\n<vocalsound nite:id="ES2002a.A.words99" type="laugh"/>`,
      ),
      'segments/ES2002a.A.segments.xml': root(
        'ES2002a.A.segs',
        `${said.map(segment).join('\n')}\n<segment nite:id="ES2002a.sync.9" transcriber_start="9" transcriber_end="9.5">` +
          '<nite:child href="ES2002a.A.words.xml#id(ES2002a.A.words99)"/></segment>',
      ),
      'corpusResources/meetings.xml': root(
        'meetings',
        `<meeting observation="ES2002a"><speaker nxt_agent="A" channel="1" global_name="${speaker}"/></meeting>`,
      ),
      'ES2002a/audio/ES2002a.Headset-1.wav': wholeSound,
    }
  },

  lhotse: () => ({
    'mini_recordings_test.jsonl.gz': gzipSync(jsonLines([wholeRecording])),
    'mini_supervisions_test.jsonl.gz': gzipSync(
      jsonLines(
        said.map(({ id, text, startSeconds, endSeconds }) => ({
          id,
          recording_id: recordingId,
          start: startSeconds,
          duration: endSeconds - startSeconds,
          channel: 0,
          text,
          language: 'English',
          speaker,
        })),
      ),
    ),
    'rec.wav': wholeSound,
  }),

  'lhotse cuts': () => ({
    'cuts_test.jsonl.gz': gzipSync(
      jsonLines(
        said.map(({ id, text, startSeconds, endSeconds }, index) => ({
          id: `cut-${index}`,
          start: startSeconds - 0.25,
          duration: endSeconds - startSeconds + 0.5,
          channel: 0,
          supervisions: [
            {
              id,
              recording_id: recordingId,
              start: 0.25,
              duration: endSeconds - startSeconds,
              channel: 0,
              text,
              speaker,
            },
          ],
          recording: {
            ...wholeRecording,
            channel_ids: [0],
            transforms: [
              { name: 'Resample', kwargs: { source_sampling_rate: 8000, target_sampling_rate: 16000 } },
            ],
          },
          type: 'MonoCut',
        })),
      ),
    ),
    'rec.wav': wholeSound,
  }),

  'nemo with offsets': () => ({
    'test_manifest.json': jsonLines(
      said.map(({ text, startSeconds, endSeconds }) => ({
        audio_filepath: `${recordingId}.wav`,
        offset: startSeconds,
        duration: endSeconds - startSeconds,
        text,
        speaker,
      })),
    ),
    [`${recordingId}.wav`]: wholeSound,
  }),

  'nemo tarred': () => ({
    'tarred_audio_manifest.json': jsonLines(
      said.map((each, index) => ({
        audio_filepath: `clips/${each.id}.wav`,
        duration: each.endSeconds - each.startSeconds,
        text: each.text,
        shard_id: index % 2,
        speaker,
      })),
    ),
  }),

  'folder with txt': () => ({
    ...clips(),
    ...Object.fromEntries(said.map(({ id, text }) => [`${id}.txt`, `${text}\n`])),
  }),

  'folder with srt': () => ({
    [`${recordingId}.wav`]: wholeSound,
    [`${recordingId}.srt`]: said
      .map(
        (each, index) =>
          `${index + 1}\r\n${clock(each.startSeconds, ',')} --> ${clock(each.endSeconds, ',')}\r\n${each.text}\r\n\r\n`,
      )
      .join(''),
  }),

  'folder with vtt': () => ({
    [`${recordingId}.flac`]: flacOf(sound),
    [`${recordingId}.vtt`]: `WEBVTT\n\n${said
      .map(
        (each) =>
          `${clock(each.startSeconds, '.')} --> ${clock(each.endSeconds, '.')}\n<v Anna>${each.text}\n\n`,
      )
      .join('')}`,
  }),

  'tedlium as one stm next to its audio': () => ({
    'Talk.WAV': wholeSound,
    'Talk.STM': lined(
      (each) => `${recordingId} A ${speaker} ${each.startSeconds} ${each.endSeconds} ${each.text}\n`,
    ),
  }),

  'folder with TXT in capitals, as TIMIT has it': () =>
    Object.fromEntries(
      said.flatMap((each) => [
        [`${each.id}.WAV`, sphere(soundOf(each))],
        [`${each.id}.TXT`, `0 ${soundOf(each).length} ${each.text}\n`],
      ]),
    ),

  'folder with labels of Audacity': () => ({
    [`${recordingId}.wav`]: wholeSound,
    [`${recordingId}.txt`]: said
      .map(
        (each) =>
          `${each.startSeconds.toFixed(6)}\t${each.endSeconds.toFixed(6)}\t${each.text}\n\\\t100.0\t200.0\n`,
      )
      .join(''),
  }),

  'folder with tsv of Whisper': () => ({
    [`${recordingId}.wav`]: wholeSound,
    [`${recordingId}.tsv`]: `start\tend\ttext\n${lined((each) => `${each.startSeconds * 1000}\t${each.endSeconds * 1000}\t${each.text}\n`)}`,
  }),

  'folder with short TextGrid': () =>
    Object.fromEntries(
      said.flatMap((each) => {
        const seconds = each.endSeconds - each.startSeconds
        const interval = `0\n${seconds}\n"${each.text}"\n`
        const tier = `"IntervalTier"\n"words"\n0\n${seconds}\n1\n${interval}`
        return [
          [`${each.id}.wav`, wav(soundOf(each))],
          [
            `${each.id}.TextGrid`,
            `File type = "ooTextFile short"\n"TextGrid"\n\n0\n${seconds}\n<exists>\n1\n${tier}`,
          ],
        ]
      }),
    ),

  'eaf of ELAN': () => {
    const slots = said.flatMap((each, index) =>
      [each.startSeconds, each.endSeconds].map(
        (seconds, edge) => `<TIME_SLOT TIME_SLOT_ID="ts${2 * index + edge}" TIME_VALUE="${seconds * 1000}"/>`,
      ),
    )
    const annotations = said.map(
      (each, index) =>
        `<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a${index}" TIME_SLOT_REF1="ts${2 * index}" TIME_SLOT_REF2="ts${2 * index + 1}">` +
        `<ANNOTATION_VALUE>${each.text.replace("'", '&apos;')}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>`,
    )
    const note =
      '<TIER TIER_ID="notes" PARENT_REF="said"><ANNOTATION><REF_ANNOTATION ANNOTATION_ID="n" ANNOTATION_REF="a0">' +
      '<ANNOTATION_VALUE>a note</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>'
    return {
      [`${recordingId}.wav`]: wholeSound,
      [`${recordingId}.eaf`]:
        `<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT FORMAT="3.0"><TIME_ORDER>${slots.join('')}</TIME_ORDER>` +
        `<TIER TIER_ID="said" PARTICIPANT="${speaker}">${annotations.join('')}</TIER>${note}</ANNOTATION_DOCUMENT>`,
    }
  },

  'folder with nlp of Rev': () =>
    Object.fromEntries(
      said.flatMap((each) => [
        [`${each.id}.wav`, wav(soundOf(each))],
        [
          `${each.id}.nlp`,
          `token|speaker|ts|endTs|punctuation|case|tags|wer_tags\n${each.text
            .split(' ')
            .map((word) => `${word}|1|||||[]|[]\n`)
            .join('')}`,
        ],
      ]),
    ),

  'table of SpeechBrain': () => ({
    'test.json': JSON.stringify(
      Object.fromEntries(
        said.map(({ id, text }) => [
          id,
          { wav: `{data_root}/clips/${id}.wav`, length: 1, words: text, spk_id: speaker },
        ]),
      ),
      null,
      2,
    ),
    ...clips('clips/'),
  }),

  'table of Common Voice': () => ({
    'test.tsv': `client_id\tpath\tsentence\n${lined(({ id, text }) => `${speaker}\t${id}.wav\t${text}\n`)}`,
    ...clips('clips/'),
  }),

  'table in CSV': () => ({
    'data.csv': `ID,duration,wav,spk_id,wrd\r\n${lined(({ id, text }) => `${id},1,$data_root/${id}.wav,${speaker},"${text}"\r\n`)}`,
    ...clips(),
  }),

  'table of ljspeech': () => ({
    'metadata.csv': lined(({ id, text }) => `${id}|${text.toLowerCase()} 1|${text}\n`),
    ...clips('wavs/'),
  }),

  'table and lists of fairseq': () => ({
    'test.tsv': `/made/elsewhere\n${lined(({ id }) => `clips/${id}.wav\t16000\n`)}`,
    'test.wrd': lined(({ text }) => `${text}\n`),
    ...clips('clips/'),
  }),

  'folder with json': () => ({
    [`${recordingId}.wav`]: wholeSound,
    [`${recordingId}.txt`]: said.map(({ text }) => text).join(' '),
    [`${recordingId}.json`]: JSON.stringify({
      text: said.map(({ text }) => text).join(' '),
      segments: said.map(({ text, startSeconds, endSeconds }, id) => ({
        id,
        start: startSeconds,
        end: endSeconds,
        text: ` ${text}`,
      })),
    }),
  }),
}

/** Writes one of them into a folder. */
export async function writeMiniature(
  name: string,
  folder: string,
  encoded = (text: string): string | Uint8Array => text,
): Promise<void> {
  for (const [path, content] of Object.entries(miniatures[name]?.() ?? {})) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), typeof content === 'string' ? encoded(content) : content)
  }
  if (name !== 'nemo tarred') return
  const clips = join(folder, 'packed')
  await mkdir(clips)
  for (const [index, each] of said.entries()) {
    await writeFile(join(clips, `clips_${each.id}.wav`), wav(soundOf(each)))
    const inShard = said.filter((_, other) => other % 2 === index % 2 && other <= index)
    await create(
      { file: join(folder, `audio_${index % 2}.tar`), cwd: clips },
      inShard.map(({ id }) => `clips_${id}.wav`),
    )
  }
}
