/** The public names of the embedded service, apart from the rest because a program that only sends or reads never starts one. */

export { createService, type Service, type ServiceOptions } from './service/create.ts'
export { serve } from './service/serve.ts'
