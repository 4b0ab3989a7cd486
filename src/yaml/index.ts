/**
 * YAML that a person wrote: its value, or what keeps the text from having one, in words for the person who corrects it.
 *
 *   const { document, faults, lineAt } = parseYaml(text)
 */
export type { ParsedYaml, YamlFault } from './yaml-faults.ts'
export { parseYaml } from './yaml-faults.ts'
