/** A data set that a tool writes, and what the real program makes of it. */
interface DataSet {
  /** Its folder, which `data-sets.py` writes. */
  readonly name: string
  readonly arguments?: readonly string[]
  /** Seconds of audio of its three utterances; or words of the refusal. */
  readonly becomes: number | RegExp
}

/** What writes them, in versions that were looked at. */
export const dataSetPackages: readonly string[] = [
  ...['lhotse==1.33.0', 'datasets==5.2.0', 'soundfile==0.14.0', 'urllib3==2.8.0'],
  ...['praatio==6.2.2', 'pympi-ling==1.71'],
]

/** NeMo's own package is 3 MB, and what it depends on gigabytes: `data-sets.py` runs what writes manifests alone. */
export const packagesWithoutOthers: readonly string[] = ['nemo_toolkit==3.0.0']

export const saidTexts: readonly string[] = ['one', 'two words', 'and three words']

const below = ['--audio-root', '.']

/** Absolute paths of their audio lie below the working directory. */
export const dataSets: readonly DataSet[] = [
  { name: 'lhotse', arguments: below, becomes: 1.5 },
  { name: 'lhotse-relative', becomes: 1.5 },
  { name: 'lhotse-cuts', arguments: below, becomes: 1.5 },
  { name: 'lhotse-trimmed', arguments: below, becomes: 1.5 },
  { name: 'lhotse-resampled', arguments: below, becomes: 1.5 },
  { name: 'lhotse-speed', arguments: below, becomes: /what Speed makes of it/ },
  { name: 'lhotse-padded', arguments: below, becomes: /is a MixedCut/ },
  { name: 'lhotse-shar', becomes: /is shar, and only files are read/ },
  { name: 'kaldi', arguments: below, becomes: /none is run: ffmpeg/ },
  { name: 'kaldi', arguments: [...below, '--allow-commands'], becomes: 1.5 },
  { name: 'datasets', arguments: [...below, '--text-column', 'what_was_said'], becomes: 6 },
  { name: 'datasets-arrays', becomes: 6 },
  { name: 'datasets-arrow', becomes: /to_parquet/ },
  { name: 'short_textgrid', becomes: 3 },
  { name: 'long_textgrid', becomes: 3 },
  { name: 'utf16_textgrid', becomes: 3 },
  { name: 'elan', becomes: 1.5 },
  { name: 'nemo', arguments: below, becomes: 6 },
  { name: 'nemo-relative', becomes: 6 },
  { name: 'nemo-offsets', arguments: below, becomes: 1.5 },
  { name: 'nemo-created', arguments: below, becomes: 6 },
  { name: 'nemo-unsaid', arguments: below, becomes: /no text/ },
]
