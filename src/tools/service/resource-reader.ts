import type { ResourceContent, ToolService } from '../../domain/tool/tool.ts';

/** A resource template with its reader. */
export interface ResourceReader {
  readonly template: ToolService['resourceTemplates'][number];
  /** Returns `undefined` for URIs of other templates, and for a wrong capability. */
  read(uri: string): Promise<ResourceContent | undefined>;
}
