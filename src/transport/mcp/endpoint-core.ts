import type { McpEventLog, McpOpenCalls } from '../../domain/session/mcp-state.ts';
import type { Grant, Principal, ToolService } from '../../domain/tool/tool.ts';
import type { HttpRequest } from '../http/host.ts';
import type { RateLimiter } from './call/rate-limiter.ts';
import type { Ticker } from './call/ticker.ts';
import type { ToolViews } from './call/tool-views.ts';
import type { McpExtension } from './extension.ts';
import type { FrontLimits } from './limits.ts';
import type { LastWorkspaces } from './session/last-workspaces.ts';
import type { SessionTable } from './session/session-table.ts';

/** How a payment challenge is sent: as HTTP status 402, or inside a 200 reply. */
export type ChallengeCarrier = 'status' | 'in_band';

/** Dependencies that all endpoints of a front share. */
export interface FrontCore {
  readonly sessions: SessionTable;
  readonly events: McpEventLog;
  /** Calls whose streams have not ended. */
  readonly openCalls: McpOpenCalls;
  readonly pulse: Ticker;
  readonly limits: FrontLimits;
  readonly gate: RateLimiter;
  /** Counts the running tool calls and the open streams of all endpoints. */
  readonly load: { calls: number; streams: number };
  /** Aborts when the front shuts down. Calls that wait for jobs then return what they have. */
  readonly ending: AbortSignal;
}

/** The dependencies of one endpoint. */
export interface EndpointCore extends FrontCore {
  /** The URL path, such as `/v1/mcp`. */
  readonly path: string;
  readonly service: ToolService;
  /** The views of the service: the whole of it, and selections. */
  readonly views: ToolViews;
  readonly carrier: ChallengeCarrier;
  /** Parts of the protocol that the SDK serves on this endpoint, beside the lean front. */
  readonly extension?: McpExtension;
  principalOf(request: HttpRequest): Principal;
  /**
   * Returns the grant of the caller's token; `undefined` for an unrestricted caller. Where this is
   * present, a session belongs to the caller that started it.
   */
  grantOf?(request: HttpRequest): Grant | undefined;
  /** The last workspaces of callers. Present where sessions select a workspace. */
  readonly workspaces?: LastWorkspaces;
  /** Lists the supported versions to clients of 2026-07-28, instead of requiring a session. */
  readonly namesVersions?: boolean;
  /** Returns the public base URL, without a trailing slash. */
  baseUrl(): string;
}
