import type { ControlWithChange } from '../control/controls.ts';
import type { ListedTool } from '../tool/tool.ts';
import type { HttpService } from './http-services.ts';

/** An MCP endpoint of the tools. */
export interface McpAddress {
  readonly path: string;
  /** Newest first. */
  readonly protocolVersions: readonly string[];
  /** Response to an unpaid call of a priced tool. */
  readonly challenge: 'http_402' | 'in_band';
}

/** Facts for the manifests: only what this server actually serves. */
export interface ManifestFacts {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly version: string;
  readonly title: string;
  /** Currently listed tools. */
  readonly tools: readonly ListedTool[];
  /** The listed tools that run as jobs. */
  readonly jobTools: readonly ListedTool[];
  /** The tools of the hosting server. Empty if it is not served. */
  readonly hostingTools: readonly ListedTool[];
  readonly httpServices: readonly HttpService[];
  readonly mcp: readonly McpAddress[];
  readonly controls: readonly ControlWithChange[];
  readonly payment: {
    /** CAIP-2. */
    readonly network: string;
    readonly asset: string;
    readonly feeBps: number;
  };
  /** Time of the server start or of the last label change, in milliseconds since 1970. */
  readonly updatedAt: number;
}

/** Returns the names of the listed tools. */
export function listToolNames({ tools }: Pick<ManifestFacts, 'tools'>): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name));
}
