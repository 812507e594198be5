/** The library's public names, nothing else; those for files alone can be had without the rest from files.ts, the service from service.ts. */

export * from './files.ts'
export { findResourceType, resourceTypes } from './resources/index.ts'
export type { BirthPeriod, Breed } from './resources/livestock.ts'
export type { Crop, LandUseActivity } from './resources/crop.ts'
export type { Holding } from './resources/holding.ts'
export type { ComplianceEligibility, LandCover, SpeciesPresence } from './resources/land-cover.ts'
export type { LoadReceival, SampleAnalysis, SamplePlan } from './resources/loads-and-samples.ts'
export type { MedicineProduct } from './resources/medicine.ts'
export type { AppliedProduct, OperationProduct, OperationRecord, ProductComponent } from './resources/operation.ts'
export type { Feature, Link, Measure, RecordReference, Relation } from './resources/building-blocks.ts'
export type { Collection, Collections, Conformance, LandingPage, RecordFeature } from './resources/ogc.ts'
export type { ProblemDetails } from './resources/problem-details.ts'
export type { ControlItem, Dataset, FeedContext, FeedContinuation } from './resources/streaming.ts'
export type { TokenResponse } from './resources/token-response.ts'
export type {
  CloudEvent,
  WebhookAuthentication,
  WebhookRegistration,
  WebhookSubscription,
} from './resources/webhook.ts'
export type { PastureCoverEvent } from './resources/pasture-cover.ts'
export type { Plot } from './resources/plot.ts'
export type { WorkRecord } from './resources/work-record.ts'
export type { Identifier, ResourceType } from './resources/resource-type.ts'
export { typeOfDataset } from './resources/published-resource.ts'
export { check, type Finding } from './resources/validation.ts'
export { connectTo, type Client } from './client/connection.ts'
export type { Profile } from './client/profile.ts'
export type { Received } from './client/record.ts'
export { parsePipeline, readPipeline, type Pipeline } from './pipeline/definition/definition.ts'
export { pipelineSchema } from './pipeline/definition/definition-schema.ts'
export { inspectTable, type ColumnSeen, type Inspection, type LayerSeen } from './pipeline/inspect/inspection.ts'
export { inspectionSchema } from './pipeline/inspect/inspection-schema.ts'
export { reportSchema } from './pipeline/report/report-schema.ts'
export { exportJobOf, type ExportJob } from './pipeline/export/export-job.ts'
export { runExport, type Exported } from './pipeline/export-run.ts'
export type { PreparedImport } from './pipeline/report/course.ts'
export {
  exportFile,
  importFile,
  importPipeline,
  type ExportFileOptions,
  type ImportFileOptions,
  type ImportPipelineOptions,
} from './pipeline/whole-jobs.ts'
export { prepareImport } from './pipeline/prepare/prepare.ts'
export { recordsOf, type RowRecord } from './pipeline/records.ts'
export type { Report } from './pipeline/report/report.ts'
