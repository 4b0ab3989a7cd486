import { linuxSampler } from './linux-sampler.ts'
import { powershellSampler } from './powershell.ts'
import type { ProcessSampler } from './process-sampler.ts'
import { psSampler } from './ps.ts'

/** The sampler of a platform: `/proc` on Linux, PowerShell on Windows, ps on every other. */
export function processSampler(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): ProcessSampler {
  if (platform === 'linux') return linuxSampler()
  return platform === 'win32' ? powershellSampler({ env }) : psSampler({ env })
}
