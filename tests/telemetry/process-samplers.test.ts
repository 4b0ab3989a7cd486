import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { TelemetryLine } from '#journal/telemetry-line'
import { systemClock } from '#load/clock'
import { findListeningProcesses } from '#telemetry/listening-process'
import { powershellSampler, processSampler, psSampler } from '#telemetry/process-table'
import { type ProcessSampler, readProcess } from '#telemetry/processes'
import { startSampling } from '#telemetry/sampling'
import { startBusyProcess, startParentOfBusy } from './busy-process.ts'
import { printing, programsOnPath } from './programs-on-path.ts'

const isWindows = process.platform === 'win32'

/** The samplers that can read real processes here: ps runs wherever there is one, with times in whole seconds on Linux. */
const samplers: readonly (readonly [name: string, open: () => ProcessSampler])[] = [
  [`this platform, ${process.platform}`, () => processSampler(process.env)],
  ...(isWindows ? [] : [['ps', () => psSampler(process.env, 0.2)] satisfies readonly [string, unknown]]),
]

describe.each(samplers)('the sampler of %s', (name, open) => {
  test.skipIf(isWindows)('shows the processor time of a busy process growing, and its memory', async () => {
    await using busy = await startBusyProcess()
    using sampler = open()
    const before = (await sampler.read([busy.pid])).usages.get(busy.pid)
    expect(before?.processCount).toBe(1)
    expect(before?.residentBytes).toBeGreaterThan(100_000)
    expect(before?.residentBytes).toBeLessThan(100_000_000)
    await expect
      .poll(async () => (await sampler.read([busy.pid])).usages.get(busy.pid)?.cpuSeconds)
      .toBeGreaterThan((before?.cpuSeconds ?? 0) + 0.1)
  })

  test.skipIf(isWindows)('counts a child with its parent', async () => {
    await using parent = await startParentOfBusy()
    using sampler = open()
    const { usages, reason } = await sampler.read([parent.pid])
    const usage = usages.get(parent.pid)
    expect(usage?.processCount).toBe(2)
    expect(reason).toBeNull()
    // ps has no more, and whole seconds.
    if (!name.endsWith('linux')) return
    expect(usage?.threadCount).toBe(2)
    expect(usage?.peakResidentBytes).toBeGreaterThanOrEqual(Number(usage?.residentBytes))
    await expect
      .poll(async () => (await sampler.read([parent.pid])).usages.get(parent.pid)?.cpuSeconds)
      .toBeGreaterThan((usage?.cpuSeconds ?? 0) + 0.1)
  })

  test('agrees with what Node says of its memory and time', async () => {
    using sampler = open()
    const usage = (await sampler.read([process.pid])).usages.get(process.pid)
    const own = process.cpuUsage()
    expect(usage?.residentBytes).toBeGreaterThan(process.memoryUsage.rss() / 2)
    // Whole seconds, in which the children may not be counted yet.
    expect(Math.abs((usage?.cpuSeconds ?? Number.NaN) - (own.user + own.system) / 1e6)).toBeLessThan(1.5)
  })

  test('gives a reason for a process that is not there, and no zero', async () => {
    using sampler = open()
    const { usages, reason } = await sampler.read([2_147_483_646])
    expect(usages.size).toBe(0)
    expect(reason).toContain('process 2147483646 is not there')
  })

  test('reads one process without another that is absent', async () => {
    using sampler = open()
    const { usages, reason } = await sampler.read([process.pid, 2_147_483_646])
    expect([...usages.keys()]).toEqual([process.pid])
    expect(reason).toContain('2147483646')
  })
})

test.skipIf(process.platform !== 'linux')('the time of a child that ended unawaited is kept', async () => {
  const busy = 'i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done'
  // What takes the place of the shell does not know of its child.
  const parent = spawn('/bin/sh', ['-c', `(${busy}) & exec sleep 300`], { stdio: 'ignore' })
  const usage = () => readProcess(parent.pid ?? Number.NaN)
  try {
    await expect.poll(() => usage()?.processCount).toBe(2)
    await expect.poll(() => usage()?.processCount).toBe(1)
    expect(usage()?.cpuSeconds).toBeGreaterThan(0.05)
    expect(usage()?.threadCount).toBe(1)
  } finally {
    parent.kill('SIGKILL')
  }
})

