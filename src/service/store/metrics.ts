/** Makes numbers for /metrics, and writes them in the text format of Prometheus. */

type Labels = Readonly<Record<string, string>>

/** A number; `labels` distinguish numbers with one name. */
export type Measure = Readonly<ReturnType<typeof gauge>>

function measureOf(type: 'counter' | 'gauge') {
  return (name: string, help: string, value: number, labels: Labels = {}) => ({ name, help, type, labels, value })
}

/** A number that rises and falls. */
export const gauge = measureOf('gauge')

/** A number that only rises. */
export const counter = measureOf('counter')

/** Measures in the text format of Prometheus. */
export function prometheusText(measures: readonly Measure[]): string {
  const written = [...Map.groupBy(measures, ({ name }) => name)].map(([name, same]) => {
    const { help, type } = same[0]!
    const lines = same.map(({ labels, value }) => `${name}${labelled(labels)} ${value}\n`)
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
  })
  return written.join('')
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/["\\\n]/g, '_')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
