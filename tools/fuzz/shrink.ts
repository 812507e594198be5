/** Makes a failing input as small as a number of tries allows. */

/** Removes ever smaller pieces while `stillFails`; stops after `tries` attempts. */
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
