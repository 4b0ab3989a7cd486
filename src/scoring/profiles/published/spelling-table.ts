/**
 * Reads a table of `from>to` lines. A target may hold `>`; a source never does. A line of the form
 * `start(from>to)end,end` is one entry per end, with the same start on both sides.
 */
export function readTable(lines: string): Map<string, string> {
  const table = new Map<string, string>()
  for (const line of lines.trim().split('\n')) {
    const [, start = '', from = '', to = '', ends = ''] = /^(.*?)\((.*?)>(.*)\)(.*)$/.exec(line) ?? []
    if (line.includes('(')) for (const end of ends.split(',')) table.set(start + from + end, start + to + end)
    else table.set(line.slice(0, line.indexOf('>')), line.slice(line.indexOf('>') + 1))
  }
  return table
}
