import { ARCHITECT_RULES, CIO_RULES, END_USER_RULES } from './fit-rules.ts';
import { CFO_RULES, PROCUREMENT_RULES } from './money-rules.ts';
import type { CouncilRule } from './rule.ts';
import { AUDIT_RULES, CISO_RULES, LEGAL_RULES } from './security-rules.ts';
import { ESG_RULES, OPERATIONS_RULES, RISK_RULES } from './vendor-rules.ts';

/** All rules of all roles. Rule ids are public: results cite them. */
export const COUNCIL_RULES: readonly CouncilRule[] = [
  ...CFO_RULES,
  ...CIO_RULES,
  ...CISO_RULES,
  ...PROCUREMENT_RULES,
  ...LEGAL_RULES,
  ...END_USER_RULES,
  ...OPERATIONS_RULES,
  ...ESG_RULES,
  ...ARCHITECT_RULES,
  ...AUDIT_RULES,
  ...RISK_RULES,
];

/** Finds a rule by its id. */
export function findRule(ruleId: string): CouncilRule | undefined {
  return COUNCIL_RULES.find((rule) => rule.ruleId === ruleId);
}
