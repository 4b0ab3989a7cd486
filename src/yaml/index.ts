/**
 * What keeps a text from being YAML, in words for the person who corrects it.
 *
 *   yamlFaults(parseDocument(text, { prettyErrors: false }), text)
 */
export type { YamlFault } from './yaml-faults.ts'
export { yamlFaults } from './yaml-faults.ts'
