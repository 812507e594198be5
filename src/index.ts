/** The library's public names. Those for files alone are also in files.ts, the embedded service is in service.ts. */

export * from './files.ts'
export { findResourceType, resourceTypes } from './resources/index.ts'
export type { Holding, LandCover, Plot } from './resources/land.ts'
export type { Identifier, ResourceType } from './resources/resource-type.ts'
export { check, type Finding } from './resources/validation.ts'
export type { WorkRecord } from './resources/work-record.ts'
export type { Client } from './client/connection.ts'
export type { Profile } from './client/profile.ts'
export { readPipeline, type Pipeline } from './pipeline/definition/definition.ts'
export {
  apply,
  exportFile,
  exportPipeline,
  importFile,
  importPipeline,
  init,
  plan,
  retry,
  undo,
  verify,
  type Drafted,
  type ExportSettings,
  type FileSettings,
  type ImportSettings,
  type Plan,
  type RunName,
  type Undone,
  type Verification,
  type WantedRecords,
} from './library/jobs.ts'
export { connectTo, type SendingOptions, type WritingOptions } from './library/surroundings.ts'
export type { Report } from './pipeline/report/report.ts'
