import { execFile } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { endianness } from 'node:os'
import { promisify } from 'node:util'
import { ownValue } from '#prelude'
import { namesIn, readSystemFile } from './system-files.ts'

interface ListenOptions {
  /** Environment whose PATH has lsof and PowerShell. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
}

interface Listener {
  readonly pid: number
  readonly parentPid: number | null
  readonly name: string
  /** Kind of the address it listens on; null for an address that is neither loopback nor all. */
  readonly kind: InterfaceKind | null
}

/** The loopback address or all addresses, of IPv4 or IPv6. */
type InterfaceKind = 'v4' | 'v6' | 'any4' | 'any6'

/** Programs that only forward connections: their use of resources is not the server's. */
const forwarders =
  /^(sshd?|docker-proxy|com\.docke|rootlessport|slirp4netns|pasta|gvproxy|vpnkit|wslrelay|limactl|kubectl|socat|svchost|system$|nginx|caddy|traefik|haproxy|envoy)/i

/**
 * Finds the processes that listen on a port of this machine. Call it before a measurement, because systems other
 * than Linux start a program for it.
 *
 * @param hostname a loopback address, IPv6 in brackets; `localhost` may be either
 * @returns the processes that hold the socket, without those that another of them started; or the reason why there
 *   are none
 * @see proc_pid_net(5), proc_pid_fd(5); lsof(8), "OUTPUT FOR OTHER PROGRAMS";
 *   https://learn.microsoft.com/powershell/module/nettcpip/get-nettcpconnection
 */
export async function findListeningProcesses(
  { hostname, port }: { readonly hostname: string; readonly port: number },
  { env, platform = process.platform }: ListenOptions,
): Promise<{ readonly pids: readonly number[]; readonly reason: string | null }> {
  const all = await findListeners(platform, port, env).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? `${error.path ?? 'a program'} is not installed` : error.message,
  )
  if (typeof all === 'string') return { pids: [], reason: all.trim().split('\n')[0] ?? all }
  const listeners = nearest(all, hostname)
  const pids = new Set(listeners.map(({ pid }) => pid))
  const roots = listeners.filter(({ parentPid }) => parentPid === null || !pids.has(parentPid))
  const passing = roots.find(({ name }) => forwarders.test(name))
  if (passing !== undefined) {
    return { pids: [], reason: `port ${port} is held by ${passing.name}, which passes requests on` }
  }
  // A process that started the measuring process also works for it, so its time is not the server's alone.
  if (pids.has(process.pid) || pids.has(process.ppid)) {
    return { pids: [], reason: 'it is served by the measuring process itself, or by the one that started it' }
  }
  if (roots.length > 0) return { pids: [...new Set(roots.map(({ pid }) => pid))], reason: null }
  return { pids: [], reason: `no process that this user can see listens on port ${port}` }
}

async function findListeners(
  platform: NodeJS.Platform,
  port: number,
  env: ListenOptions['env'],
): Promise<readonly Listener[]> {
  if (platform === 'linux') return linuxListeners(port)
  return platform === 'win32' ? windowsListeners(port, env) : lsofListeners(port, env)
}

/** The system prefers a socket of the exact address to one of all addresses. An IPv6 socket accepts IPv4 too. */
function nearest(listeners: readonly Listener[], hostname: string): readonly Listener[] {
  const orders: Readonly<Record<string, readonly (readonly InterfaceKind[])[]>> = {
    '[::1]': [['v6'], ['any6']],
    localhost: [
      ['v4', 'v6'],
      ['any4', 'any6'],
    ],
  }
  const order = ownValue(orders, hostname) ?? [['v4'], ['any4'], ['any6']]
  const found = order.map((kinds) => listeners.filter(({ kind }) => kind !== null && kinds.includes(kind)))
  return found.find((own) => own.length > 0) ?? []
}

const listening = '0A'

/** Reads `/proc` synchronously, like all readings of it here. */
function linuxListeners(port: number): readonly Listener[] {
  const sockets = new Map<string, InterfaceKind | null>(
    ['tcp', 'tcp6'].flatMap((table) => {
      const rows = (readSystemFile(`/proc/net/${table}`) ?? '').split('\n').slice(1)
      return rows.flatMap((row) => {
        const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/)
        const [address = '', portHex = ''] = local.split(':')
        if (state !== listening || inode === undefined || Number.parseInt(portHex, 16) !== port) return []
        return [[`socket:[${inode}]`, kindOfHex(address)] as const]
      })
    }),
  )
  if (sockets.size === 0) return []
  return namesIn('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    const links = namesIn(`/proc/${pid}/fd`).map((fd) => readLink(`/proc/${pid}/fd/${fd}`))
    const kinds = [...new Set(links.flatMap((link) => sockets.get(link) ?? []))]
    if (kinds.length === 0) return []
    const stat = readSystemFile(`/proc/${pid}/stat`) ?? ''
    const parentPid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    return kinds.map((kind) => ({ pid: Number(pid), parentPid, name, kind }))
  })
}

