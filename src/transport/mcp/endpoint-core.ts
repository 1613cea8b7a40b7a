import type { McpEventLog, McpOpenCalls } from '../../domain/session/mcp-state.ts';
import type { Grant, Principal, ToolService } from '../../domain/tool/tool.ts';
import type { HttpRequest } from '../http/host.ts';
import type { Pulse } from './call/pulse.ts';
import type { RateGate } from './call/rate-gate.ts';
import type { ToolViews } from './call/tool-views.ts';
import type { McpExtension } from './extension.ts';
import type { FrontLimits } from './limits.ts';
import type { LastWorkspaces } from './session/last-workspaces.ts';
import type { SessionTable } from './session/session-table.ts';

/** How a challenge travels: as HTTP status 402, or inside an answer that says 200. */
export type ChallengeCarrier = 'status' | 'in_band';

/** What all endpoints of a front share. */
export interface FrontCore {
  readonly sessions: SessionTable;
  readonly events: McpEventLog;
  /** Calls whose streams have not ended. */
  readonly openCalls: McpOpenCalls;
  readonly pulse: Pulse;
  readonly limits: FrontLimits;
  readonly gate: RateGate;
  /** Tool calls that are under way on all endpoints, and streams that are open. */
  readonly load: { calls: number; streams: number };
  /** Aborts when the front begins to end: waits for jobs answer with what there is. */
  readonly ending: AbortSignal;
}

/** What an endpoint stands on. */
export interface EndpointCore extends FrontCore {
  /** Address path, such as `/v1/mcp`. */
  readonly path: string;
  readonly service: ToolService;
  /** The same service, whole and as selected. */
  readonly views: ToolViews;
  readonly carrier: ChallengeCarrier;
  /** What the SDK speaks on this endpoint beside the lean path. */
  readonly extension?: McpExtension;
  principalOf(request: HttpRequest): Principal;
  /**
   * What the caller's token allows; `undefined` for one that may do everything. Where it is there,
   * a session belongs to the caller that began it.
   */
  grantOf?(request: HttpRequest): Grant | undefined;
  /** Where sessions select a workspace: what callers have selected last. */
  readonly workspaces?: LastWorkspaces;
  /** Says to clients of 2026-07-28 which versions there are, instead of asking for a session. */
  readonly namesVersions?: boolean;
  /** Where the server is reached from outside, without a slash at the end. */
  baseUrl(): string;
}
