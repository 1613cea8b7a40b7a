import type { StandingControl } from '../control/controls.ts';
import type { ListedTool } from '../tool/tool.ts';
import type { HttpService } from './http-services.ts';

/** An address at which the tools are spoken to over MCP. */
export interface McpAddress {
  readonly path: string;
  /** Newest first. */
  readonly protocolVersions: readonly string[];
  /** How an unpaid priced call is answered. */
  readonly challenge: 'http_402' | 'in_band';
}

/** What the manifests are made from: only what this server really serves. */
export interface ManifestFacts {
  /** Without a slash at the end. */
  readonly origin: string;
  readonly version: string;
  readonly title: string;
  /** Tools that are listed now. */
  readonly tools: readonly ListedTool[];
  readonly http: readonly HttpService[];
  readonly mcp: readonly McpAddress[];
  readonly controls: readonly StandingControl[];
  readonly payment: {
    /** CAIP-2. */
    readonly network: string;
    readonly asset: string;
    readonly feeBps: number;
  };
  /** When the server began, or a label was changed last, in milliseconds. */
  readonly updatedAt: number;
}

/** Names of the tools that are listed. */
export function offeredTools({ tools }: Pick<ManifestFacts, 'tools'>): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name));
}
