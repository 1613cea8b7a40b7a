import { cancellationIgnored } from './faults/cancellation-ignored.ts';
import { codeEvaluation } from './faults/code-evaluation.ts';
import { crossSessionMemory } from './faults/cross-session-memory.ts';
import { deceptiveResults } from './faults/deceptive-results.ts';
import { exfiltrationFields } from './faults/exfiltration-fields.ts';
import { foreignHost } from './faults/foreign-host.ts';
import { foreignOrigin } from './faults/foreign-origin.ts';
import { foreignRecords } from './faults/foreign-records.ts';
import { hiddenCharacters } from './faults/hidden-characters.ts';
import { injectedResults } from './faults/injected-results.ts';
import { internalRedirect } from './faults/internal-redirect.ts';
import { internalRequests } from './faults/internal-requests.ts';
import { lateChange } from './faults/late-change.ts';
import { lookalikeNames } from './faults/lookalike-names.ts';
import { misleadingHints } from './faults/misleading-hints.ts';
import { missingAuthentication } from './faults/missing-authentication.ts';
import { overBroad } from './faults/over-broad.ts';
import { overReach } from './faults/over-reach.ts';
import { oversize } from './faults/oversize.ts';
import { pathAbsolute } from './faults/path-absolute.ts';
import { pathDotDot } from './faults/path-dot-dot.ts';
import { pathEncoded } from './faults/path-encoded.ts';
import { pathSiblingPrefix } from './faults/path-sibling-prefix.ts';
import { pathSymlink } from './faults/path-symlink.ts';
import { poisonedDescription } from './faults/poisoned-description.ts';
import { queryInjection } from './faults/query-injection.ts';
import { rugPull } from './faults/rug-pull.ts';
import { schemaNotEnforced } from './faults/schema-not-enforced.ts';
import { secretsInErrors } from './faults/secrets-in-errors.ts';
import { secretsInResults } from './faults/secrets-in-results.ts';
import { sessionFixation } from './faults/session-fixation.ts';
import { sessionGuessing } from './faults/session-guessing.ts';
import { shadowing } from './faults/shadowing.ts';
import { shellBlind } from './faults/shell-blind.ts';
import { shellVisible } from './faults/shell-visible.ts';
import { stackTraces } from './faults/stack-traces.ts';
import { templateInjection } from './faults/template-injection.ts';
import { unannotatedActing } from './faults/unannotated-acting.ts';
import { undeclaredTools } from './faults/undeclared-tools.ts';
import { unlimitedBurst } from './faults/unlimited-burst.ts';
import type { Target } from './target.ts';

/** Every target with one fault and a twin without. */
export const allTargets: readonly Target[] = [
  poisonedDescription,
  hiddenCharacters,
  shadowing,
  unannotatedActing,
  overBroad,
  exfiltrationFields,
  internalRequests,
  internalRedirect,
  schemaNotEnforced,
  pathAbsolute,
  pathDotDot,
  pathEncoded,
  pathSiblingPrefix,
  pathSymlink,
  secretsInResults,
  secretsInErrors,
  missingAuthentication,
  foreignRecords,
  rugPull,
  lateChange,
  lookalikeNames,
  codeEvaluation,
  templateInjection,
  queryInjection,
  shellVisible,
  shellBlind,
  crossSessionMemory,
  injectedResults,
  foreignOrigin,
  foreignHost,
  sessionFixation,
  sessionGuessing,
  oversize,
  unlimitedBurst,
  stackTraces,
  deceptiveResults,
  misleadingHints,
  overReach,
  cancellationIgnored,
  undeclaredTools,
];

/** Finds a target by its name. */
export function targetNamed(name: string): Target {
  const found = allTargets.find((target) => target.name === name);
  if (found === undefined) throw new Error(`there is no target ${name}`);
  return found;
}
