import type { ResourceContent, ToolService } from '../../domain/tool/tool.ts';

/** A resource template, or a resource with a fixed address, and its reader. */
export interface ResourceReader {
  readonly template?: ToolService['resourceTemplates'][number];
  readonly resource?: NonNullable<ToolService['resources']>[number];
  /** Returns `undefined` for URIs of other templates, and for a wrong capability. */
  read(uri: string): Promise<ResourceContent | undefined>;
}
