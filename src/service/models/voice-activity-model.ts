import type { InstallableModel } from './catalogue.ts'

/** Silero VAD 5, a voice activity detector. @see https://github.com/snakers4/silero-vad */
export const voiceActivityModel: InstallableModel = {
  id: 'silero-vad',
  family: 'silero',
  displayName: 'Silero VAD, finds where long recordings can be cut',
  languages: [],
  licence: 'MIT',
  sizeBytes: 2_327_524,
  weights: {
    package: {
      name: '@ricky0123/vad-web',
      version: '0.0.31',
      integrity:
        'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
      sizeBytes: 5_471_324,
    },
    files: [
      {
        name: 'silero_vad.onnx',
        sizeBytes: 2_327_524,
        sha256: '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f',
        origin: { kind: 'packed', path: 'dist/silero_vad_v5.onnx' },
      },
    ],
  },
}
