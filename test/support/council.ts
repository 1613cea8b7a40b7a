import { prepareCouncil } from '../../src/actors/council/council-order.ts';
import type { CouncilFacts } from '../../src/domain/council/records.ts';
import { CouncilRequest } from '../../src/domain/council/request.ts';
import type { PanelWorld } from './panel-world.ts';
import type { ScriptedAnswer, ScriptedCall } from './scripted-llm.ts';

/** Price of a council, in micro-dollars. */
export const COUNCIL_PRICE = '4000000';

/** Facts with which every checklist of the first five roles passes. */
export function goodFacts(): CouncilFacts {
  return {
    money: {
      term_years: 3,
      prices: [
        { name: 'setup', kind: 'one_off', amount_usd: '20000', from_year: 1 },
        { name: 'licence', kind: 'recurring', amount_usd: '40000.50', from_year: 1 },
      ],
      savings: [{ name: 'old system', amount_usd: '90000', from_year: 1 }],
      discount_rate_pct: '8',
      budget_usd: '200000',
      budget_committed_usd: '10000',
    },
    stated: { tco_usd: '140001.50' },
    security: {
      personal_data: true,
      mfa: true,
      pii_encrypted_at_rest: true,
      encrypted_in_transit: true,
      single_sign_on: true,
      pentest_months_ago: 6,
    },
    data: {
      dpa_signed: true,
      subprocessors_listed: true,
      residency: 'EU',
      residency_required: 'EU',
      export_open_format: true,
    },
    contract: {
      quotes_compared: 3,
      price_increase_cap_pct: '3',
      auto_renewal: false,
      termination_for_convenience: true,
      governing_law_accepted: true,
      audit_right: true,
    },
    fit: { strategy_aligned: true, replaces_systems: 1 },
  };
}

/** A request as its tool reads it. */
export function councilRequest(overrides: object = {}): CouncilRequest {
  return CouncilRequest.parse({
    vendor: 'Acme',
    product: 'a ticket system',
    facts: goodFacts(),
    ...overrides,
  });
}

/** Prepares and creates a council, paid by `pay_1`. */
export async function startCouncil(
  world: PanelWorld,
  overrides: object = {},
  jobId = 'job_1',
): Promise<string> {
  const order = await prepareCouncil(world.deps(), councilRequest(overrides), COUNCIL_PRICE);
  return world.begin(order, jobId);
}

/** The role that a scripted model speaks for. */
export function roleOf({ request }: ScriptedCall): string {
  return /\((\w+)\)\. You are/.exec(request.system)?.[1] ?? '';
}

/** Seats that opine, ask, answer and vote as told. */
export function steady(
  o: { opinion?: object; position?: string; questions?: (role: string) => object[] } = {},
) {
  return (call: ScriptedCall): ScriptedAnswer => {
    const { position = 'approve', questions, opinion } = o;
    const role = roleOf(call);
    switch (call.phase) {
      case 'opinion':
        return { position, conditions: [], red_lines: [], gaps: [], ...opinion };
      case 'question':
        return { questions: questions?.(role) ?? [] };
      case 'answer':
        return {
          answers: [...call.request.prompt.matchAll(/kind="question_to_you" id="([^"]+)"/g)].map(
            ([, question_id = '']) => ({
              question_id,
              text: `${role} answers`,
              evidenceIds: ['facts.security'],
            }),
          ),
        };
      default:
        return { ranking: [position, 'defer'] };
    }
  };
}