test.skipIf(isWindows)('the shell that runs ps reports its own processor time, which grows', async () => {
  using sampler = psSampler(process.env, 0.01)
  const first = (await sampler.read([process.pid])).toolCpuSeconds
  expect(first).not.toBeNull()
  await expect
    .poll(async () => (await sampler.read([process.pid])).toolCpuSeconds)
    .toBeGreaterThan(first ?? 0)
})

test.skipIf(isWindows)('the program behind a sampler ends when the sampler is disposed of', async () => {
  await using programs = await programsOnPath({
    'powershell.exe': `echo "$$" > "$0.pid"\n${printing(windowsLines)}`,
  })
  const sampler = powershellSampler(programs.env)
  expect((await sampler.read([4321])).usages.size).toBe(1)
  const pid = Number(await readFile(join(programs.folder, 'powershell.exe.pid'), 'utf8'))
  expect(process.kill(pid, 0)).toBe(true)
  sampler[Symbol.dispose]()
  await expect.poll(() => isRunning(pid)).toBe(false)
})

test.skipIf(isWindows)(
  'the program behind a sampler ends when nothing reads its lines any more',
  async () => {
    const samplers = join(import.meta.dirname, '../../src/telemetry/process-table.ts')
    const program = `const { psSampler } = await import(${JSON.stringify(samplers)})
    const sampler = psSampler(process.env, 0.05)
    await sampler.read([process.pid])
    console.log('reading')
    setInterval(() => sampler.read([process.pid]), 50)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const pid = child.pid ?? Number.NaN
    await once(child.stdout, 'data')
    const shells = async (parent: number): Promise<readonly string[]> =>
      (await promisify(execFile)('ps', ['-A', '-o', 'ppid=', '-o', 'pid=', '-o', 'args='])).stdout
        .split('\n')
        .filter((line) => line.trim().startsWith(`${parent} `))
    const [shell = ''] = await shells(pid)
    expect(shell).toContain('while :')
    const shellPid = Number(shell.trim().split(/\s+/)[1])
    child.kill('SIGKILL')
    await expect.poll(() => isRunning(shellPid)).toBe(false)
  },
)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * As ps of macOS prints `-o pid= -o ppid= -o rss= -o time=`: columns to the right, minutes that go past 60, hundredths.
 * https://keith.github.io/xcode-man-pages/ps.1.html and the `0:00.74` of https://github.com/neekey/ps/issues/76
 */
const macLines = [
  '    1     0  16896 118:44.02',
  '  472     1 244160  14:03.57',
  ' 4321   472 612352  65:10.25',
  ' 4399  4321  98304   0:07.50',
  ' 4400  4399   2048   0:00.01',
  ' 5000     1    640   0:00.00',
  '0m0.021s 0m0.032s',
  '0m1.250s 0m0.697s',
  '.',
]

/** As the script of this program has PowerShell print properties of Win32_Process. */
const windowsLines = [
  '0 0 8192 12 4512000000000 0 8 0 System Idle Process',
  '4321 900 612352000 640000 12500000 52500000 31 638000000100000000 node.exe',
  '4399 4321 98304000 100000 5000000 10000000 4 638000000200000000 node.exe',
  '4400 4321 1024000 2000 90000000 90000000 1 637000000000000000 older than its parent.exe',
  '600 500 30000000 31000 20000000 10000000 9 637000000000000000 WmiPrvSE.exe',
  '.',
]

describe.skipIf(isWindows)('recorded lists of processes', () => {
  test('of ps on macOS are read with minutes beyond an hour, and the time of the tool', async () => {
    await using programs = await programsOnPath({
      'fake-ps': `cat <<'L'\n${macLines.slice(0, 6).join('\n')}\nL`,
    })
    using sampler = psSampler(programs.env, 0.05, `${programs.folder}/fake-ps`)
    const { usages, toolCpuSeconds } = await sampler.read([4321])
    expect(usages.get(4321)).toEqual({
      cpuSeconds: 65 * 60 + 10.25 + 7.5 + 0.01,
      residentBytes: (612_352 + 98_304 + 2048) * 1024,
      peakResidentBytes: null,
      threadCount: null,
      processCount: 3,
    })
    expect(toolCpuSeconds).toBeGreaterThanOrEqual(0)
  })

  test('of ps on Linux are read with the days of a long time', async () => {
    await using programs = await programsOnPath({ 'fake-ps': "echo '  4321     1 1024 2-03:04:05'" })
    using sampler = psSampler(programs.env, 0.05, `${programs.folder}/fake-ps`)
    const { usages } = await sampler.read([4321])
    expect(usages.get(4321)?.cpuSeconds).toBe(((2 * 24 + 3) * 60 + 4) * 60 + 5)
  })

  test('of Windows are read in units of 100 ns, without a process that is older than its parent', async () => {
    await using programs = await programsOnPath({ 'powershell.exe': printing(windowsLines) })
    using sampler = powershellSampler(programs.env)
    const { usages, toolCpuSeconds } = await sampler.read([4321])
    expect(usages.get(4321)).toEqual({
      cpuSeconds: 6.5 + 1.5,
      residentBytes: 612_352_000 + 98_304_000,
      peakResidentBytes: 740_000 * 1024,
      threadCount: 35,
      processCount: 2,
    })
    // WMI's process works for the query.
    expect(toolCpuSeconds).toBe(3)
  })

  test('keep the time of a child that has ended', async () => {
    const without = windowsLines.filter((line) => !line.startsWith('4399'))
    await using programs = await programsOnPath({
      'powershell.exe': `cat <<'L'\n${windowsLines.join('\n')}\nL\nsleep 0.2\n${printing(without)}`,
    })
    using sampler = powershellSampler(programs.env)
    expect((await sampler.read([4321])).usages.get(4321)?.cpuSeconds).toBe(8)
    const { usages } = await sampler.read([4321])
    expect(usages.get(4321)).toMatchObject({ cpuSeconds: 8, processCount: 1 })
  })

  test('are read past lines that are none', async () => {
    const garbled = ['Warnung: etwas', '', '12 34', ...windowsLines.slice(0, -1), '12,5 abc', '.']
    await using programs = await programsOnPath({ 'powershell.exe': printing(garbled) })
    using sampler = powershellSampler(programs.env)
    expect((await sampler.read([4321])).usages.get(4321)?.processCount).toBe(2)
  })

  test('without one line that can be read give a reason with the first words', async () => {
    await using programs = await programsOnPath({ 'powershell.exe': printing(['Zugriff verweigert', '.']) })
    using sampler = powershellSampler(programs.env)
    expect((await sampler.read([4321])).reason).toBe(
      'PowerShell printed no list of processes: Zugriff verweigert',
    )
  })

  test('of a program that ends in the middle of a run end with its last words', async () => {
    await using programs = await programsOnPath({
      'powershell.exe': `cat <<'L'\n${windowsLines.join('\n')}\nL\nsleep 0.2\necho 'out of memory' >&2\nexit 7`,
    })
    using sampler = powershellSampler(programs.env)
    expect((await sampler.read([4321])).usages.size).toBe(1)
    const dead = { reason: 'powershell.exe ended (exit code 7): out of memory', toolCpuSeconds: null }
    expect(await sampler.read([4321])).toMatchObject(dead)
    expect(await sampler.read([4321])).toMatchObject(dead)
  })

  test('of a program that is not installed are absent with a reason', async () => {
    using sampler = powershellSampler({ PATH: '/nowhere' })
    const { usages, reason } = await sampler.read([4321])
    expect(usages.size).toBe(0)
    expect(reason).toBe('powershell.exe is not installed')
  })
})

test.skipIf(isWindows)(
  'samples follow the program, count its processor time apart, and say once why the server is absent after its death',
  async () => {
    await using programs = await programsOnPath({
      'powershell.exe': `for i in 1 2 3; do cat <<'L'\n${windowsLines.join('\n')}\nL\nsleep 0.1; done`,
    })
    const lines: TelemetryLine[] = []
    using processes = powershellSampler(programs.env)
    {
      await using _sampling = startSampling({
        servers: [{ id: null, pids: [4321], reason: null }],
        clock: systemClock,
        everyMs: 20,
        env: { PATH: '/nowhere' },
        processes,
        onSample: (line) => void lines.push(line),
      })
      await expect.poll(() => lines.at(-1)?.serverCpuSeconds).toBe(null)
    }
    const seen = lines.filter(({ serverCpuSeconds }) => serverCpuSeconds !== null)
    expect(seen.length).toBeGreaterThanOrEqual(1)
    expect(seen[0]).toMatchObject({ serverCpuSeconds: 8, samplerCpuSeconds: 3, unread: { server: null } })
    const explained = lines.filter(({ unread }) => unread?.server != null)
    expect(explained).toHaveLength(1)
    expect(explained[0]?.unread?.server).toBe('powershell.exe ended (exit code 0)')
  },
)

/** A server on a free port, in a process of its own, whose child holds the socket too. */
async function startListener(
  host: string,
): Promise<AsyncDisposable & { readonly pid: number; readonly port: number }> {
  const program = `const server = require('node:net').createServer().listen(0, ${JSON.stringify(host)}, () => {
      require('node:child_process').spawn('cat', { stdio: ['pipe', 'ignore', 'ignore', server._handle.fd] })
      console.log(server.address().port)
    })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    pid: child.pid ?? Number.NaN,
    port: Number(String(line)),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

describe.skipIf(process.platform !== 'linux')('the process behind a port of this machine', () => {
  test.each([
    ['127.0.0.1', ['127.0.0.1', 'localhost']],
    ['::1', ['[::1]', 'localhost']],
    ['0.0.0.0', ['127.0.0.1', 'localhost']],
    ['::', ['127.0.0.1', '[::1]', 'localhost']],
  ])('is found where it listens on %s, without its children', async (host, names) => {
    await using server = await startListener(host)
    for (const hostname of names) {
      const place = { hostname, port: server.port }
      expect(await findListeningProcesses(place, { env: process.env })).toEqual({
        pids: [server.pid],
        reason: null,
      })
    }
  })

  test('is not taken from another address with the same port', async () => {
    await using server = await startListener('127.0.0.1')
    const found = await findListeningProcesses({ hostname: '[::1]', port: server.port }, { env: process.env })
    expect(found.pids).toEqual([])
    expect(found.reason).toContain('this user can see')
  })

  test('is none where it is the measuring process', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const found = await findListeningProcesses({ hostname: '127.0.0.1', port }, { env: process.env })
    expect(found).toEqual({ pids: [], reason: expect.stringContaining('by the measuring process itself') })
    server.close()
  })
})

/** As `lsof -F pRctn` prints a server with a worker that holds its socket, https://lsof.readthedocs.io, section 5. */
const lsofLines = [
  'p4321',
  'R1',
  'cpython3.12',
  'f3',
  'tIPv4',
  'n127.0.0.1:8000',
  'p4399',
  'R4321',
  'cpython3.12',
]
const lsofWorker = ['f3', 'tIPv4', 'n127.0.0.1:8000', 'p77', 'R1', 'cother', 'f9', 'tIPv6', 'n[::1]:8000']

describe.skipIf(isWindows)('who listens, as it is said by', () => {
  const at = async (
    hostname: string,
    platform: NodeJS.Platform,
    script: string,
  ): Promise<Awaited<ReturnType<typeof findListeningProcesses>>> => {
    await using programs = await programsOnPath({ lsof: script, 'powershell.exe': script })
    return await findListeningProcesses({ hostname, port: 8000 }, { env: programs.env, platform })
  }
  const says = (lines: readonly string[]): string => `cat <<'L'\n${lines.join('\n')}\nL`

  test('lsof of macOS: the parent of a worker, at the address that was asked for', async () => {
    const both = says([...lsofLines, ...lsofWorker])
    expect(await at('127.0.0.1', 'darwin', both)).toEqual({ pids: [4321], reason: null })
    expect(await at('[::1]', 'darwin', both)).toEqual({ pids: [77], reason: null })
    const wildcard = says(['p500', 'R1', 'cuvicorn', 'f7', 'tIPv6', 'n*:8000'])
    expect(await at('127.0.0.1', 'darwin', wildcard)).toEqual({ pids: [500], reason: null })
  })

  test('lsof without a result, or not installed', async () => {
    expect((await at('127.0.0.1', 'darwin', 'exit 1')).reason).toContain('this user can see')
    const place = { hostname: '127.0.0.1', port: 8000 }
    const found = await findListeningProcesses(place, { env: { PATH: '/nowhere' }, platform: 'darwin' })
    expect(found).toEqual({ pids: [], reason: 'lsof is not installed' })
  })

  test('Get-NetTCPConnection of Windows', async () => {
    const lines = ['4321 900 127.0.0.1 python.exe', '55 4 ::1 other server.exe']
    expect(await at('127.0.0.1', 'win32', says(lines))).toEqual({ pids: [4321], reason: null })
    expect(await at('localhost', 'win32', says(lines))).toEqual({ pids: [4321, 55], reason: null })
  })

  test.each(['ssh', 'docker-proxy', 'com.docker.backend'])(
    '%s, which only passes requests on',
    async (name) => {
      const found = await at('127.0.0.1', 'darwin', says(['p9', 'R1', `c${name}`, 'f3', 'tIPv4', 'n*:8000']))
      expect(found).toEqual({ pids: [], reason: `port 8000 is held by ${name}, which passes requests on` })
    },
  )
})
