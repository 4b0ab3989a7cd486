import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { PageDocument, PageUtterance } from './page-document.ts'

/** The program of the page, as the project's build bundles it. */
export interface PageAssets {
  readonly script: string
  readonly style: string
}

export interface HtmlOptions {
  /** Whether the page may talk to the server that it came from, as `asrbench review` does. */
  readonly isServed?: boolean
}

// Small enough to be parsed between two frames.
const rowsInPart = 250

/**
 * A page that needs nothing else: style, program and data in one file, which loads nothing and sends nothing.
 * Its content security policy names the one script and the one style by their hashes; the data are JSON in
 * elements that no browser executes.
 *
 * @param assets from the project's build; neither may hold `</script` or `</style`
 */
export function htmlPage(
  document: PageDocument,
  rows: readonly PageUtterance[],
  assets: PageAssets,
  { isServed = false }: HtmlOptions = {},
): string {
  const parts: string[] = []
  for (let start = 0; start < rows.length; start += rowsInPart) {
    parts.push(dataElement('rows', rows.slice(start, start + rowsInPart)))
  }
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentPolicy(assets, isServed)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeText(document.title)}</title>`,
    `<style>${assets.style}</style>`,
    '</head>',
    '<body>',
    '<main id="page"><noscript>This page draws itself with JavaScript, which is switched off here.</noscript></main>',
    dataElement('document', document),
    `<script>${assets.script}</script>`,
    ...parts,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/**
 * JSON as the text of a `<script>` element that is not executed. Without `<` no element can end or begin in it;
 * U+2028 and U+2029 are escaped for whoever takes the text for JavaScript.
 */
function dataElement(name: string, value: unknown): string {
  const json = JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  return `<script type="application/json" data-part="${name}">${json}</script>`
}

function contentPolicy({ script, style }: PageAssets, isServed: boolean): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    // Beside a page from the disk, recordings are files.
    `media-src 'self' data: blob:${isServed ? '' : ' file:'}`,
    ...(isServed ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  const bytes = sha256(utf8ToBytes(text))
  return `sha256-${btoa(String.fromCharCode(...bytes))}`
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}
