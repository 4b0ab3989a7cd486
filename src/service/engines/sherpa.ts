import { readdir } from 'node:fs/promises'
import { failed } from '#prelude'
import type { Engine } from './engine.ts'
import { startRecogniser } from './recogniser-process.ts'
import type { SherpaFamily } from './sherpa-families.ts'
import { findFiles } from './sherpa-files.ts'

/** A family through sherpa-onnx. Each loaded model is a process: native code may end the one that it is in. */
export function sherpaEngine(family: SherpaFamily): Engine {
  return {
    describe: () => ({
      family: family.family,
      timestamps: family.hasWordTimes ? ['word'] : [],
      maxConcurrency: null,
      maxClipSeconds: family.maxClipSeconds,
    }),

    async load({ folder, threads, atOnce, signal }) {
      const names = await readdir(folder).catch(() => [])
      const files = findFiles(names, family.roles)
      if (!files.ok) {
        const missing = files.failure.map(({ role }) => role).join(', ')
        return failed({ code: 'ENGINE_UNAVAILABLE', message: `The model has no clear file for: ${missing}.` })
      }
      return startRecogniser({
        model: { family: family.family, folder, files: files.value, threads },
        atOnce,
        signal,
      })
    },
  }
}
