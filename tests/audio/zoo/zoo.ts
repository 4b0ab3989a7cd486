import type { Animal } from './animal.ts'
import { mp4s, strangers, webms } from './container-animals.ts'
import { otherPcm, riffs } from './pcm-animals.ts'
import { flacs, mpegs, oggs } from './stream-animals.ts'

/**
 * Files that are wrong, or right in ways that few programs expect. Small ones ask for a lot of memory or say that they
 * are days; others promise another length than they have.
 *
 * @param sound mono, 16 kHz, at least three seconds: what is to be heard where the file is right
 * @param vorbis a sound Ogg Vorbis file
 */
export function zoo(sound: Int16Array, vorbis: Uint8Array): readonly Animal[] {
  return [
    ...riffs(sound),
    ...otherPcm(sound),
    ...flacs(sound),
    ...oggs(sound, vorbis),
    ...mpegs(),
    ...mp4s(sound),
    ...webms(),
    ...strangers(),
  ]
}
