export function batchesOf(file: string): AsyncIterable<readonly Record<string, unknown>[]>
