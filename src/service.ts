/** The public names of the embedded service, separate because most programs never start one. */

export { createService, type Service, type ServiceOptions } from './service/create.ts'
export { serve } from './service/serve.ts'
