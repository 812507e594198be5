/** Replaces and deletes files also where Windows refuses it for a moment. */

const heldCodes: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY'])
const longestWaitMs = 640

/**
 * Renames or deletes a file. Windows refuses that while another program, such as a virus scanner or a backup, has the file open, or the
 * one that it replaces. Node does not try again by itself, so there this does, for a second.
 */
export function whenFree(work: () => void, platform: NodeJS.Platform = process.platform): void {
  for (let waitMs = 10; ; waitMs *= 2)
    try {
      return work()
    } catch (cause) {
      const isHeld = platform === 'win32' && heldCodes.has((cause as NodeJS.ErrnoException).code)
      if (!isHeld || waitMs > longestWaitMs) throw cause
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
    }
}