/** Parses an address in hexadecimal: words of four bytes, each in the byte order of the processor. */
function kindOfHex(address: string): InterfaceKind | null {
  const words = address.match(/.{8}/g) ?? []
  const bytes = words.flatMap((word) => {
    const own = word.match(/../g) ?? []
    return endianness() === 'LE' ? own.toReversed() : own
  })
  const hex = bytes.join('').toLowerCase()
  if (/^0+$/.test(hex)) return hex.length === 8 ? 'any4' : 'any6'
  if (/^(0{20}ffff)?7f.{6}$/.test(hex)) return 'v4'
  return /^0{31}1$/.test(hex) ? 'v6' : null
}

/** Parses `127.0.0.1`, `*`, `::1`, `[::1]`, `0.0.0.0` and `::`. */
function kindOfText(address: string, isVersion6: boolean): InterfaceKind | null {
  if (address === '*') return isVersion6 ? 'any6' : 'any4'
  if (address === '0.0.0.0') return 'any4'
  if (address === '::' || address === '[::]') return 'any6'
  if (/^(\[?::ffff:)?127\./i.test(address)) return 'v4'
  return /^\[?::1\]?$/.test(address) ? 'v6' : null
}

/** Without `-a`, lsof joins the conditions with "or". `+c 0` prints full names. No match ends with exit code 1. */
async function lsofListeners(port: number, env: ListenOptions['env']): Promise<readonly Listener[]> {
  const args = ['-nP', '+c', '0', '-a', `-iTCP:${port}`, '-sTCP:LISTEN', '-F', 'pRctn']
  const output = await readOutput('lsof', args, env).catch(
    (error: { readonly code?: unknown; stdout?: string }) => {
      if (error.code === 1) return error.stdout ?? ''
      throw error
    },
  )
  const listeners: Listener[] = []
  let [pid, parentPid, name, isVersion6] = [0, null as number | null, '', false]
  for (const line of output.split('\n')) {
    const [field, value] = [line.slice(0, 1), line.slice(1)]
    if (field === 'p') [pid, parentPid, name] = [Number(value), null, '']
    if (field === 'R') parentPid = Number(value)
    if (field === 'c') name = value
    if (field === 't') isVersion6 = value === 'IPv6'
    if (field !== 'n') continue
    listeners.push({
      pid,
      parentPid,
      name,
      kind: kindOfText(value.slice(0, value.lastIndexOf(':')), isVersion6),
    })
  }
  return listeners
}

/** Runs a script that prints one line per socket: process, parent, address, name. */
async function windowsListeners(port: number, env: ListenOptions['env']): Promise<readonly Listener[]> {
  const script = [
    `foreach ($c in Get-NetTCPConnection -State Listen -LocalPort ${port} -ErrorAction SilentlyContinue) {`,
    '$p = Get-CimInstance -ClassName Win32_Process -Filter "ProcessId=$($c.OwningProcess)";',
    "[Console]::Out.WriteLine(($c.OwningProcess, $p.ParentProcessId, $c.LocalAddress, $p.Name) -join ' ') }",
  ].join(' ')
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', script]
  const output = await readOutput('powershell.exe', args, env)
  return output.split('\n').flatMap((line) => {
    const [, pid, parentPid, address = '', name = ''] = /^(\d+) (\d*) (\S+) (.*)$/.exec(line.trim()) ?? []
    if (pid === undefined) return []
    const parent = parentPid === undefined || parentPid === '' ? null : Number(parentPid)
    return [{ pid: Number(pid), parentPid: parent, name, kind: kindOfText(address, address.includes(':')) }]
  })
}

const longestMs = 10_000

async function readOutput(
  command: string,
  args: readonly string[],
  env: ListenOptions['env'],
): Promise<string> {
  const options = { env: { ...env }, timeout: longestMs, windowsHide: true }
  return (await promisify(execFile)(command, args, options)).stdout
}

function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
