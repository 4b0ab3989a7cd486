import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { escapeHtml } from '#prelude'
import type { PageUtterance } from './layout/page-document.ts'
import type { PageDocument } from './page.ts'

export interface PageAssets {
  readonly script: string
  readonly style: string
}

// A part with this many rows is parsed between two frames.
const rowsInPart = 250

/**
 * A page that needs nothing else: style, program and data in one file, which loads nothing and sends nothing.
 * Its content security policy names the one script and the one style by their hashes; the data are JSON in
 * elements that no browser executes.
 *
 * @param assets from the project's build; neither may hold `</script` or `</style`
 * @param rows the utterances of a run; other documents have none
 */
export function htmlPage(
  document: PageDocument,
  assets: PageAssets,
  rows: readonly PageUtterance[] = [],
): string {
  const parts: string[] = []
  for (let start = 0; start < rows.length; start += rowsInPart) {
    parts.push(dataElement('rows', rows.slice(start, start + rowsInPart)))
  }
  return writeHtml(
    assets,
    contentPolicy(assets, ' file:', []),
    document.title,
    dataElement('document', document),
    parts,
  )
}

/** The page without any data: it requests them from the server that it came from, and from no other. */
export function servedHtml(assets: PageAssets): string {
  return writeHtml(assets, contentPolicy(assets, '', ["connect-src 'self'"]), 'transcribench', '', [])
}

function writeHtml(
  assets: PageAssets,
  policy: string,
  title: string,
  document: string,
  parts: readonly string[],
): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${assets.style}</style>`,
    '</head>',
    '<body>',
    '<main id="page"><noscript>This page draws itself with JavaScript, which is switched off here.</noscript></main>',
    document,
    `<script>${assets.script}</script>`,
    ...parts,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/**
 * JSON as the text of a `<script>` element that is not executed. Without `<` no element can end or begin in it;
 * U+2028 and U+2029 are escaped for parsers that read the text as JavaScript.
 */
function dataElement(name: string, value: unknown): string {
  const json = JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  return `<script type="application/json" data-part="${name}">${json}</script>`
}

/** @param moreMedia further sources of recordings: next to a page on the disk, they are files */
function contentPolicy({ script, style }: PageAssets, moreMedia: string, more: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src '${hashText(script)}'`,
    `style-src '${hashText(style)}'`,
    'img-src data:',
    `media-src 'self' data: blob:${moreMedia}`,
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

function hashText(text: string): string {
  const bytes = sha256(utf8ToBytes(text))
  return `sha256-${btoa(String.fromCharCode(...bytes))}`
}
