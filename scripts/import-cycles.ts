import { dirname } from 'node:path'

/**
 * Groups of files that import each other, directly or through others: the strongly connected components of more than
 * one file, and files that import themselves. Each group is sorted by path.
 *
 * @see Tarjan 1972, Depth-first search and linear graph algorithms, doi:10.1137/0201010
 */
export function importCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []

  /** @returns the lowest order of a file on the stack that this one reaches */
  function visit(file: string): number {
    const own = order.size
    order.set(file, own)
    stack.push(file)
    const targets = graph.get(file) ?? []
    let lowest = own
    for (const target of targets) {
      if (!order.has(target)) lowest = Math.min(lowest, visit(target))
      else if (stack.includes(target)) lowest = Math.min(lowest, order.get(target) ?? own)
    }
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(file))
      if (group.length > 1 || targets.includes(file)) cycles.push(group.sort())
    }
    return lowest
  }

  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return cycles
}

/** How many files are on the longest way of imports; without cycles. */
export function longestChain(graph: ReadonlyMap<string, readonly string[]>): number {
  const lengths = new Map<string, number>()
  const lengthFrom = (path: string): number => {
    const known = lengths.get(path)
    if (known !== undefined) return known
    // A cycle, which is reported elsewhere, ends here.
    lengths.set(path, 0)
    const length = 1 + Math.max(0, ...(graph.get(path) ?? []).map(lengthFrom))
    lengths.set(path, length)
    return length
  }
  return Math.max(0, ...[...graph.keys()].map(lengthFrom))
}

/**
 * Which folders of the same module import files of each other. A folder and one inside of it may import each other: what is in
 * the outer one is shared, or puts the inner ones together.
 */
export function folderGraph(
  graph: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, Set<string>>()
  for (const [path, targets] of graph) {
    const folder = dirname(path)
    const found = folders.get(folder) ?? new Set()
    folders.set(folder, found)
    for (const other of targets.map((target) => dirname(target))) {
      const isNested = `${other}/`.startsWith(`${folder}/`) || `${folder}/`.startsWith(`${other}/`)
      if (!isNested && other.split('/')[0] === folder.split('/')[0]) found.add(other)
    }
  }
  return new Map([...folders].map(([folder, found]) => [folder, [...found]]))
}
