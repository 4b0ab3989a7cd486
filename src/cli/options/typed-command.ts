import process from 'node:process'

/** The command that started this process, as a run keeps it. */
export function typedCommand(): readonly string[] {
  return ['transcribench', ...process.argv.slice(2)]
}
