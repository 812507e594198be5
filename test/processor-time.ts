/** Measures the processor time that a piece of work takes in this process: it is the same on a busy machine. */
export async function processorMs(work: () => unknown): Promise<number> {
  const begun = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}
