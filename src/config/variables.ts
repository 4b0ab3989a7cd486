import type { Fault } from './faults.ts'

type Environment = Readonly<Record<string, string | undefined>>

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Puts environment variables into the texts of a config: `${NAME}`, and `${NAME:-text}` with a default. `$${` is a `${` that
 * is meant as it is. A text that is one variable only may become a number or a truth value, as in the file itself.
 */
export function withVariables(
  value: unknown,
  env: Environment,
): { readonly value: unknown; readonly faults: readonly Fault[] } {
  const faults: Fault[] = []
  const replaced = (found: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof found === 'string') return textOf(found, path)
    if (Array.isArray(found)) return found.map((each, index) => replaced(each, [...path, index]))
    if (typeof found !== 'object' || found === null) return found
    return Object.fromEntries(
      Object.entries(found).map(([key, each]) => [key, replaced(each, [...path, key])]),
    )
  }
  const textOf = (text: string, path: readonly PropertyKey[]): unknown => {
    if (!text.includes('${')) return text
    const filled = text
      .split('$${')
      .map((part) =>
        part.replaceAll(variable, (_, name: string, standard: string | undefined) => {
          const held = env[name] ?? ''
          if (held === '' && standard === undefined) faults.push(notSet(name, path))
          return held === '' ? (standard ?? '') : held
        }),
      )
      .join('${')
    return new RegExp(`^${variable.source}$`).test(text) ? scalarOf(filled) : filled
  }
  return { value: replaced(value, []), faults }
}

function scalarOf(text: string): unknown {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}

function notSet(name: string, path: readonly PropertyKey[]): Fault {
  return {
    path,
    key: null,
    what: `the environment variable ${name} is not set`,
    advice: `set it, or give it a default: \${${name}:-text}`,
  }
}
