/** What surrounds the bytes of the file of a form, and the type that announces it. */
export interface FormFrame {
  readonly contentType: string
  readonly head: string
  readonly tail: string
}

/**
 * Frames a form whose last part is a file.
 *
 *   head   --boundary  field  --boundary  field  --boundary  headers of the file
 *   …      the bytes of the file
 *   tail   --boundary--
 *
 * @param boundary occurs in no field and nowhere in the file: a random one
 * @see RFC 7578; the file's name is one that needs no escaping
 */
export function formFrame(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  file: { readonly name: string; readonly fileName: string; readonly mimeType: string },
): FormFrame {
  const part = (name: string, more: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  const texts = fields.map(([name, value]) => `${part(name, '')}${value}\r\n`)
  const fileHead = part(file.name, `; filename="${file.fileName}"\r\nContent-Type: ${file.mimeType}`)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: texts.join('') + fileHead,
    tail: `\r\n--${boundary}--\r\n`,
  }
}
