import { existsSync } from 'node:fs'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

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

/** A page with everything that it did wrong. */
export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors and warnings of the console, exceptions, and breaches of the content security policy. */
  readonly complaints: string[]
  /** Addresses of everything that was asked for, the page itself apart. */
  readonly requests: string[]
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
  const { width = 1200, height = 900, colorScheme = 'light' } = viewport
  const context = await browser.newContext({ viewport: { width, height }, colorScheme })
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
  return { page, context, complaints, requests }
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
