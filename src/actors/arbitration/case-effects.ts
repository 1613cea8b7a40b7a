import { buildBrief, computeFrozenRoot } from '../../domain/arbitration/build-brief.ts';
import {
  type FrozenCase,
  FrozenCase as FrozenShape,
  haveBothResponded,
  SubmittedEvidence,
} from '../../domain/arbitration/records.ts';
import { ArbitrationResult } from '../../domain/arbitration/result.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import { canonicalJson, toJson } from '../../domain/common/json.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { PanelDefinition } from '../../domain/panel/definition.ts';
import type {
  AdmitInput,
  FreezeInput,
  FrozenCaseRef,
} from '../../machines/panel/arbitration-prelude.ts';
import type { PanelSealInput, SealedPanel } from '../../machines/panel/panel-context.ts';
import type { Effect } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { readJob } from '../escrow/read-actors.ts';
import { createPanelSealEffect } from '../panel/panel-effects.ts';
import { loadText } from '../panel/turn-prompt.ts';
import { readLedgerFacts, verdictEffect } from './case-facts.ts';

type Ports = Pick<Services, 'blobs' | 'clock' | 'engine' | 'llm' | 'trust'>;

/** Kind of the signed statement of a verdict. */
export const VERDICT_STATEMENT = 'arbitration_verdict';

/**
 * Creates the `freeze` effect, which binds the evidence and the job's facts when the window ends.
 */
export function createFreezeEffect({
  blobs,
  clock,
  engine,
}: Pick<Services, 'blobs' | 'clock' | 'engine'>): Effect<FreezeInput, FrozenCaseRef> {
  return {
    run: async ({ case: own }) => {
      const { boardJobId, claimantRole, claimant, respondent, names, rows, sides } = own;
      const job = await readJob(engine, boardJobId);
      // A dispute may have been settled since it was filed; a settled case never becomes decisive
      // again. If one side was not heard, the money stays in escrow.
      const mayDecide = own.effect === 'decides_escrow' && haveBothResponded(sides);
      const effect = mayDecide ? verdictEffect(job.state) : 'evidence_only';
      const facts: Omit<FrozenCase, 'root'> = {
        parties: {
          boardJobId,
          claimantRole,
          claimant,
          respondent,
          names: { claimant: [...names.claimant], respondent: [...names.respondent] },
        },
        sides: { ...sides },
        ledger: readLedgerFacts(job),
        rows: [...rows],
        frozenAt: clock.now(),
        effect,
      };
      const root = computeFrozenRoot(facts);
      const sha = await blobs.put(canonicalJson({ ...facts, root }));
      const { disputedAtS } = facts.ledger;
      return { sha, root, effect, ...(disputedAtS === null ? {} : { disputedAtS }) };
    },
    attempts: 5,
    timeoutMs: MINUTE_MS,
  };
}

/** Creates the `admit` effect, which builds the arbiters' brief from the frozen case. */
export function createAdmitEffect({ blobs }: Pick<Services, 'blobs'>): Effect<AdmitInput, string> {
  return {
    run: async ({ frozen: { sha } }) => {
      const frozen = FrozenShape.parse(JSON.parse(loadText(blobs, sha)));
      const brief = buildBrief(frozen, (textSha) => readEvidence(blobs, textSha));
      return blobs.put(JSON.stringify(brief));
    },
    attempts: 5,
    timeoutMs: MINUTE_MS,
  };
}

/** Creates the `seal` effect of arbitrations, which adds a signed verdict to the panel's seal. */
export function createSigningSealEffect(
  panel: PanelDefinition,
  deps: Ports,
): Effect<PanelSealInput, SealedPanel> {
  const plain = createPanelSealEffect(panel, deps);
  return {
    ...plain,
    run: async (order, context) => {
      const sealed = (await plain.run(order, context)) as SealedPanel;
      const result = ArbitrationResult.parse(JSON.parse(loadText(deps.blobs, sealed.resultSha)));
      if (result.payload === null) return sealed;
      const statement = deps.trust.signStatement({
        kind: VERDICT_STATEMENT,
        payload: toJson(result.payload),
        issuedAt: deps.clock.now(),
      });
      const resultSha = await deps.blobs.put(JSON.stringify({ ...result, statement }));
      return { ...sealed, resultSha, payloadHash: statement.payload_hash };
    },
  };
}

function readEvidence(blobs: BlobStore, sha: string): SubmittedEvidence | undefined {
  const text = blobs.get(sha);
  if (text === undefined) return undefined;
  const parsed = SubmittedEvidence.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : undefined;
}
