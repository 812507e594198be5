/** Lists the commands of `windrow service`. */

import type { GroupParts } from './options/command.ts'
import { about } from './service/about.ts'
import { changes } from './service/changes.ts'
import { collections } from './service/collections.ts'
import { control } from './service/control.ts'
import { datasets } from './service/datasets.ts'
import { publish } from './service/publish.ts'
import { record } from './service/record.ts'
import { reference } from './service/reference.ts'
import { token } from './service/token.ts'
import { webhooks } from './service/webhooks.ts'

export const service: GroupParts = {
  parts: [about, control, datasets, changes, publish, collections, record, reference, webhooks, token],
}
