/** The process that reads with windrow's own formats. */

import { seeds } from './seeds.ts'
import { serve } from './serve.ts'

serve(seeds)
