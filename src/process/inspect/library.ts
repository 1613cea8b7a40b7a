/**
 * The console for any program with durable actors, and their XState inspection events.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it

export type {
  RedactedPlace,
  RedactionRule,
} from '../../actors/inspect/redaction/redaction-rule.ts';
export type {
  InspectedRow,
  InspectionEvent,
  InspectOptions,
} from '../../runtime/view/inspection.ts';
export { InspectionFormatter, inspectActors } from '../../runtime/view/inspection.ts';
export type {
  InspectorAction,
  OpenedInspector,
  OpenInspectorOptions,
} from './inspector-types.ts';
export { openInspector } from './open-inspector.ts';
