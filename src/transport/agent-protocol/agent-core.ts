import type { PushNotifications } from '../../domain/agent-protocol/push.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Random } from '../../domain/common/random.ts';
import type { Grant, Principal } from '../../domain/tool/tool.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import type { EndpointCore } from '../mcp/endpoint-core.ts';

/** The hosting tools, for requests with a token. */
export interface HostingSkills
  extends Pick<EndpointCore, 'service' | 'views' | 'principalOf' | 'grantOf'> {
  /** Returns the rejection of a request without the operator token or an issued one, if any. */
  checkToken(request: HttpRequest): HttpReply | undefined;
}

/** The dependencies of the agent protocol. Skills are the tools of its services. */
export interface AgentCore
  extends Pick<
    EndpointCore,
    | 'baseUrl'
    | 'ending'
    | 'gate'
    | 'limits'
    | 'load'
    | 'principalOf'
    | 'pulse'
    | 'service'
    | 'views'
  > {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent where hosting is not served. */
  readonly hosting?: HostingSkills;
  /** Absent where push notifications are not supported. */
  readonly push?: PushNotifications | undefined;
}

/** Who sends a request. */
export interface Caller {
  readonly request: HttpRequest;
  readonly principal: Principal;
  readonly grant?: Grant | undefined;
  /** Key of the caller's network, for limits. */
  readonly network: string;
  /** Attribution tag; recorded, without effect. */
  readonly src?: string;
  readonly traceparent?: string;
  /** Aborts when the client leaves or the server shuts down. */
  readonly signal: AbortSignal;
}
