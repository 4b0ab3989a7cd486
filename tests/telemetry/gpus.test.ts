import { describe, expect, test } from 'vitest'
import type { TelemetryLine } from '#journal/telemetry-line'
import { systemClock } from '#load/clock'
import { amdReader, parseNvidia, watchGpus } from '#telemetry/gpus'
import { startSampling } from '#telemetry/sampling'
import { printing, programsOnPath } from './programs-on-path.ts'

const mebibyte = 1_048_576

describe('a line of nvidia-smi', () => {
  test('is read with all its values', () => {
    expect(
      parseNvidia('0, NVIDIA GeForce RTX 3090, 97, 20000, 345.10, 1890, 9501, 0x0000000000000004'),
    ).toEqual({
      id: 'nvidia 0',
      name: 'NVIDIA GeForce RTX 3090',
      busyRate: 0.97,
      memoryBytes: 20_000 * mebibyte,
      powerWatts: 345.1,
      coreClockMHz: 1890,
      memoryClockMHz: 9501,
      throttledBy: ['power limit'],
    })
  })

  test('of a real H100 is read with all its values', () => {
    expect(
      parseNvidia('0, NVIDIA H100 80GB HBM3, 22, 4191, 165.96, 1980, 2619, 0x0000000000000000'),
    ).toMatchObject({
      busyRate: 0.22,
      memoryBytes: 4_191 * mebibyte,
      powerWatts: 165.96,
      coreClockMHz: 1980,
      throttledBy: [],
    })
  })

  test.each([
    ['0x0000000000000000', []],
    ['0x0000000000000001', []],
    ['0x0000000000000002', []],
    ['0x0000000000000028', ['hardware slowdown', 'temperature']],
    ['0x00000000000000C0', ['temperature (hardware)', 'power supply']],
    ['[N/A]', null],
    ['Not Active', null],
  ])('gives the reasons for a lower clock: %s', (active, reasons) => {
    expect(parseNvidia(`1, Tesla T4, 5, 100, 30.00, 1590, 5000, ${active}`)?.throttledBy).toEqual(reasons)
  })

  // Values of https://github.com/plambe/zabbix-nvidia-smi-multi-gpu/issues/17 and https://github.com/enkore/i3pystatus/pull/850
  test.each(['[N/A]', '[Not Supported]', '[Unknown Error]', '[GPU requires reset]', 'ERR!', 'N/A', ''])(
    'has null, and no zero, for %s',
    (absent) => {
      const cells = Array.from({ length: 6 }, () => absent).join(', ')
      const device = parseNvidia(`2, NVIDIA GeForce RTX 3080, ${cells}`)
      expect(device).toEqual({
        id: 'nvidia 2',
        name: 'NVIDIA GeForce RTX 3080',
        busyRate: null,
        memoryBytes: null,
        powerWatts: null,
        coreClockMHz: null,
        memoryClockMHz: null,
        throttledBy: null,
      })
    },
  )

  test.each([
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
    'No devices were found',
    'index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.sm [MHz], clocks.current.memory [MHz]',
    'Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error',
    'Field "clocks_event_reasons.active" is not a valid field to query.',
    '',
  ])('that is an error is no reading: %s', (line) => {
    expect(parseNvidia(line)).toBeNull()
  })
})

describe('lines of amd-smi', () => {
  // Columns of `amd-smi monitor -p -u -m -v -V --csv -w 1` as its source writes them, ROCm 7.
  const header =
    'timestamp,gpu,xcp,power_usage,max_power,gfx_clk,gfx,mem,mem_clock,vram_used,vram_free,vram_total,vram_percent,pviol,tviol,tviol_active,phot_tviol,vr_tviol,hbm_tviol,gfx_clkviol'

  test('are read by the columns that the first one names', () => {
    const read = amdReader()
    expect(read(header)).toBeUndefined()
    expect(
      read('1740686195,1,0,251,1000,1445,88,12,1900,24000,168592,192592,12.46,37,0,NOT ACTIVE,0,0,2,0'),
    ).toEqual({
      id: 'amd 1',
      name: null,
      busyRate: 0.88,
      memoryBytes: 24_000 * mebibyte,
      powerWatts: 251,
      coreClockMHz: 1445,
      memoryClockMHz: 1900,
      throttledBy: ['power limit', 'temperature of the memory'],
    })
  })

  test('of an older version and a small device have fewer columns, and null for N/A', () => {
    const read = amdReader()
    read('timestamp,gpu,power_usage,gfx_util,gfx_clock,mem_clock,vram_used')
    expect(read('1740686195,0,N/A,0,800,96,16')).toMatchObject({
      powerWatts: null,
      busyRate: 0,
      coreClockMHz: 800,
      memoryBytes: 16 * mebibyte,
      throttledBy: null,
    })
  })

  test('of partitions, before the header, and of words are no readings', () => {
    const read = amdReader()
    expect(read('1740686195,0,8,0')).toBeNull()
    expect(read('ERROR: Unable to detect any GPU devices, check amdgpu version and module status')).toBeNull()
    read('timestamp,gpu,xcp,power_usage')
    expect(read('1740686195,0,1,N/A')).toBeNull()
    expect(read('1740686195,0,0,20')?.powerWatts).toBe(20)
  })
})

const isWindows = process.platform === 'win32'

