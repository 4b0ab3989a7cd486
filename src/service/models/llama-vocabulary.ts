/** Moonshine's decoder has this many outputs; the ids past the vocabulary are never spoken. */
const tokenCount = 32_768

const byteToken = /^<0x([0-9A-F]{2})>$/

/**
 * The `tokens` file that sherpa-onnx wants for Moonshine: one line per id, the token's bytes in base64, a tab,
 * the id. Moonshine speaks in Llama's vocabulary of 32,000 SentencePiece pieces. A piece keeps its U+2581 for
 * the space before a word, and `<0xNN>` is that single byte.
 */
export async function llamaVocabularyFile(): Promise<Uint8Array> {
  const { default: tokenizer } = await import('llama-tokenizer-js')
  let lines = ''
  for (let id = 0; id < tokenCount; id += 1) {
    const bytes = tokenBytes(tokenizer.vocabById[id] ?? `<unused${id}>`)
    lines += `${bytes.toString('base64')}\t${id}\n`
  }
  return Buffer.from(lines)
}

function tokenBytes(piece: string): Buffer {
  const byte = byteToken.exec(piece)?.[1]
  return byte === undefined ? Buffer.from(piece) : Buffer.from([Number.parseInt(byte, 16)])
}
