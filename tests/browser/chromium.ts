import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts'

/** Where systems keep a Chromium or a Chrome; first the one without windows, which needs a quarter of the processor time. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** Starts the Chromium of this machine; none is ever downloaded. */
export async function startChromium(): Promise<Browser> {
  const named = process.env['CHROME_PATH']
  const executablePath = named ?? places.find((place) => existsSync(place))
  if (executablePath === undefined) {
    throw new Error(
      'the pages are tested in a Chromium or a Chrome, and none was found: install one (on Debian and Ubuntu: ' +
        'apt-get install chromium-headless-shell, or chromium) or name its program in CHROME_PATH',
    )
  }
  // As root, in a container, the sandbox cannot be set up; the pages are our own.
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

/** A page with everything that it did wrong. It is closed with the scope that holds it. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors and warnings of the console, exceptions, and breaches of the content security policy. */
  readonly complaints: string[]
  /** Addresses of everything that was asked for, the page itself apart. */
  readonly requests: string[]
  /** Looks at it in another window, without loading it again. */
  look(viewport: Viewport): Promise<void>
}

export interface Viewport {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
}

/** Only what never comes is waited for so long: a busy machine is slow. */
const maxWaitMs = 120_000

/** Opens a page and waits until its utterances are listed. */
export async function openPage(
  browser: Browser,
  address: string,
  viewport: Viewport = {},
): Promise<WatchedPage> {
  const { size, colorScheme } = windowOf(viewport)
  const context = await browser.newContext({ viewport: size, colorScheme })
  context.setDefaultTimeout(maxWaitMs)
  const page = await context.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', async (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  page.on('request', (request) => {
    if (request.url() !== address.split('#')[0]) requests.push(request.url())
  })
  await page.goto(address)
  await page.locator('[data-ready="true"]').waitFor()
  return {
    page,
    context,
    complaints,
    requests,
    async look(other) {
      const shown = windowOf(other)
      await page.setViewportSize(shown.size)
      await page.emulateMedia({ colorScheme: shown.colorScheme })
      await page.evaluate(framesDrawn)
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Charts are drawn again in the frame after the one in which their new width is reported. */
function framesDrawn(): Promise<void> {
  return new Promise((resolve) => {
    const wait = (count: number): void => {
      if (count === 0) resolve()
      else requestAnimationFrame(() => setTimeout(() => wait(count - 1)))
    }
    wait(4)
  })
}

function windowOf({ width = 1200, height = 900, colorScheme = 'light' }: Viewport) {
  return { size: { width, height }, colorScheme }
}

/** A browser for the tests of one file, and the folder of its pages. */
export interface Pages {
  folder(): string
  /** Opens an address, or the text of a page. */
  open(page: string, viewport?: Viewport): Promise<WatchedPage>
}

export function pagesOfFile(): Pages {
  let browser: Browser
  let home: TemporaryFolder
  let pageCount = 0
  beforeAll(async () => {
    home = await temporaryFolder()
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await home?.[Symbol.asyncDispose]()
  })
  return {
    folder: () => home.path,
    async open(page, viewport) {
      if (page.startsWith('http:')) return await openPage(browser, page, viewport)
      pageCount += 1
      const path = join(home.path, `page-${pageCount}.html`)
      await writeFile(path, page)
      return await openPage(browser, pathToFileURL(path).href, viewport)
    },
  }
}

/** By how many pixels a page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** What axe-core finds to be serious or worse, in words. */
export async function barriers({ page }: WatchedPage): Promise<string[]> {
  // The page's own policy keeps foreign scripts out, and this one comes through the debugger.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

/** Pairs of texts of which one covers or touches the other: words of the menu, and labels of one chart. */
export async function overprints(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const groups = [
      [...document.querySelectorAll('.contents a')],
      ...[...document.querySelectorAll('svg')].map((chart) => [...chart.querySelectorAll('text')]),
    ]
    return groups.flatMap((group) =>
      group.flatMap((first, index) =>
        group.slice(index + 1).flatMap((second) => {
          const [a, b] = [first, second].map((element) => {
            const letters = document.createRange()
            letters.selectNodeContents(element)
            return letters.getBoundingClientRect()
          }) as [DOMRect, DOMRect]
          const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
          const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
          return across > -3 && down > 3 ? [`${first.textContent} | ${second.textContent}`] : []
        }),
      ),
    )
  })
}

/** Names in charts that are printed over a dot. */
export async function coveredDots(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() =>
    [...document.querySelectorAll('svg:has(.point-name)')].flatMap((chart) =>
      [...chart.querySelectorAll('.point-name')].flatMap((name) => {
        const a = name.getBoundingClientRect()
        return [...chart.querySelectorAll('circle')].flatMap((dot) => {
          const b = dot.getBoundingClientRect()
          const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
          // A line of text is taller than its letters.
          const down = Math.min(a.bottom - 4, b.bottom) - Math.max(a.top + 4, b.top)
          return across > 0 && down > 0 ? [name.textContent] : []
        })
      }),
    ),
  )
}
