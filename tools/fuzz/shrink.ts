/** Hides how a failing input is made as small as patience allows. */

/** Leaves out ever smaller pieces as long as `stillFails`; gives up after `tries` questions. */
export async function shrunk(
  bytes: Uint8Array,
  stillFails: (bytes: Uint8Array) => Promise<boolean>,
  tries: number,
): Promise<Uint8Array> {
  let smallest = bytes
  let left = tries
  for (let size = Math.ceil(bytes.length / 2); size >= 1 && left > 0; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < smallest.length && left > 0; left -= 1) {
      const shorter = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)])
      if (await stillFails(shorter)) smallest = shorter
      else at += size
    }
  return smallest
}
