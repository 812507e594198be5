/** Types for the parser of wkt-parser, which has none. */

declare module 'wkt-parser/parser.js' {
  /** A keyword with what stands in its brackets. */
  export type Node = readonly [keyword: string, ...content: (string | number | Node)[]]

  /** Reads WKT in square brackets. It throws where brackets or quotation marks are missing. */
  export default function parse(text: string): Node
}
