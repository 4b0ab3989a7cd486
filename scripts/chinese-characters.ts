import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

// Writes the table of traditional characters with their simplified ones, from opencc-js: `node scripts/chinese-characters.ts`.

// Its declarations do not resolve in Node's module resolution, so it is loaded without them.
const { Converter } = createRequire(import.meta.url)('opencc-js/t2cn') as {
  Converter(options: { readonly from: 'hk' | 'tw'; readonly to: 'cn' }): (text: string) => string
}
/**
 * Characters of simplified texts that are a traditional form of another one too: 么 of 幺, 乾 of 干 but not in 乾坤. Where it
 * matters, rules of the language decide by the neighbours. 薴 would become 苧, which is a traditional form itself.
 */
const undecided = '么乾著徵薹吒薴'
const converters = (['hk', 'tw'] as const).map((from) => Converter({ from, to: 'cn' }))
const pairs: string[] = []
for (let code = 0x3400; code <= 0x9fff; code += 1) {
  const traditional = String.fromCodePoint(code)
  if (undecided.includes(traditional)) continue
  const simplified = converters.map((convert) => convert(traditional)).find((made) => made !== traditional)
  if (simplified !== undefined && Array.from(simplified).length === 1) pairs.push(traditional + simplified)
}

const path = join(
  import.meta.dirname,
  '../src/scoring/profiles/language-rules/chinese-characters.generated.ts',
)
writeFileSync(
  path,
  `// Written by scripts/chinese-characters.ts from opencc-js (MIT) and its dictionaries of OpenCC (Apache-2.0), see NOTICES.md.

/** Every traditional character with the simplified one after it. */
export const simplifiedCharacters: string =
  '${pairs.join('')}'
`,
)
process.stdout.write(`${pairs.length} characters\n`)
