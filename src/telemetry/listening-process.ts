import { execFile } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { endianness } from 'node:os'
import { promisify } from 'node:util'
import { namesIn, readSystemFile } from './system-files.ts'

interface ListenOptions {
  /** PATH finds lsof and PowerShell. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
}

interface Listener {
  readonly pid: number
  readonly parentPid: number | null
  readonly name: string
  /** At which of this machine's own addresses; null for another one. */
  readonly kind: InterfaceKind | null
}

/** The loopback address or all addresses, of IPv4 or IPv6. */
type InterfaceKind = 'v4' | 'v6' | 'any4' | 'any6'

/** Programs that only pass a connection on: what they use says nothing of the server behind them. */
const forwarders =
  /^(sshd?|docker-proxy|com\.docke|rootlessport|slirp4netns|pasta|gvproxy|vpnkit|wslrelay|limactl|kubectl|socat|svchost|system$|nginx|caddy|traefik|haproxy|envoy)/i

/**
 * Finds the processes behind a port of this machine, by the socket that they listen on. To be asked before anything is measured:
 * other systems than Linux need a program for it, which is started once.
 *
 * @param hostname of a loopback address, IPv6 in brackets; `localhost` may be either
 * @returns those that hold the socket, without those that one of the others started; the reason where none can be named
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
  // What started the measuring process works for it as well: its time is not that of a server alone.
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

/** The system prefers a socket of that very address to one of all addresses, and IPv6's takes IPv4 too. */
function nearest(listeners: readonly Listener[], hostname: string): readonly Listener[] {
  const orders: Readonly<Record<string, readonly (readonly InterfaceKind[])[]>> = {
    '[::1]': [['v6'], ['any6']],
    localhost: [
      ['v4', 'v6'],
      ['any4', 'any6'],
    ],
  }
  const order = orders[hostname] ?? [['v4'], ['any4'], ['any6']]
  const found = order.map((kinds) => listeners.filter(({ kind }) => kind !== null && kinds.includes(kind)))
  return found.find((own) => own.length > 0) ?? []
}

const listening = '0A'

/** Synchronous, as all reading of `/proc` is here. */
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

/** Words of four bytes, each in the order of the processor. */
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

/** `127.0.0.1`, `*`, `::1`, `[::1]`, `0.0.0.0`, `::`. */
function kindOfText(address: string, isVersion6: boolean): InterfaceKind | null {
  if (address === '*') return isVersion6 ? 'any6' : 'any4'
  if (address === '0.0.0.0') return 'any4'
  if (address === '::' || address === '[::]') return 'any6'
  if (/^(\[?::ffff:)?127\./i.test(address)) return 'v4'
  return /^\[?::1\]?$/.test(address) ? 'v6' : null
}

/** Without `-a` the conditions would be joined by "or"; `+c 0` leaves names whole. Nothing found ends with exit code 1. */
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

/** One line for each socket: process, parent, address, name. */
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
