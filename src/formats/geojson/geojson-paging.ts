/** Reports files that contain only a part of their features, because the missing ones would count as gone. */

import { problem, type Problem } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'

/** The problem of a collection that is only one page of several; undefined if nothing shows it. `frame` is everything except the features. */
export function onePageOnly(frame: object, rows: number, at: Place): Problem | undefined {
  const { exceededTransferLimit, properties, numberMatched, links } = frame as {
    exceededTransferLimit?: unknown
    properties?: { exceededTransferLimit?: unknown } | null
    numberMatched?: unknown
    links?: unknown
  }
  const all = typeof numberMatched === 'number' && numberMatched > rows ? numberMatched : undefined
  const hasNext = Array.isArray(links) && links.some((link) => (link as { rel?: unknown } | null)?.rel === 'next')
  const isCapped = exceededTransferLimit === true || properties?.exceededTransferLimit === true
  if (!isCapped && !hasNext && all === undefined) return undefined
  return problem('file-truncated', at, {
    // Some servers link to a next page that is empty.
    severity: isCapped || all !== undefined ? 'error' : 'warning',
    message: `The file contains only some of the server's features: ${rows}${all === undefined ? '' : ` of ${all}`}${isCapped || all !== undefined ? '' : ', it seems'}.`,
    hint: 'Download all of them: in several pages, or from the web page of the data set instead of its interface.',
  })
}

/** The problem of a file that ends before its list of features does. */
export function cutOff(at: Place): Problem {
  return problem('file-truncated', at, {
    message: 'The file ends in the middle; features are missing at its end.',
    hint: 'The copy was cut off; copy, download or export it again.',
  })
}
