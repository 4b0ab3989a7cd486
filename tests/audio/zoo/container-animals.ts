import { type Animal, animals, mostFileBytes } from './animal.ts'
import { big, join, patched, repeat, samplesBig } from './bytes.ts'
import {
  aacEntry,
  alacEntry,
  alacFrame,
  box,
  fragmentedMp4,
  mp4,
  pcmEntry,
  silentAacFrame,
} from './mp4-files.ts'
import { silentOpusPacket } from './ogg-files.ts'
import { webm } from './webm-files.ts'

export function mp4s(sound: Int16Array): Animal[] {
  const frames = (count: number): Uint8Array[] => Array<Uint8Array>(count).fill(silentAacFrame)
  const minute = frames(938)
  const alacFrames = Array.from({ length: Math.floor(sound.length / 4_096) }, (_, index) =>
    alacFrame(sound.subarray(index * 4_096, (index + 1) * 4_096)),
  )
  const alac = { samples: alacFrames, entry: alacEntry(4_096), ticks: 4_096 }
  return [
    ...animals(
      { silenceSeconds: 60 },
      {
        'M4A of a minute of silence': () => mp4({ samples: minute }),
        'MP4 in fragments': () => fragmentedMp4([{ samples: frames(469) }, { samples: frames(469) }]),
      },
    ),
    ...animals('nearly the sound', {
      'M4A of ALAC': () => mp4(alac),
    }),
    ...animals('sound', {
      'QuickTime of PCM': () =>
        mp4({
          samples: [samplesBig(sound).swap16()],
          entry: pcmEntry(),
          ticks: 1,
          sizes: box('stsz', big(4, 0, 2, sound.length)),
          runs: box('stsc', big(4, 0, 1, 1, sound.length, 1)),
          times: box('stts', big(4, 0, 1, sound.length, 1)),
        }),
    }),
    ...animals('refused', {
      'QuickTime of PCM, its chunks all in one place': () =>
        mp4({
          samples: [Buffer.alloc(2 ** 21)],
          entry: pcmEntry(),
          runs: box('stsc', big(4, 0, 1, 1, 2 ** 20, 1)),
          times: box('stts', big(4, 0, 1_025), repeat(big(4, 2 ** 32 - 1, 1), 1_024), big(4, 1_024, 1)),
          places: box('stco', big(4, 0, 2 ** 22), repeat(big(4, 500), 2 ** 22)),
        }),
      'M4A of days, its frames all in one place': () =>
        mp4({
          samples: frames(1),
          sizes: box('stsz', big(4, 0, 6, 4_000_000)),
          times: box('stts', big(4, 0, 1, 4_000_000, 1_024)),
          runs: box('stsc', big(4, 0, 1, 1, 1, 1)),
          places: box('stco', big(4, 0, 4_000_000), repeat(big(4, 500), 4_000_000)),
        }),
      'M4A with an index of four thousand million entries': () =>
        mp4({ samples: minute, sizes: box('stsz', big(4, 0, 0, 0xffff_fffe)) }),
      'M4A whose times are a tenth of its frames': () => mp4({ samples: minute, ticks: 102 }),
      'M4A whose times are ten times its frames': () => mp4({ samples: minute, ticks: 10_240 }),
      'M4A whose ticks are half as long': () => mp4({ samples: minute, ticksPerSecond: 32_000 }),
      'M4A whose AAC is of another rate': () => mp4({ samples: minute, entry: aacEntry(3) }),
      'M4A with times for half its frames': () =>
        mp4({ samples: minute, times: box('stts', big(4, 0, 1, 469, 1_024)) }),
      'M4A with a frame behind its end': () =>
        mp4({ samples: minute, places: box('stco', big(4, 0, 1, 2 ** 30)) }),
      'M4A with empty frames': () =>
        mp4({ samples: minute, sizes: box('stsz', big(4, 0, 0, 938), Buffer.alloc(938 * 4)) }),
      'M4A without an index': () => box('ftyp', 'M4A ', big(4, 0)),
      'M4A that is cut': () => mp4({ samples: minute }).subarray(0, 5_000),
      'M4A without a track of sound': () => mp4({ samples: minute, handler: 'vide' }),
      'M4A with four million edits': () =>
        mp4({
          samples: minute,
          edits: box('edts', box('elst', big(4, 0, 4_000_000), Buffer.alloc(48_000_000))),
        }),
      'M4A whose ALAC wants frames of two thousand million samples': () =>
        mp4({ ...alac, entry: alacEntry(2 ** 31 - 1) }),
      'M4A whose ALAC frame says that it has two thousand million samples': () =>
        mp4({ ...alac, samples: [alacFrame(sound.subarray(0, 4_096), 2 ** 31 - 1), ...alacFrames.slice(1)] }),
      'M4A whose ALAC has eight channels': () => mp4({ ...alac, entry: alacEntry(4_096, 8) }),
      'MP4 in fragments, one of which counts four thousand million frames': () =>
        fragmentedMp4([{ samples: frames(469) }, { samples: frames(469), count: 0xffff_fffe }]),
      'MP4 of boxes without end': () => join(box('ftyp', 'M4A ', big(4, 0)), repeat(box('free'), 2_000_000)),
    }),
  ]
}

export function webms(): Animal[] {
  const packets = (count: number): Uint8Array[] => Array<Uint8Array>(count).fill(silentOpusPacket)
  return [
    ...animals(
      { silenceSeconds: 60 },
      {
        'WebM of a minute of silence': () => webm(packets(500)),
      },
    ),
    ...animals('refused', {
      'WebM of a day of silence': () => webm(packets(720_000), { laced: 250 }),
      'WebM with a block whose frames do not fit': () =>
        patched(webm(packets(500), { laced: 250 }), 150, big(1, 0x84)),
      'WebM with an empty frame': () => webm([...packets(10), new Uint8Array()]),
      'WebM that is cut within a block': () => webm(packets(500)).subarray(0, -1),
      'WebM without a track': () => Buffer.from('1a45dfa3804282847765626d18538067ff', 'hex'),
    }),
  ]
}

export function strangers(): Animal[] {
  return [
    ...animals('refused', {
      nothing: () => new Uint8Array(),
      'one byte': () => big(1, 7),
      text: () => Buffer.from('{"error": "not found"}\n'),
      zeros: () => Buffer.alloc(mostFileBytes),
      'a PNG': () => join(Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(1_000, 'x')),
      'a ZIP': () => join('PK\u0003\u0004', Buffer.alloc(1_000, 'x')),
      AMR: () => join('#!AMR\n', Buffer.alloc(1_000, 'x')),
      'a tag and nothing else': () => join('ID3', big(1, 3, 0, 0, 0, 0, 0, 10), Buffer.alloc(10)),
      '48 MiB of the bytes with which frames begin': () => Buffer.alloc(mostFileBytes, 0xff),
    }),
  ]
}
