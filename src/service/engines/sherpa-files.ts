import { failed, type Outcome, succeeded } from '#prelude'

/** How a file is usually named. */
export interface FileName {
  readonly pattern: RegExp
  /** The same for people, with `*` for anything. */
  readonly like: string
}

/** What a model consists of: for each role, its file. */
export type Roles = Readonly<Record<string, FileName>>

/** Files of a model by their role. */
export type RoleFiles = Readonly<Record<string, string>>

/** Why a folder is not the model that it was said to be; for each role, what was looked for and what is there. */
export interface UnclearRole {
  readonly role: string
  readonly like: string
  /** Several that fit; none where it is missing. */
  readonly candidates: readonly string[]
}

/**
 * Finds the files of a model by their usual names. Where a file is there quantised to 8 bits (`.int8.onnx`) and
 * as it was trained, the quantised one is taken.
 *
 * @param names all files of the folder
 * @returns one file for each role, or every role for which there is none or more than one
 */
export function findFiles(
  names: readonly string[],
  roles: Roles,
): Outcome<RoleFiles, readonly UnclearRole[]> {
  const files: Record<string, string> = {}
  const unclear: UnclearRole[] = []
  for (const [role, { pattern, like }] of Object.entries(roles)) {
    const fitting = names.filter((name) => pattern.test(name)).toSorted()
    const quantised = fitting.filter((name) => name.includes('.int8.'))
    const candidates = quantised.length > 0 ? quantised : fitting
    const [file] = candidates
    if (file === undefined || candidates.length > 1) {
      unclear.push({ role, like, candidates })
    } else {
      files[role] = file
    }
  }
  return unclear.length > 0 ? failed(unclear) : succeeded(files)
}

/**
 * Large exports keep their weights next to the graph, in files of its name: `large-v3-encoder.weights` of
 * `large-v3-encoder.onnx`.
 */
export function findCompanions(names: readonly string[], files: RoleFiles): readonly string[] {
  const graphs = Object.values(files).filter((name) => name.endsWith('.onnx'))
  return names.filter((name) =>
    graphs.some((graph) => {
      const stem = graph.slice(0, -'.onnx'.length)
      return [`${stem}.weights`, `${stem}.data`, `${graph}.data`, `${graph}_data`].includes(name)
    }),
  )
}