describe.skipIf(isWindows)('watching graphics processors', () => {
  test('keeps one nvidia-smi running and shows all its devices', async () => {
    await using programs = await programsOnPath({
      'nvidia-smi': printing(['0, A, 50, 1000, 100.5, 900, 800, 0x0', '1, B, 100, 24, [N/A], 1, 1, 0x4']),
    })
    using gpus = watchGpus(programs.env)
    await expect.poll(() => gpus.latest().map(({ id }) => id)).toEqual(['nvidia 0', 'nvidia 1'])
    expect(gpus.reason()).toBeNull()
    expect(gpus.pid()).toBeGreaterThan(0)
  })

  test('asks an older driver by the older name of a field', async () => {
    await using programs = await programsOnPath({
      'nvidia-smi': `case "$*" in *event*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2;;
*throttle*) ;; *) ${printing(['0, A, 50, 1000, 100.5, 900, 800'])};; esac
${printing(['0, A, 50, 1000, 100.5, 900, 800, 0x20'])}`,
    })
    using gpus = watchGpus(programs.env)
    await expect.poll(() => gpus.latest()[0]?.throttledBy).toEqual(['temperature'])
  })

  test('asks amd-smi where nvidia-smi finds no device', async () => {
    await using programs = await programsOnPath({
      'nvidia-smi': 'echo No devices were found; exit 6',
      'amd-smi': `case "$*" in *-V*) echo 'unrecognized arguments: -V' >&2; exit 1;; esac
[ "$PYTHONUNBUFFERED" = 1 ] || exit 1
${printing(['timestamp,gpu,power_usage,gfx,vram_used', '1,0,40,10,100'])}`,
    })
    using gpus = watchGpus(programs.env)
    await expect.poll(() => gpus.latest()[0]).toMatchObject({ id: 'amd 0', powerWatts: 40 })
  })

  test('gives the words of each program where none has a reading', async () => {
    const failed = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
    await using programs = await programsOnPath({ 'nvidia-smi': `echo "${failed}"; exit 9` })
    using gpus = watchGpus({ ...programs.env, PATH: `${programs.folder}:/bin:/usr/bin` })
    await expect.poll(() => gpus.reason()).toBe(`nvidia-smi: ${failed}; amd-smi is not installed`)
    expect(gpus.latest()).toEqual([])
    expect(gpus.pid()).toBeNull()
  })

  test('does not give the header of a table as the reason why amd-smi failed', async () => {
    await using programs = await programsOnPath({
      'amd-smi': "echo 'timestamp,gpu,power_usage'; echo 'no permission to read the device' >&2; exit 3",
    })
    using gpus = watchGpus({ ...programs.env, PATH: `${programs.folder}:/bin:/usr/bin` })
    const reason = 'amd-smi ended (exit code 3): no permission to read the device'
    await expect.poll(() => gpus.reason()).toBe(`nvidia-smi is not installed; ${reason}`)
  })

  test('has no reading any more after the program has ended, and says why', async () => {
    await using programs = await programsOnPath({
      'nvidia-smi': "echo '0, A, 50, 1000, 100.5, 900, 800, 0x0'; sleep 0.3; echo 'GPU is lost' >&2; exit 15",
    })
    using gpus = watchGpus(programs.env)
    await expect.poll(() => gpus.latest()).toHaveLength(1)
    await expect.poll(() => gpus.reason()).toBe('nvidia-smi ended (exit code 15): GPU is lost')
    expect(gpus.latest()).toEqual([])
  })

  test.skipIf(process.platform !== 'linux')(
    'counts what the program takes without a server here',
    async () => {
      await using programs = await programsOnPath({
        'nvidia-smi': printing(['0, A, 50, 1, 1, 1, 1, 0x4'], 0.2),
      })
      const lines: TelemetryLine[] = []
      {
        await using _sampling = startSampling({
          servers: [{ id: null, pids: [], reason: 'it is elsewhere' }],
          clock: systemClock,
          everyMs: 20,
          env: programs.env,
          onSample: (line) => void lines.push(line),
        })
        await expect.poll(() => lines.some(({ gpus }) => gpus !== undefined)).toBe(true)
      }
      expect(lines.at(-1)?.samplerCpuSeconds).toBeGreaterThanOrEqual(0)
      expect(lines[0]?.unread?.server).toBe('it is elsewhere')
    },
  )

  test('shows each reading in one sample, and what the program itself takes', async () => {
    await using programs = await programsOnPath({
      'nvidia-smi': printing(['0, A, 50, 1000, 100.5, 900, 800, 0x4', '1, B, 100, 24, 50, 1, 1, [N/A]'], 0.2),
    })
    const lines: TelemetryLine[] = []
    {
      await using _sampling = startSampling({
        servers: [{ id: null, pids: [process.pid], reason: null }],
        clock: systemClock,
        everyMs: 20,
        env: programs.env,
        onSample: (line) => void lines.push(line),
      })
      await expect.poll(() => lines.filter(({ gpus }) => gpus !== undefined).length).toBeGreaterThan(2)
    }
    const read = lines.filter(({ gpus }) => gpus !== undefined)
    expect(read.length).toBeLessThan(lines.length / 2)
    expect(read.flatMap(({ gpus = [] }) => gpus.map(({ id }) => id))).toContain('nvidia 1')
    expect(lines.at(-1)).toMatchObject({ gpuBusyRate: 0.75, gpuMemoryBytes: 1024 * mebibyte })
    expect(lines.at(-1)?.samplerCpuSeconds).toBeGreaterThanOrEqual(0)
  })
})

test('a machine without these programs has a reason for it at once, and none is started', () => {
  using gpus = watchGpus({ PATH: '/nowhere' })
  expect(gpus.reason()).toBe('nvidia-smi is not installed; amd-smi is not installed')
  expect(gpus.pid()).toBeNull()
  expect(gpus.latest()).toEqual([])
})
