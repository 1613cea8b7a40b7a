import type { Probe } from '../session/probe.ts';
import { actingReaders } from './acting-readers.ts';
import { blindExecution } from './blind-execution.ts';
import { burst } from './burst.ts';
import { cancellation } from './cancellation.ts';
import { changedAfterCalls, changedDefinitions } from './changed-definitions.ts';
import { codeExecution } from './code-execution.ts';
import { crossSessionMemory, foreignRecords } from './cross-session-memory.ts';
import { foreignHostProbe, foreignOriginProbe } from './foreign-headers.ts';
import { internalRequests } from './internal-requests.ts';
import { hiddenCharacters, instructionsInTexts } from './listed-texts.ts';
import { missingAuthentication } from './missing-authentication.ts';
import { oversize } from './oversize.ts';
import { pathEscape } from './path-escape.ts';
import { queryInjection } from './query-injection.ts';
import { deceptiveResults, injectedResults } from './result-texts.ts';
import { schemaEnforced } from './schema-enforced.ts';
import { secretsInResults } from './secrets-in-results.ts';
import { sessionFixation, sessionGuessing } from './sessions.ts';
import { stackTraces } from './stack-traces.ts';
import {
  actingHints,
  exfiltrationFields,
  misleadingHints,
  overBroadTools,
  plainOverReach,
  shadowing,
} from './tool-shapes.ts';
import { transportSecurity } from './transport-security.ts';
import { undeclaredTools } from './undeclared-tools.ts';

/**
 * Version of the probe set. Increase it whenever a probe is added, removed, or changed: consent is
 * bound to it, so that it covers only the probes that the owner could read about.
 */
export const PROBE_SET_VERSION = 2;

/** All probes in execution order: passive ones first, load tests last. */
export const PROBES: readonly Probe[] = [
  instructionsInTexts,
  hiddenCharacters,
  exfiltrationFields,
  overBroadTools,
  actingHints,
  misleadingHints,
  plainOverReach,
  shadowing,
  changedDefinitions,
  transportSecurity,
  changedAfterCalls,
  missingAuthentication,
  foreignOriginProbe,
  foreignHostProbe,
  sessionGuessing,
  sessionFixation,
  crossSessionMemory,
  foreignRecords,
  secretsInResults,
  injectedResults,
  deceptiveResults,
  actingReaders,
  schemaEnforced,
  pathEscape,
  internalRequests,
  codeExecution,
  blindExecution,
  queryInjection,
  undeclaredTools,
  stackTraces,
  cancellation,
  oversize,
  burst,
];
