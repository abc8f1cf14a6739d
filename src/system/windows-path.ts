/** Windows paths as text, on every platform: sessions of WSL, containers and Windows share one bus. Never touches the disk. */

import { win32 } from 'node:path'

/**
 * The one spelling of an absolute Windows path: `c:/x` or `//server/share/x`, `.` and `..` resolved, no trailing slash
 * except in `c:/`, letter case kept but for the drive.
 * Undefined for what is no absolute Windows path, such as `C:x` or a server without a share.
 */
export function windowsSpelling(text: string): string | undefined {
  const plain = withoutPrefix(text)
  const isDrive = /^[a-z]:[\\/]/i.test(plain)
  if (!isDrive && !/^[\\/]{2}[^\\/?.][^\\/]*[\\/]+[^\\/]/.test(plain)) return undefined
  const path = win32.normalize(plain).replaceAll('\\', '/').replace(/\/+$/, '')
  if (!isDrive) return path
  return path.length === 2 ? `${path.toLowerCase()}/` : path.charAt(0).toLowerCase() + path.slice(1)
}

/** `\\?\C:\x` is `C:\x`, `\\?\UNC\s\x` is `\\s\x` (Microsoft, "Naming Files", read 2026-08); Rust's canonicalize writes them. */
function withoutPrefix(text: string): string {
  const long = /^[\\/]{2}\?[\\/](UNC[\\/])?/i.exec(text)
  if (long === null) return text
  return (long[1] === undefined ? '' : '\\\\') + text.slice(long[0].length)
}
