/**
 * Where Linux shows its devices: `/sys`, or the folder that `HOST_SYS` names, where a container has that of its host mounted
 * elsewhere.
 *
 * @see https://github.com/shirou/gopsutil, whose name of the variable it is
 */
export function sysFolderOf(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOST_SYS'] || '/sys'
}
